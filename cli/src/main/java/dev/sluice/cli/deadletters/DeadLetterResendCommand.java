package dev.sluice.cli.deadletters;

import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.profile.ServerAccess;
import dev.sluice.cli.server.ServerAnswer;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandContext;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;

import java.time.InstantSource;

/// The `sluice dlq resend` command, which asks the server to resend dead letters.
@Command(
        name = "resend",
        description = {
            "Ask the server to resend the unresolved dead letters that match.",
            "Waits until their deliveries are created. Ctrl-C ends the waiting, not the resend."
        })
final class DeadLetterResendCommand implements Runnable {

    private final CommandContext context;
    private final InstantSource clock;

    @Mixin private final ChangeOptions selection = new ChangeOptions();

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "Create at most N deliveries, such as 5 as a test.")
    private @Nullable Integer limit;

    @Option(
            names = "--per-second",
            paramLabel = "N",
            description = "Create at most N deliveries a second.")
    private @Nullable Integer perSecond;

    @Option(names = "--dry-run", description = "Only count.")
    private boolean isDryRun;

    @Option(names = "--no-wait", description = "Do not wait for the deliveries to be created.")
    private boolean isNotAwaited;

    DeadLetterResendCommand(CommandContext context, InstantSource clock) {
        this.context = context;
        this.clock = clock;
    }

    @Override
    public void run() {
        try (var client = ServerAccess.resolve(context).client()) {
            var body = selection.body(new NameLookup(client), clock, "resend", isDryRun);
            if (limit != null) {
                body.put("limit", limit);
            }
            if (perSecond != null) {
                body.put("per_second", perSecond);
            }
            if (isDryRun) {
                body.put("dry_run", true);
            }
            report(client, client.send("POST", "dlq/resend", body));
        }
    }

    private void report(ServerClient client, ServerAnswer answer) {
        var plan = answer.json();
        String replay = plan.path("replay_id").asString("");
        if (isDryRun || replay.isEmpty() || isNotAwaited) {
            new ResultPrinter(context).sentence(answer, sentence(plan, replay));
        } else {
            new ReplayWatch(context, client, replay).run();
        }
    }

    private String sentence(JsonNode plan, String replay) {
        String least = plan.path("is_exact").asBoolean(true) ? "" : "at least ";
        if (isDryRun) {
            return "Would create %s%d deliveries."
                    .formatted(least, plan.path("would_create").asLong());
        }
        return replay.isEmpty()
                ? plan.path("reason").asString("Nothing was resent.")
                : "Replay %s creates %s%d deliveries; `sluice api GET replays/%s` shows its progress."
                        .formatted(replay, least, plan.path("created").asLong(), replay);
    }
}
