package dev.sluice.cli.events;

import dev.sluice.cli.api.ReceivedOptions;
import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.JsonTree;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;

import java.time.InstantSource;
import java.util.List;

/// The command `sluice dlq resend`: the server delivers what ended badly on a connection again.
@Command(
        name = "resend",
        description = "Ask the server to deliver dead letters of a connection again.")
final class BulkResendCommand implements Runnable {

    private final CommandContext context;
    private final InstantSource clock;

    @Option(
            names = "--connection",
            paramLabel = "ID",
            required = true,
            description = "The connection.")
    private @SuppressWarnings("NullAway.Init") String connection;

    @Option(
            names = "--status",
            paramLabel = "LIST",
            split = ",",
            description = "Of exhausted, failed, succeeded; by default exhausted.")
    private List<String> statuses = List.of();

    @Mixin private final ReceivedOptions received = new ReceivedOptions();

    @Option(names = "--dry-run", description = "Only count.")
    private boolean isDryRun;

    BulkResendCommand(CommandContext context, InstantSource clock) {
        this.context = context;
        this.clock = clock;
    }

    @Override
    public void run() {
        var body = JsonTree.object().put("connection_id", connection);
        if (!statuses.isEmpty()) {
            var list = body.putArray("statuses");
            statuses.forEach(list::add);
        }
        received.since(clock).ifPresent(time -> body.put("since", time));
        received.until(clock).ifPresent(time -> body.put("until", time));
        if (isDryRun) {
            body.put("dry_run", true);
        }
        try (var client = ServerAccess.resolve(context).client()) {
            var answer = client.send("POST", "deliveries/resend-bulk", body);
            new ResultPrinter(context).sentence(answer, sentence(answer.json()));
        }
    }

    private String sentence(JsonNode answer) {
        String least = answer.path("is_exact").asBoolean(true) ? "" : "at least ";
        if (isDryRun) {
            return "Would create %s%d deliveries."
                    .formatted(least, answer.path("would_create").asLong());
        }
        String replay = answer.path("replay_id").asString("");
        return replay.isEmpty()
                ? "Created %s%d deliveries.".formatted(least, answer.path("created").asLong())
                : "Replay %s creates %s%d deliveries; `sluice api GET replays/%s` shows its progress."
                        .formatted(replay, least, answer.path("created").asLong(), replay);
    }
}
