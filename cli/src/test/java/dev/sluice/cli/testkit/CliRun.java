package dev.sluice.cli.testkit;

import dev.sluice.cli.shell.JsonTree;

import tools.jackson.databind.JsonNode;

/// What a run of the command line tool printed, and its exit status.
public record CliRun(int status, String out, String err) {

    /// Standard output as one JSON document.
    public JsonNode json() {
        return JsonTree.read(out);
    }
}
