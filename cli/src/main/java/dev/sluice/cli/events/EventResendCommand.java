package dev.sluice.cli.events;

import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.api.UrlPath;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.JsonTree;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.List;

/// The `sluice events resend` command, which asks the server to resend an event.
@Command(name = "resend", description = "Ask the server to resend an event.")
final class EventResendCommand implements Runnable {

    private final CommandContext context;

    @Parameters(paramLabel = "EVENT", description = "The event's id.")
    private @SuppressWarnings("NullAway.Init") String id;

    @Option(
            names = "--connection",
            paramLabel = "ID",
            description =
                    "Only on this connection; repeatable. Otherwise on all of the event's source.")
    private List<String> connections = List.of();

    EventResendCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public void run() {
        var body = JsonTree.object();
        if (!connections.isEmpty()) {
            var ids = body.putArray("connection_ids");
            connections.forEach(ids::add);
        }
        try (var client = ServerAccess.resolve(context).client()) {
            var answer = client.send("POST", "events/" + UrlPath.segment(id) + "/resend", body);
            new ResultPrinter(context)
                    .sentence(
                            answer,
                            "Created %d deliveries."
                                    .formatted(answer.json().path("created").asLong()));
        }
    }
}
