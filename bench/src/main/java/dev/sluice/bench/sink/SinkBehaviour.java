package dev.sluice.bench.sink;

import dev.sluice.bench.platform.CommandLineException;
import dev.sluice.bench.platform.CommandLineOptions;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/// The way a sink answers requests.
public sealed interface SinkBehaviour {

    /// A status that is never sent. It tells the sink to reset the connection instead of answering.
    int RESET_CONNECTION = 0;

    /// The statuses with which requests fail during a storm (see `AlternatingFailures`). All are
    /// equally likely.
    List<Integer> FAILURE_STATUSES = List.of(429, 500, RESET_CONNECTION);

    /// Answers 200 immediately.
    record ImmediateAnswers() implements SinkBehaviour {}

    /// Answers 200 after `delay`.
    record DelayedAnswers(Duration delay) implements SinkBehaviour {}

    /// Answers 200 to one request at a time, and takes `delay` for each.
    record SerialAnswers(Duration delay) implements SinkBehaviour {}

    /// Answers immediately with this status.
    record FixedStatus(int status) implements SinkBehaviour {}

    /// Answers after a delay, with 503 for about `failuresPerMille` of every thousand requests and
    /// with 200 for the others.
    record FlakyAnswers(int failuresPerMille, Duration delay) implements SinkBehaviour {}

    /// Answers immediately, and alternates between calm periods and storms, each of which lasts
    /// `waveTime`. In a calm period, all responses are 200. In a storm, about `failurePercent` % of
    /// the requests get one of [#FAILURE_STATUSES], and the others get 200.
    record AlternatingFailures(Duration waveTime, int failurePercent) implements SinkBehaviour {}

    /// Does not listen, so all connections are refused.
    record RefusedConnections() implements SinkBehaviour {}

    static SinkBehaviour from(CommandLineOptions options) {
        String mode = options.text("mode").orElse("fast");
        int standard = mode.equals("flaky") ? 0 : 10_000;
        Duration wait = Duration.ofMillis(options.number("wait-ms", standard));
        int status = options.number("status", 503);
        int share = options.number("share", 10);
        return switch (mode) {
            case "fast" -> new ImmediateAnswers();
            case "hang" -> new DelayedAnswers(wait);
            case "one-by-one" -> new SerialAnswers(wait);
            case "fail" -> new FixedStatus(status);
            case "flaky" -> new FlakyAnswers(share, wait);
            case "waves" -> new AlternatingFailures(wait, share);
            case "refuse" -> new RefusedConnections();
            default ->
                    throw new CommandLineException(
                            "--mode is fast, hang, one-by-one, fail, flaky, waves or refuse");
        };
    }

    default List<String> arguments() {
        return switch (this) {
            case ImmediateAnswers() -> List.of("--mode", "fast");
            case DelayedAnswers(var delay) -> List.of("--mode", "hang", "--wait-ms", millis(delay));
            case SerialAnswers(var each) -> arguments("one-by-one", each, 0);
            case FixedStatus(int code) -> List.of("--mode", "fail", "--status", "" + code);
            case FlakyAnswers(int perMille, var delay) -> arguments("flaky", delay, perMille);
            case AlternatingFailures(var each, int share) -> arguments("waves", each, share);
            case RefusedConnections() -> List.of("--mode", "refuse");
        };
    }

    private static List<String> arguments(String mode, Duration wait, int share) {
        return List.of("--mode", mode, "--wait-ms", millis(wait), "--share", "" + share);
    }

    /// Returns the status of the response, or [#RESET_CONNECTION].
    ///
    /// @param age the time since the sink started, in nanoseconds
    default int status(long age, RandomGenerator random) {
        return switch (this) {
            case FixedStatus(int status) -> status;
            case FlakyAnswers(int perMille, _) -> random.nextInt(1000) < perMille ? 503 : 200;
            case AlternatingFailures(var each, int percent) -> {
                boolean isStorm = age / each.toNanos() % 2 == 1;
                yield isStorm && random.nextInt(100) < percent
                        ? FAILURE_STATUSES.get(random.nextInt(FAILURE_STATUSES.size()))
                        : 200;
            }
            case ImmediateAnswers(), DelayedAnswers(_), SerialAnswers(_), RefusedConnections() ->
                    200;
        };
    }

    /// Returns the time at which to answer a request that arrived at `now`.
    ///
    /// @param last the time at which the previous request is to be answered
    default long answerAt(long now, long last) {
        return switch (this) {
            case DelayedAnswers(var delay) -> now + delay.toNanos();
            case FlakyAnswers(_, var delay) -> now + delay.toNanos();
            case SerialAnswers(var each) -> (last - now > 0 ? last : now) + each.toNanos();
            case ImmediateAnswers(),
                    FixedStatus(_),
                    AlternatingFailures(_, _),
                    RefusedConnections() ->
                    now;
        };
    }

    private static String millis(Duration duration) {
        return Long.toString(duration.toMillis());
    }
}
