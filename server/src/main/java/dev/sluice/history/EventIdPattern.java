package dev.sluice.history;

import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.id.Uuid7;

import java.time.Instant;
import java.util.Locale;
import java.util.UUID;

/// The parsed query parameter `q`: the event or delivery id to search for, or part of such an id.
/// Case is ignored, and hyphens may be omitted.
public sealed interface EventIdPattern {

    /// A complete id.
    record FullId(UUID id) implements EventIdPattern {}

    /// The beginning of an id. The search can use an index to find the matching ids.
    record IdPrefix(IdRange ids) implements EventIdPattern {}

    /// Text that may be anywhere in an id, so the search must scan the ids.
    ///
    /// @param isHyphenated whether the text contains hyphens; if so, the search looks for it in the
    ///   hyphenated form of the ids, otherwise in the form without hyphens
    record IdSubstring(String text, boolean isHyphenated) implements EventIdPattern {

        public boolean isIn(UUID id) {
            String whole = id.toString();
            return (isHyphenated ? whole : whole.replace("-", "")).contains(text);
        }
    }

    /// Text that no id contains.
    record ImpossibleId() implements EventIdPattern {}

    /// The minimum number of hexadecimal digits for a search by prefix. UUIDv7 ids with the same
    /// first eight digits were generated within 65.5 s of each other. With one digit fewer, this
    /// time would be 16 times as long.
    int MIN_PREFIX_DIGITS = 8;

    int UUID_DIGITS = 32;

    /// Parses `q`. Text with 32 digits must be a full id. Shorter text is treated as the beginning
    /// of an id only if it has at least [#MIN_PREFIX_DIGITS] digits and its hyphens are where an id
    /// has them. In addition, its digits, read as the beginning of a UUIDv7, must represent a time
    /// between 2020 and ten years after `now`. Otherwise, the search looks for the text anywhere in
    /// an id.
    static EventIdPattern parse(String q, Instant now) {
        String text = q.strip().toLowerCase(Locale.ROOT);
        String digits = text.replace("-", "");
        if (!text.matches("[0-9a-f-]+") || digits.length() > UUID_DIGITS) {
            return new ImpossibleId();
        }
        boolean isHyphenated = !digits.equals(text);
        boolean isBeginning = !isHyphenated || hyphenated(digits).startsWith(text);
        if (digits.length() == UUID_DIGITS) {
            return isBeginning ? new FullId(uuid(digits)) : new ImpossibleId();
        }
        if (isBeginning && digits.length() >= MIN_PREFIX_DIGITS) {
            var low = uuid(digits + "0".repeat(UUID_DIGITS - digits.length()));
            if (isPlausible(Uuid7.timeOf(low), now)) {
                return new IdPrefix(new IdRange(low, nextId(digits)));
            }
        }
        return new IdSubstring(text, isHyphenated);
    }

    private static boolean isPlausible(Instant time, Instant now) {
        return time.isAfter(Instant.parse("2020-01-01T00:00:00Z"))
                && time.isBefore(now.plusSeconds(10L * 365 * 24 * 3600));
    }

    /// Returns the hyphenated UUID that begins with these digits. Its remaining digits are zeros.
    private static String hyphenated(String digits) {
        return uuid(digits + "0".repeat(UUID_DIGITS - digits.length())).toString();
    }

    /// Returns the first id after all ids that begin with these digits. There is always such an id,
    /// because the digits represent a plausible time.
    private static UUID nextId(String digits) {
        int shift = 4 * (UUID_DIGITS - digits.length());
        var low = uuid(digits + "0".repeat(UUID_DIGITS - digits.length()));
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
