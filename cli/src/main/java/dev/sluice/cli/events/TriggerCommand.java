package dev.sluice.cli.events;

import dev.sluice.cli.api.FileArgument;
import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.OutputFormat;
import dev.sluice.cli.shell.SafeText;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/// The `sluice trigger` command, which asks the server to create a test event for a source. Unless
/// the user gives a signature, the server signs the event so that it passes the source's
/// verification.
@Command(
        name = "trigger",
        description = {
            "Send a test event to a source: a sample of its provider, signed with its secret.",
            "It is stored, counted and delivered like every event. Exits 1 when the source refuses"
                    + " it."
        })
public final class TriggerCommand implements Runnable {

    private static final Pattern HEADER = Pattern.compile("([^:\\s]+):[ \t]*(.*)");

    private final CommandContext context;

    @Parameters(paramLabel = "SOURCE", description = "The source, by id or name.")
    private @SuppressWarnings("NullAway.Init") String source;

    @Option(
            names = "--provider",
            paramLabel = "PROVIDER",
            description = "Send a sample of this provider, such as slack; generic is of none.")
    private @Nullable String provider;

    @Option(
            names = "--body",
            paramLabel = "FILE",
            description = "Send this file, byte for byte; - reads standard input.")
    private @Nullable String body;

    @Option(
            names = {"-H", "--header"},
            paramLabel = "NAME: VALUE",
            description = "Add a header, or replace one of the sample; repeatable.")
    private List<String> headers = List.of();

    public TriggerCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        var request = request();
        try (var client = ServerAccess.resolve(context).client()) {
            String id = new NameLookup(client).sourceId(source);
            var answer = client.send("POST", "sources/" + id + "/test-event", request);
            var event = answer.json();
            boolean isRefused = event.path("verification_status").asString("").equals("failed");
            context.print(answer.body(), () -> print(event, isRefused));
            if (isRefused) {
                throw new CommandException(
                        ExitCode.FAILED,
                        "verification_failed",
                        "The source stored the event and refused it: "
                                + event.path("verification_reason")
                                        .asString("no reason was given."),
                        "Without --body and --header a sample passes.");
            }
        }
    }

    private ObjectNode request() {
        var request = JsonTree.object();
        if (provider != null) {
            if (body != null) {
                throw CommandException.usage("--provider and --body exclude each other.", "");
            }
            request.put("provider", provider);
        }
        if (body != null) {
            byte[] bytes = FileArgument.read(body, context.shell());
            request.put("body_base64", Base64.getEncoder().encodeToString(bytes));
        }
        if (!headers.isEmpty()) {
            var named = request.putObject("headers");
            headers.forEach(text -> addHeader(named, text));
        }
        return request;
    }

    private static void addHeader(ObjectNode named, String text) {
        var header = HEADER.matcher(text);
        if (!header.matches()) {
            throw CommandException.usage(
                    "'" + text + "' is no header.", "Such as -H 'X-Topic: orders'.");
        }
        named.put(header.group(1), header.group(2));
    }

    private void print(JsonNode event, boolean isRefused) {
        String id = event.path("event_id").asString("");
        if (context.output() == OutputFormat.QUIET) {
            context.shell().out().println(SafeText.line(id));
        } else if (!isRefused) {
            context.shell()
                    .out()
                    .println(
                            SafeText.line(
                                    "Sent event %s; verification: %s. `sluice events get %s` shows it."
                                            .formatted(
                                                    id,
                                                    event.path("verification_status").asString(""),
                                                    id)));
        }
    }
}
