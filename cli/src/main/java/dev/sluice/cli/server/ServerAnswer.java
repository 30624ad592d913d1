package dev.sluice.cli.server;

import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.shell.JsonTree;

import tools.jackson.databind.JsonNode;

import java.util.Optional;

/// An answer of the server that says yes.
public final class ServerAnswer {

    private final byte[] body;
    private final Optional<String> requestId;

    /// @param requestId the server's name of the request
    ServerAnswer(byte[] body, Optional<String> requestId) {
        this.body = body;
        this.requestId = requestId;
    }

    /// The answer as it came, byte for byte.
    public byte[] body() {
        return body;
    }

    public JsonNode json() {
        return JsonTree.tryRead(body)
                .orElseThrow(() ->
                        new CommandException(
                                ExitCode.FAILED,
                                "invalid_answer",
                                "The server's answer is not JSON, so it may be no Sluice server.",
                                "Check the address with `sluice config explain`.",
                                requestId,
                                Optional.empty()));
    }
}
