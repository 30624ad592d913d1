package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.PrintWriter;
import java.io.StringWriter;

class SluiceCommandTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void version_prints_name_and_version() {
        int exit = run("version");

        assertThat(exit).isZero();
        assertThat(out.toString()).matches("sluice \\d+\\.\\d+\\.\\d+.*\\R");
    }

    @Test
    void an_unknown_command_is_refused_with_the_ones_there_are() {
        int exit = run("serv");

        assertThat(exit).isEqualTo(2);
        assertThat(err.toString()).contains("serv").contains("serve");
    }

    private int run(String... args) {
        return SluiceCommand.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }
}
