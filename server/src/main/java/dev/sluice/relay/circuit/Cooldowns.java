package dev.sluice.relay.circuit;

import java.time.Duration;

/// How long a circuit stays open before a probe: `first`, and twice as long after each probe that
/// fails, up to `longest`.
public record Cooldowns(Duration first, Duration longest) {

    /// What the specification says: 60 seconds, up to 10 minutes.
    public static final Cooldowns STANDARD =
            new Cooldowns(Duration.ofSeconds(60), Duration.ofMinutes(10));

    Duration after(Duration last) {
        var doubled = last.multipliedBy(2);
        return doubled.compareTo(longest) > 0 ? longest : doubled;
    }
}
