package dev.sluice.cli.resource;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.api.FileArgument;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.SafeText;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.Locale;
import java.util.regex.Pattern;

/// The `sluice api` command, which calls any API operation with the user's API key and prints the
/// response. It adds a line break if the response does not end with one.
@Command(
        name = "api",
        description = {
            "Call any operation of the API and print its answer.",
            "Example: sluice api GET events?limit=1"
        })
final class ApiCommand implements Runnable {

    private static final Pattern METHOD = Pattern.compile("[A-Z]{1,10}");

    /// Matches a path with an optional query, made of the characters that a URL may contain.
    private static final Pattern PATH = Pattern.compile("[A-Za-z0-9/._~!$&'()*+,;=:@%?-]+");

    private final CommandContext context;

    @Parameters(
            index = "0",
            paramLabel = "METHOD",
            description = "GET, POST, PATCH, PUT or DELETE.")
    private @SuppressWarnings("NullAway.Init") String method;

    @Parameters(
            index = "1",
            paramLabel = "PATH",
            description = "The path below /api/v1/, or from the root if it begins with a slash.")
    private @SuppressWarnings("NullAway.Init") String path;

    @Option(
            names = {"-d", "--data"},
            paramLabel = "JSON",
            description = "The body; @FILE reads it from a file, @- from standard input.")
    private @Nullable String data;

    ApiCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        String verb = method.toUpperCase(Locale.ROOT);
        if (!METHOD.matcher(verb).matches()) {
            throw CommandException.usage("'" + method + "' is no method.", "Such as GET.");
        }
        if (path.contains("://") || !PATH.matcher(path).matches()) {
            throw CommandException.usage(
                    "'" + path + "' is no path.",
                    "Such as sources or /api/openapi.json; --server says where.");
        }
        byte[] body = data == null ? new byte[0] : FileArgument.readData(data, context.shell());
        try (var client = ServerAccess.resolve(context).client()) {
            var answer =
                    client.send(verb, path.startsWith("/") ? path : ServerClient.API + path, body);
            print(answer.body());
        }
    }

    /// Prints an answer. JSON, and whatever goes to a terminal, has the characters escaped that a
    /// terminal obeys; other answers go to a file or a pipe byte by byte.
    private void print(byte[] body) {
        var out = context.shell().out();
        String text = new String(body, UTF_8);
        if (context.shell().isTerminal() || JsonTree.tryRead(body).isPresent()) {
            out.print(SafeText.json(text));
        } else {
            out.write(body, 0, body.length);
        }
        if (!text.endsWith("\n") && body.length > 0) {
            out.println();
        }
    }
}
