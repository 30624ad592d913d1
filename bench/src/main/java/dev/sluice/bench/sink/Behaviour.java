package dev.sluice.bench.sink;

import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.UsageException;

import java.time.Duration;
import java.util.List;

/// How a sink treats every request.
public sealed interface Behaviour {

    /// Answers 200 at once.
    record Fast() implements Behaviour {}

    /// Answers 200 after a while.
    record Hang(Duration delay) implements Behaviour {}

    /// Answers at once with this status.
    record Fail(int status) implements Behaviour {}

    /// Does not listen.
    record Refuse() implements Behaviour {}

    static Behaviour from(Options options) {
        String mode = options.text("mode").orElse("fast");
        int wait = options.number("wait-ms", 10_000);
        int status = options.number("status", 503);
        return switch (mode) {
            case "fast" -> new Fast();
            case "hang" -> new Hang(Duration.ofMillis(wait));
            case "fail" -> new Fail(status);
            case "refuse" -> new Refuse();
            default -> throw new UsageException("--mode is fast, hang, fail or refuse");
        };
    }

    default List<String> arguments() {
        return switch (this) {
            case Fast() -> List.of("--mode", "fast");
            case Hang(var delay) ->
                    List.of("--mode", "hang", "--wait-ms", Long.toString(delay.toMillis()));
            case Fail(int status) ->
                    List.of("--mode", "fail", "--status", Integer.toString(status));
            case Refuse() -> List.of("--mode", "refuse");
        };
    }

    default int status() {
        return this instanceof Fail(int status) ? status : 200;
    }
}
