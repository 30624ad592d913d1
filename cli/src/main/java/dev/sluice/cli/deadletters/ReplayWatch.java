package dev.sluice.cli.deadletters;

import dev.sluice.cli.api.ResultPrinter;
import dev.sluice.cli.server.ServerAnswer;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.Backoff;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.util.Set;

/// Waits for a *replay* (a bulk resend that the server runs as a job) and shows its progress. Keeps
/// waiting if the server is unavailable for a while.
final class ReplayWatch {

    private static final Set<String> UNFINISHED = Set.of("running", "paused");
    private static final Duration FIRST_INTERVAL = Duration.ofMillis(250);
    private static final Duration MAX_INTERVAL = Duration.ofSeconds(5);
    private static final Duration OUTAGE_TIMEOUT = Duration.ofMinutes(1);

    private final CommandContext context;
    private final ServerClient client;
    private final String id;
    private final Duration outageTimeout;
    private String shown = "";

    ReplayWatch(CommandContext context, ServerClient client, String id) {
        this(context, client, id, OUTAGE_TIMEOUT);
    }

    /// @param outageTimeout how long the server can be unavailable before the command fails
    ReplayWatch(CommandContext context, ServerClient client, String id, Duration outageTimeout) {
        this.context = context;
        this.client = client;
        this.id = id;
        this.outageTimeout = outageTimeout;
    }

    /// Waits until the replay is over, then prints its counts.
    ///
    /// @throws CommandException if the replay did not complete, or if the server stays unavailable
    void run() {
        var answer = look();
        var interval = new Backoff(FIRST_INTERVAL, MAX_INTERVAL);
        if (isUnfinished(answer)) {
            context.shell()
                    .note(
                            "Replay "
                                    + id
                                    + ". `sluice api POST replays/"
                                    + id
                                    + "/cancel` cancels it.");
        }
        while (isUnfinished(answer)) {
            showProgress(answer.json());
            interval.await();
            answer = look();
        }
        var replay = answer.json();
        new ResultPrinter(context).sentence(answer, counts(replay));
        if (!status(replay).equals("completed")) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "replay_" + status(replay),
                    "The replay was not completed, its status is %s. %s"
                            .formatted(status(replay), reason(replay))
                            .strip(),
                    "The same command resends the rest.");
        }
    }

    /// Returns the server's response about the replay. While the server is unavailable, keeps
    /// trying for up to `outageTimeout`, and prints one note about the outage.
    private ServerAnswer look() {
        long startNanos = System.nanoTime();
        var backoff = new Backoff(FIRST_INTERVAL, MAX_INTERVAL);
        boolean isTold = false;
        while (true) {
            try {
                return client.get("replays/" + id);
            } catch (CommandException e) {
                if (!isOutage(e)) {
                    throw e;
                }
                if (System.nanoTime() - startNanos > outageTimeout.toNanos()) {
                    throw lost(e);
                }
                if (!isTold) {
                    context.shell()
                            .note(
                                    e.problem()
                                            + " Trying again for "
                                            + outageTimeout.toSeconds()
                                            + " s.");
                    isTold = true;
                }
            }
            backoff.await();
        }
    }

    /// Returns whether the failure might be temporary, for example because the server cannot be
    /// reached or is still starting.
    private static boolean isOutage(CommandException failure) {
        return failure.exitCode() == ExitCode.NETWORK || failure.exitCode() == ExitCode.FAILED;
    }

    private CommandException lost(CommandException last) {
        return new CommandException(
                ExitCode.NETWORK,
                "unreachable",
                "The server was away for %d s: %s"
                        .formatted(outageTimeout.toSeconds(), last.problem()),
                "The replay goes on there; `sluice api GET replays/%s` shows its progress."
                        .formatted(id));
    }

    private static boolean isUnfinished(ServerAnswer answer) {
        return UNFINISHED.contains(status(answer.json()));
    }

    private void showProgress(JsonNode replay) {
        String line =
                status(replay).equals("paused")
                        ? ("The replay is paused. " + reason(replay)).strip()
                        : "%d of %s%d deliveries created"
                                .formatted(
                                        replay.path("created").asLong(),
                                        replay.path("is_exact").asBoolean(true) ? "" : "at least ",
                                        replay.path("planned").asLong());
        if (!line.equals(shown)) {
            shown = line;
            context.shell().note(line);
        }
    }

    private static String counts(JsonNode replay) {
        long skipped = replay.path("skipped").asLong();
        return "Created %d deliveries.%s"
                .formatted(
                        replay.path("created").asLong(),
                        skipped == 0 ? "" : " Left out " + skipped + " events.");
    }

    private static String status(JsonNode replay) {
        return replay.path("status").asString("");
    }

    private static String reason(JsonNode replay) {
        return replay.path("reason").asString("");
    }
}
