package dev.sluice.cli.events;

import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.api.UrlPath;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.SafeText;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import tools.jackson.databind.JsonNode;

import java.util.List;

/// The `sluice events get` command, which shows one event with its deliveries.
@Command(name = "get", description = "Show an event, its deliveries and why each has its status.")
final class EventGetCommand implements Runnable {

    private static final List<String> FIELDS =
            List.of(
                    "id",
                    "source_id",
                    "method",
                    "content_type",
                    "body_size",
                    "verification_status",
                    "verification_reason",
                    "received_at",
                    "expires_at");

    private final CommandContext context;

    @Parameters(paramLabel = "EVENT", description = "The event's id.")
    private @SuppressWarnings("NullAway.Init") String id;

    @Option(names = "--body", description = "Print only the payload, byte for byte.")
    private boolean isBodyOnly;

    EventGetCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        try (var client = ServerAccess.resolve(context).client()) {
            var answer = client.get("events/" + UrlPath.segment(id));
            if (isBodyOnly) {
                byte[] body = StoredEvent.readWhole(answer.json()).body();
                context.shell().out().write(body, 0, body.length);
                context.shell().out().flush();
                return;
            }
            context.print(answer.body(), () -> print(answer.json()));
        }
    }

    private void print(JsonNode event) {
        var out = context.shell().out();
        new ResultPrinter(context).lines(event, FIELDS);
        out.println("headers");
        var stored = StoredEvent.read(event);
        if (stored.isPayloadUnreadable()) {
            out.println("  The server cannot read the stored headers and body.");
        }
        for (var header : stored.headers()) {
            out.println(SafeText.line("  " + header.name() + ": " + header.value()));
        }
        for (var delivery : event.path("deliveries")) {
            out.println(
                    SafeText.line(
                            "delivery %s to %s: %s after %d attempts. %s"
                                    .formatted(
                                            delivery.path("id").asString(""),
                                            delivery.path("destination_name").asString(""),
                                            delivery.path("status").asString(""),
                                            delivery.path("attempt_count").asInt(),
                                            delivery.path("reason").asString(""))));
        }
    }
}
