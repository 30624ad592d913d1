package dev.sluice.engine.accept;

import dev.sluice.engine.VerificationReason;
import dev.sluice.platform.json.JsonDocument;
import dev.sluice.platform.json.JsonValue;

import java.time.Duration;
import java.time.Instant;

/// Parses the time at which the sender claims to have signed the request, and checks it against a
/// tolerance.
final class TimestampValidator {

    /// A number with exactly this many digits is read as a Unix time in milliseconds. As seconds,
    /// it would be in the year 33658 or later.
    private static final int MILLIS_DIGITS = 13;

    private static final int MAX_DIGITS = 18;

    private TimestampValidator() {}

    /// Parses a Unix time in seconds or milliseconds and returns it in seconds. Only ASCII digits
    /// are allowed: no sign, no space, no fraction.
    static long parseSeconds(String text) throws VerificationException {
        if (text.isEmpty()
                || text.length() > MAX_DIGITS
                || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new VerificationException(VerificationReason.TIMESTAMP_MALFORMED);
        }
        long number = Long.parseLong(text);
        return text.length() == MILLIS_DIGITS ? number / 1000 : number;
    }

    /// Reads the timestamp from a member of the body. The body must be a JSON object in UTF-8. If
    /// the member is repeated, the last one counts. Other members are read as leniently as in any
    /// payload: an unusual number or a repeated name must not prevent an event from being stored,
    /// and the sender's signature covers them anyway.
    static long readFromBody(String field, byte[] body) throws VerificationException {
        var written =
                JsonDocument.read(body)
                        .flatMap(document -> document.root().member(field))
                        .filter(value -> value.type() == JsonValue.JsonType.NUMBER)
                        .orElseThrow(() ->
                                new VerificationException(VerificationReason.TIMESTAMP_MISSING));
        return parseSeconds(written.raw().text());
    }

    /// Fails if the timestamp differs from the time of receipt by more than the tolerance, in
    /// either direction.
    static void requireWithinTolerance(long seconds, Instant headReadAt, Duration tolerance)
            throws VerificationException {
        long age = headReadAt.getEpochSecond() - seconds;
        if (age > tolerance.toSeconds()) {
            throw new VerificationException(VerificationReason.TIMESTAMP_TOO_OLD);
        }
        if (age < -tolerance.toSeconds()) {
            throw new VerificationException(VerificationReason.TIMESTAMP_IN_FUTURE);
        }
    }
}
