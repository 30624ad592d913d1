package dev.sluice.cli.server;

import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.shell.JsonTree;

import tools.jackson.databind.JsonNode;

import java.util.Optional;

/// A successful response from the server.
public final class ServerAnswer {

    private final byte[] body;
    private final Optional<String> requestId;

    /// @param requestId the id that the server gave the request
    ServerAnswer(byte[] body, Optional<String> requestId) {
        this.body = body;
        this.requestId = requestId;
    }

    /// Returns the response body, byte for byte.
    public byte[] body() {
        return body;
    }

    public JsonNode json() {
        return JsonTree.tryRead(body)
                .orElseThrow(() ->
                        new CommandException(
                                ExitCode.FAILED,
                                "invalid_answer",
                                "The response is not JSON, so this may not be a Sluice server.",
                                "Check the address with `sluice config explain`.",
                                requestId,
                                Optional.empty()));
    }
}
