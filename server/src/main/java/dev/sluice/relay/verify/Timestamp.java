package dev.sluice.relay.verify;

import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.MalformedJson;
import dev.sluice.relay.VerificationReason;

import java.time.Duration;
import java.time.Instant;

/// The time that a sender says it signed at.
final class Timestamp {

    /// A Unix time of 13 digits is one in milliseconds: as seconds it would be in the year 33 658
    /// at the earliest.
    private static final int MILLIS_DIGITS = 13;

    private static final int MOST_DIGITS = 18;

    private Timestamp() {}

    /// ASCII digits only: no sign, no space, no fraction.
    static long seconds(String text) throws Refused {
        if (text.isEmpty()
                || text.length() > MOST_DIGITS
                || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new Refused(VerificationReason.TIMESTAMP_MALFORMED);
        }
        long number = Long.parseLong(text);
        return text.length() == MILLIS_DIGITS ? number / 1000 : number;
    }

    static long inBody(String field, byte[] body) throws Refused {
        try {
            var number = Json.form(body).whole(field).toOptional();
            return seconds(
                    Long.toString(
                            number.orElseThrow(
                                    () -> new Refused(VerificationReason.TIMESTAMP_MISSING))));
        } catch (MalformedJson e) {
            throw new Refused(VerificationReason.TIMESTAMP_MISSING);
        }
    }

    /// Both ways, and as far away as the tolerance is still good.
    static void judge(long seconds, Instant headReadAt, Duration tolerance) throws Refused {
        long age = headReadAt.getEpochSecond() - seconds;
        if (age > tolerance.toSeconds()) {
            throw new Refused(VerificationReason.TIMESTAMP_TOO_OLD);
        }
        if (age < -tolerance.toSeconds()) {
            throw new Refused(VerificationReason.TIMESTAMP_IN_FUTURE);
        }
    }
}
