package dev.sluice.engine.settle;

import java.time.Duration;

/// The rule for how long a circuit stays open before the next probe (a single test attempt). The
/// first cooldown lasts for `first`. Each failed probe doubles the cooldown, up to `max`.
public record CooldownBackoff(Duration first, Duration max) {

    /// The specification's values: 60 seconds, up to 10 minutes.
    public static final CooldownBackoff STANDARD =
            new CooldownBackoff(Duration.ofSeconds(60), Duration.ofMinutes(10));

    Duration after(Duration last) {
        var doubled = last.multipliedBy(2);
        return doubled.compareTo(max) > 0 ? max : doubled;
    }
}
