package dev.sluice.bench.sink;

import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.UsageException;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/// How a sink treats every request.
public sealed interface Behaviour {

    /// Instead of an answer, the connection is reset.
    int RESET = 0;

    /// What a storm answers, each equally often.
    List<Integer> STORM = List.of(429, 500, RESET);

    /// Answers 200 at once.
    record Fast() implements Behaviour {}

    /// Answers 200 after a while.
    record Hang(Duration delay) implements Behaviour {}

    /// Answers 200, one request after the other, and takes so long for each.
    record OneByOne(Duration each) implements Behaviour {}

    /// Answers at once with this status.
    record Fail(int status) implements Behaviour {}

    /// Answers after a while: 503 to so many of a thousand, 200 to the others.
    record Flaky(int perMille, Duration delay) implements Behaviour {}

    /// Answers at once: a calm, a storm, a calm and so on; in a storm, so many of a hundred are
    /// answered with one of [#STORM], the others as in a calm with 200.
    record Waves(Duration each, int percent) implements Behaviour {}

    /// Does not listen.
    record Refuse() implements Behaviour {}

    static Behaviour from(Options options) {
        String mode = options.text("mode").orElse("fast");
        int standard = mode.equals("flaky") ? 0 : 10_000;
        Duration wait = Duration.ofMillis(options.number("wait-ms", standard));
        int status = options.number("status", 503);
        int share = options.number("share", 10);
        return switch (mode) {
            case "fast" -> new Fast();
            case "hang" -> new Hang(wait);
            case "one-by-one" -> new OneByOne(wait);
            case "fail" -> new Fail(status);
            case "flaky" -> new Flaky(share, wait);
            case "waves" -> new Waves(wait, share);
            case "refuse" -> new Refuse();
            default ->
                    throw new UsageException(
                            "--mode is fast, hang, one-by-one, fail, flaky, waves or refuse");
        };
    }

    default List<String> arguments() {
        return switch (this) {
            case Fast() -> List.of("--mode", "fast");
            case Hang(var delay) -> List.of("--mode", "hang", "--wait-ms", millis(delay));
            case OneByOne(var each) -> List.of("--mode", "one-by-one", "--wait-ms", millis(each));
            case Fail(int status) ->
                    List.of("--mode", "fail", "--status", Integer.toString(status));
            case Flaky(int perMille, var delay) ->
                    List.of(
                            "--mode",
                            "flaky",
                            "--wait-ms",
                            millis(delay),
                            "--share",
                            Integer.toString(perMille));
            case Waves(var each, int percent) ->
                    List.of(
                            "--mode",
                            "waves",
                            "--wait-ms",
                            millis(each),
                            "--share",
                            Integer.toString(percent));
            case Refuse() -> List.of("--mode", "refuse");
        };
    }

    /// What a request is answered, or [#RESET].
    ///
    /// @param age nanoseconds since the sink began
    default int status(long age, RandomGenerator random) {
        return switch (this) {
            case Fail(int status) -> status;
            case Flaky(int perMille, _) -> random.nextInt(1000) < perMille ? 503 : 200;
            case Waves(var each, int percent) -> {
                boolean isStorm = age / each.toNanos() % 2 == 1;
                yield isStorm && random.nextInt(100) < percent
                        ? STORM.get(random.nextInt(STORM.size()))
                        : 200;
            }
            case Fast(), Hang(_), OneByOne(_), Refuse() -> 200;
        };
    }

    /// When to answer a request that came at `now`.
    ///
    /// @param last when the one before is answered
    default long answerAt(long now, long last) {
        return switch (this) {
            case Hang(var delay) -> now + delay.toNanos();
            case Flaky(_, var delay) -> now + delay.toNanos();
            case OneByOne(var each) -> (last - now > 0 ? last : now) + each.toNanos();
            case Fast(), Fail(_), Waves(_, _), Refuse() -> now;
        };
    }

    private static String millis(Duration duration) {
        return Long.toString(duration.toMillis());
    }
}
