package dev.sluice.cli.listen;

import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.TimeArgument;
import dev.sluice.cli.stream.StreamTimeouts;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The options shared by all commands that follow a stream: which events the stream shows, where it
/// starts, when it stops, and what happens after its connection is lost.
final class FeedOptions {

    private static final Duration RECONNECT_TIME_OFF_TERMINAL = Duration.ofMinutes(5);
    private static final Duration LIMIT_TIME_OFF_TERMINAL = Duration.ofMinutes(2);
    private static final Duration WITHOUT_END = Duration.ofDays(36_500);

    @Parameters(
            paramLabel = "SOURCE",
            description =
                    "Sources by id or name; without any, all of the workspace, including new ones.")
    private List<String> sources = List.of();

    @Mixin private final FilterOptions filters = new FilterOptions();

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description =
                    "Start with events received since then: 15m, 2h, 3d, or an RFC 3339 time.")
    private @Nullable String since;

    @Option(
            names = "--catch-up",
            description =
                    "Start where `listen` last stopped with the same sources, filter and"
                            + " connection.")
    private boolean isCatchUp;

    @Option(names = "--from-start", description = "Start with the oldest event that is kept.")
    private boolean isFromStart;

    @Option(
            names = "--no-resume",
            description = "After the stream was lost, leave out what came meanwhile.")
    private boolean isNotResumed;

    @Option(names = "--max-events", paramLabel = "N", description = "Stop after N events.")
    private @Nullable Integer maxEvents;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            description =
                    "Stop after this time, such as 30s; with --max-events it exits 124 if fewer"
                            + " events came.")
    private @Nullable String duration;

    @Option(
            names = "--max-reconnect-time",
            paramLabel = "TIME",
            description =
                    "Give up when a lost stream does not come back within this time; without a"
                            + " terminal the default is 5m.")
    private @Nullable String maxReconnectTime;

    /// @throws CommandException if options contradict each other or are invalid
    void check(Instant now) {
        if (Stream.of(since != null, isCatchUp, isFromStart).filter(given -> given).count() > 1) {
            throw CommandException.usage(
                    "--since, --catch-up and --from-start cannot be combined.",
                    "Give one of them.");
        }
        if (maxEvents != null && maxEvents < 1) {
            throw CommandException.usage("--max-events must be at least 1.", "");
        }
        since(now);
        duration();
        Optional.ofNullable(maxReconnectTime).ifPresent(TimeArgument::parseDuration);
    }

    List<String> sources() {
        return sources;
    }

    FilterOptions filters() {
        return filters;
    }

    Optional<Instant> since(Instant now) {
        return Optional.ofNullable(since).map(text -> TimeArgument.parse(text, now));
    }

    boolean isCatchUp() {
        return isCatchUp;
    }

    boolean isFromStart() {
        return isFromStart;
    }

    boolean isResuming() {
        return !isNotResumed;
    }

    Optional<Integer> maxEvents() {
        return Optional.ofNullable(maxEvents);
    }

    Optional<Duration> duration() {
        return Optional.ofNullable(duration).map(TimeArgument::parseDuration);
    }

    /// Returns the timeouts of the feed. A lost feed tries to reconnect for `--max-reconnect-time`.
    /// Without that option, it tries for [#RECONNECT_TIME_OFF_TERMINAL], or on a terminal until the
    /// user stops it. If too many streams are open, the feed waits for one to close: for the same
    /// time on a terminal, and for up to [#LIMIT_TIME_OFF_TERMINAL] otherwise.
    StreamTimeouts timeouts(CommandContext context) {
        boolean isTerminal = context.shell().isTerminal();
        var reconnect =
                Optional.ofNullable(maxReconnectTime)
                        .map(TimeArgument::parseDuration)
                        .orElse(isTerminal ? WITHOUT_END : RECONNECT_TIME_OFF_TERMINAL);
        return StreamTimeouts.of(reconnect, isTerminal ? reconnect : LIMIT_TIME_OFF_TERMINAL);
    }
}
