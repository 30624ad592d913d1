package dev.sluice.cli.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.shell.JsonTree;

import tools.jackson.databind.JsonNode;

/// What a run of the command line tool printed, and its exit status.
public record CliRun(int status, String out, String err) {

    /// Checks that it succeeded.
    public CliRun assertOk() {
        assertThat(status).as(err).isZero();
        return this;
    }

    /// Checks that it ended with an exit status, and with an error of one line that contains a
    /// part.
    public static void assertRefused(CliRun run, int status, String part) {
        assertThat(run.status()).as(run.err()).isEqualTo(status);
        assertThat(run.err().lines()).hasSize(1);
        assertThat(run.err()).contains(part);
        assertThat(run.out()).isEmpty();
    }

    /// Standard output as one JSON document.
    public JsonNode json() {
        return JsonTree.read(out);
    }
}
