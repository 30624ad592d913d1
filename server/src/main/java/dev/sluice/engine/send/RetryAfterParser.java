package dev.sluice.engine.send;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Parses a `Retry-After` header: a number of seconds, or a date in one of the three HTTP formats
/// (RFC 9110, 10.2.3).
final class RetryAfterParser {

    /// The maximum number of digits in a number of seconds. A longer number is treated as
    /// 999,999,999 seconds.
    private static final int MAX_DIGITS = 9;

    /// The preferred format, then the two obsolete ones (RFC 9110, 5.6.7).
    private static final List<DateTimeFormatter> HTTP_DATE_FORMATS =
            List.of(
                    dateFormat("EEE, dd MMM yyyy HH:mm:ss 'GMT'"),
                    dateFormat("EEEE, dd-MMM-yy HH:mm:ss 'GMT'"),
                    dateFormat("EEE MMM ppd HH:mm:ss yyyy"));

    private RetryAfterParser() {}

    /// Returns the time to wait: empty for a missing or unreadable value, zero for a date in the
    /// past.
    static Optional<Duration> parse(String value, Instant now) {
        String text = value.strip();
        if (text.isEmpty()) {
            return Optional.empty();
        }
        if (text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            boolean isFar = text.length() > MAX_DIGITS;
            return Optional.of(Duration.ofSeconds(isFar ? 999_999_999 : Integer.parseInt(text)));
        }
        return date(text)
                .map(at -> Duration.between(now, at))
                .map(wait -> wait.isNegative() ? Duration.ZERO : wait);
    }

    private static Optional<Instant> date(String text) {
        for (var format : HTTP_DATE_FORMATS) {
            try {
                return Optional.of(LocalDateTime.parse(text, format).toInstant(ZoneOffset.UTC));
            } catch (DateTimeParseException e) {
                // The next format is tried.
            }
        }
        return Optional.empty();
    }

    private static DateTimeFormatter dateFormat(String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH);
    }
}
