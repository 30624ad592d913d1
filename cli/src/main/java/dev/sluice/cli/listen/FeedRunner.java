package dev.sluice.cli.listen;

import dev.sluice.cli.server.QueryString;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.show.FeedPrinter;
import dev.sluice.cli.stream.EventFeed;
import dev.sluice.cli.stream.StartPlace;
import dev.sluice.cli.stream.StreamChoice;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Runs a feed until it is done, fails, or is stopped by Ctrl-C or SIGTERM. In every case, prints
/// the summary.
final class FeedRunner {

    /// How long to wait after Ctrl-C for the events that are still being handled.
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(3);

    private final FeedPrinter printer;
    private final EventWorkers workers;
    private final CountDownLatch finished = new CountDownLatch(1);

    /// @param workers the workers that handle the events. The summary is printed when all of them
    ///   have finished, and no later than [#STOP_TIMEOUT] after Ctrl-C
    FeedRunner(FeedPrinter printer, EventWorkers workers) {
        this.printer = printer;
        this.workers = workers;
    }

    static String path(StreamChoice choice, StartPlace place, boolean isFull) {
        var query =
                choice.addTo(new QueryString())
                        .with("detail", isFull ? "full" : "tail")
                        .with("after", place.after());
        return query.after(ServerClient.API + "stream");
    }

    void run(EventFeed feed) {
        try (var _ = new ShutdownHook("stop", () -> stop(feed))) {
            runUntilEnd(feed);
        }
    }

    private void runUntilEnd(EventFeed feed) {
        try (workers) {
            feed.run();
        } catch (InterruptedException e) {
            throw CommandException.interrupted(e);
        } finally {
            printer.summary();
            finished.countDown();
        }
    }

    private void stop(EventFeed feed) {
        feed.stop();
        try {
            boolean isFinished = finished.await(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            if (!isFinished) {
                printer.summary();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Returns the exit code for a feed that ended on its own.
    ///
    /// @param events the number of events that counted towards `--max-events`
    /// @throws CommandException if fewer than `--max-events` events arrived within `--duration`
    static int exitCode(FeedOptions options, int events) {
        int wanted = options.maxEvents().orElse(0);
        if (events < wanted && options.duration().isPresent()) {
            throw new CommandException(
                    ExitCode.TIME_LIMIT,
                    "time_limit",
                    "Only %d of %d events came in time.".formatted(events, wanted),
                    "");
        }
        return ExitCode.OK;
    }
}
