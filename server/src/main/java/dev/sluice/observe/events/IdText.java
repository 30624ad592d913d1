package dev.sluice.observe.events;

import dev.sluice.observe.sums.IdRange;
import dev.sluice.platform.id.Uuid7;

import java.time.Instant;
import java.util.Locale;
import java.util.UUID;

/// The part of an event's id that `q` looks for. Case does not matter, and hyphens may be left out.
sealed interface IdText {

    /// One event, or none.
    record Whole(UUID id) implements IdText {}

    /// The beginning of ids: found by index.
    record Prefix(IdRange ids) implements IdText {}

    /// Anywhere in an id: ids must be looked through.
    ///
    /// @param isDashed whether it is compared with the id as it is written, or with its digits
    ///   alone
    record Within(String text, boolean isDashed) implements IdText {}

    /// What no id can have.
    record Nowhere() implements IdText {}

    /// So few digits name a minute of time; fewer would name hours.
    int LEAST_PREFIX = 8;

    int DIGITS = 32;

    /// @param now tells the beginning of an id that may exist from digits further back: what would
    ///   begin before 2020 or later than in ten years is no beginning
    static IdText of(String q, Instant now) {
        String text = q.strip().toLowerCase(Locale.ROOT);
        String digits = text.replace("-", "");
        if (!text.matches("[0-9a-f-]+") || digits.length() > DIGITS) {
            return new Nowhere();
        }
        boolean isDashed = !digits.equals(text);
        boolean isBeginning = !isDashed || written(digits).startsWith(text);
        if (digits.length() == DIGITS) {
            return isBeginning ? new Whole(uuid(digits)) : new Nowhere();
        }
        if (isBeginning && digits.length() >= LEAST_PREFIX) {
            var low = uuid(digits + "0".repeat(DIGITS - digits.length()));
            if (isPlausible(Uuid7.timeOf(low), now)) {
                return new Prefix(new IdRange(low, following(digits)));
            }
        }
        return new Within(text, isDashed);
    }

    private static boolean isPlausible(Instant time, Instant now) {
        return time.isAfter(Instant.parse("2020-01-01T00:00:00Z"))
                && time.isBefore(now.plusSeconds(10L * 365 * 24 * 3600));
    }

    /// The digits in their places, with what is missing as zeros.
    private static String written(String digits) {
        return uuid(digits + "0".repeat(DIGITS - digits.length())).toString();
    }

    /// The first id that begins with more than these digits. A plausible time never ends in an
    /// overflow.
    private static UUID following(String digits) {
        int shift = 4 * (DIGITS - digits.length());
        var low = uuid(digits + "0".repeat(DIGITS - digits.length()));
        long high = low.getMostSignificantBits();
        if (shift >= Long.SIZE) {
            return new UUID(high + (1L << (shift - Long.SIZE)), 0);
        }
        long next = low.getLeastSignificantBits() + (1L << shift);
        return new UUID(next == 0 ? high + 1 : high, next);
    }

    private static UUID uuid(String digits) {
        return new UUID(
                Long.parseUnsignedLong(digits.substring(0, 16), 16),
                Long.parseUnsignedLong(digits.substring(16), 16));
    }
}
