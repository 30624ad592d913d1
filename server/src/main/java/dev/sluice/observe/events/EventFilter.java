package dev.sluice.observe.events;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.ErrorStatus;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.json.Form;
import dev.sluice.relay.Verification;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/// Which events a list is about: those that pass all that is asked for.
///
/// @param after inclusive
/// @param before exclusive
/// @param q a part of the event's id
record EventFilter(
        Optional<SourceId> source,
        Optional<Verification> verification,
        Optional<Instant> after,
        Optional<Instant> before,
        Optional<String> q) {

    /// RFC 3339. A `+` that was not encoded arrives as a space.
    private static final Pattern TIME =
            Pattern.compile(
                    "(\\d{4}-\\d\\d-\\d\\d)[Tt"
                            + " ](\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?)(?:([Zz])|([-+"
                            + " ])(\\d\\d:\\d\\d))");

    static EventFilter of(Request request) {
        return new EventFilter(
                request.parameter("source_id").map(EventFilter::sourceId),
                request.parameter("verification_status").map(EventFilter::verification),
                request.parameter("received_after").map(text -> time("received_after", text)),
                request.parameter("received_before").map(text -> time("received_before", text)),
                request.parameter("q"));
    }

    private static SourceId sourceId(String text) {
        try {
            return new SourceId(Form.uuidOf(text));
        } catch (IllegalArgumentException e) {
            throw new ApiException(ErrorStatus.MALFORMED_REQUEST, "source_id must be a UUID.");
        }
    }

    private static Verification verification(String text) {
        return Arrays.stream(Verification.values())
                .filter(verification -> verification.text().equals(text))
                .findFirst()
                .orElseThrow(() ->
                        ApiException.invalid(
                                "verification_status",
                                "verification_status must be verified, failed or skipped."));
    }

    static Instant time(String name, String text) {
        var parts = TIME.matcher(text.strip());
        if (parts.matches()) {
            String zone =
                    parts.group(3) != null
                            ? "Z"
                            : parts.group(4).replace(' ', '+') + parts.group(5);
            try {
                return OffsetDateTime.parse(parts.group(1) + "T" + parts.group(2) + zone)
                        .toInstant();
            } catch (DateTimeException e) {
                // said below
            }
        }
        throw new ApiException(
                ErrorStatus.MALFORMED_REQUEST,
                name + " must be a time as in RFC 3339, such as 2026-03-01T12:00:00Z.");
    }
}
