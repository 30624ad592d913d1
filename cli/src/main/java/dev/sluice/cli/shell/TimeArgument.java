package dev.sluice.cli.shell;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.regex.Pattern;

/// Parses times and durations as users type them: `90s`, `15m`, `2h`, `3d`, or an RFC 3339 time.
public final class TimeArgument {

    private static final Pattern SPAN = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");

    private TimeArgument() {}

    /// Parses a point in time: an RFC 3339 time, or a duration such as `2h`, which means two hours
    /// before `now`.
    public static Instant parse(String text, Instant now) {
        if (SPAN.matcher(text).matches()) {
            return now.minus(parseDuration(text));
        }
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw CommandException.usage(
                    "'" + text + "' is not a time.",
                    "Give one such as 15m, 2h, 3d or 2026-01-31T12:00:00Z.");
        }
    }

    public static Duration parseDuration(String text) {
        var span = SPAN.matcher(text);
        if (!span.matches()) {
            throw CommandException.usage(
                    "'" + text + "' is not a duration.", "Give one such as 500ms, 30s, 5m or 2h.");
        }
        long number = Long.parseLong(span.group(1));
        return switch (span.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }
}
