package dev.sluice.relay.send;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Reads `Retry-After`: a number of seconds or a date, in any of the three forms HTTP knows.
final class RetryAfter {

    /// Longer waits are as good as this one.
    private static final int MOST_DIGITS = 9;

    /// The one to be written, and the two older ones to be understood (RFC 9110, 5.6.7).
    private static final List<DateTimeFormatter> DATES =
            List.of(
                    form("EEE, dd MMM yyyy HH:mm:ss 'GMT'"),
                    form("EEEE, dd-MMM-yy HH:mm:ss 'GMT'"),
                    form("EEE MMM ppd HH:mm:ss yyyy"));

    private RetryAfter() {}

    /// Empty for what cannot be read; nothing for a date that has passed.
    static Optional<Duration> read(String value, Instant now) {
        String text = value.strip();
        if (text.isEmpty()) {
            return Optional.empty();
        }
        if (text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            boolean isFar = text.length() > MOST_DIGITS;
            return Optional.of(Duration.ofSeconds(isFar ? 999_999_999 : Integer.parseInt(text)));
        }
        return date(text)
                .map(at -> Duration.between(now, at))
                .map(wait -> wait.isNegative() ? Duration.ZERO : wait);
    }

    private static Optional<Instant> date(String text) {
        for (var form : DATES) {
            try {
                return Optional.of(LocalDateTime.parse(text, form).toInstant(ZoneOffset.UTC));
            } catch (DateTimeParseException e) {
                // Perhaps one of the other forms.
            }
        }
        return Optional.empty();
    }

    private static DateTimeFormatter form(String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH);
    }
}
