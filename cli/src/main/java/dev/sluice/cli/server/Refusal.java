package dev.sluice.cli.server;

import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.shell.JsonTree;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;

/// Turns an error response from the server into the error that ends the command.
public final class Refusal {

    private static final int MAX_DETAILS = 5;

    private Refusal() {}

    /// @param status the status code, which is not 2xx
    public static CommandException of(int status, byte[] body, HttpHeaders headers) {
        var error =
                JsonTree.tryRead(body).map(node -> node.path("error")).filter(JsonNode::isObject);
        String code =
                error.map(node -> node.path("code").asString(""))
                        .filter(text -> !text.isEmpty())
                        .orElse("http_" + status);
        String message =
                error.map(node -> node.path("message").asString(""))
                        .filter(text -> !text.isEmpty())
                        .map(text -> withFields(text, error.get()))
                        .orElseGet(() -> withoutEnvelope(status, body, headers));
        return new CommandException(
                exitCode(status),
                code,
                message,
                hint(status),
                headers.firstValue("X-Request-Id"),
                retryAfter(headers));
    }

    /// Returns the server's message. If the error has details, returns the messages of up to five
    /// details instead. Each is preceded by the name of its field, unless the message already
    /// contains that name.
    private static String withFields(String message, JsonNode error) {
        var details = error.path("details").valueStream().limit(MAX_DETAILS).toList();
        if (details.isEmpty()) {
            return message;
        }
        return details.stream().map(Refusal::detail).collect(Collectors.joining(" "));
    }

    private static String detail(JsonNode detail) {
        String field = detail.path("field").asString("");
        String message = detail.path("message").asString("");
        String named = message.contains(field) ? message : field + ": " + message;
        return named.endsWith(".") ? named : named + ".";
    }

    private static String withoutEnvelope(int status, byte[] body, HttpHeaders headers) {
        // While the service is down, its status endpoint returns a 503 response with `components`
        // instead of the usual `error` object.
        var components =
                JsonTree.tryRead(body)
                        .map(node -> node.path("components"))
                        .filter(JsonNode::isObject);
        if (components.isPresent()) {
            return "The service is down: " + JsonTree.write(components.get()) + ".";
        }
        var location = headers.firstValue("Location").filter(_ -> status >= 300 && status < 400);
        return location.map(target ->
                        "The server answered %d and points to %s.".formatted(status, target))
                .orElse("The server answered %d without saying why.".formatted(status));
    }

    /// Returns how long the server asks the client to wait, or empty if `Retry-After` is missing or
    /// is not a whole number of seconds.
    static Optional<Duration> retryAfter(HttpHeaders headers) {
        return headers.firstValue("Retry-After")
                .filter(value -> value.matches("\\d{1,6}"))
                .map(value -> Duration.ofSeconds(Long.parseLong(value)));
    }

    private static int exitCode(int status) {
        return switch (status) {
            case 404 -> ExitCode.NOT_FOUND;
            case 401, 403 -> ExitCode.DENIED;
            case 400, 409, 413, 422 -> ExitCode.REFUSED;
            case 429 -> ExitCode.RATE_LIMITED;
            default -> ExitCode.FAILED;
        };
    }

    private static String hint(int status) {
        return switch (status) {
            case 401 -> "Sign in with `sluice login`, or set SLUICE_API_KEY.";
            case 403 -> "`sluice whoami` shows whose key this is.";
            case 404 -> "The `list` command shows what exists.";
            case 429 -> "Try again later.";
            case 301, 302, 303, 307, 308 -> "Give the new address with --server.";
            case 500, 502, 503, 504 -> "`sluice status` shows the server's status.";
            default -> "";
        };
    }
}
