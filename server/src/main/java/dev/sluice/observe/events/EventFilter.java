package dev.sluice.observe.events;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.http.Query;
import dev.sluice.platform.json.Form;
import dev.sluice.relay.Verification;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

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

    private static final Map<String, Verification> VERIFICATIONS =
            Arrays.stream(Verification.values())
                    .collect(Collectors.toMap(Verification::text, Function.identity()));

    /// RFC 3339. A `+` that was not encoded arrives as a space.
    private static final Pattern TIME =
            Pattern.compile(
                    "(\\d{4}-\\d\\d-\\d\\d)"
                            + "[Tt ]"
                            + "(\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?)"
                            + "(?:([Zz])|([-+ ])(\\d\\d:\\d\\d))");

    /// What is wrong is noted in the query.
    static EventFilter of(Query query) {
        return new EventFilter(
                query.parsed("source_id", EventFilter::sourceId),
                query.oneOf("verification_status", VERIFICATIONS),
                query.parsed("received_after", EventFilter::time),
                query.parsed("received_before", EventFilter::time),
                query.text("q"));
    }

    private static SourceId sourceId(String text) {
        try {
            return new SourceId(Form.uuidOf(text));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("must be a UUID.", e);
        }
    }

    /// @throws IllegalArgumentException with a message that continues the parameter's name
    static Instant time(String text) {
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
        throw new IllegalArgumentException(
                "must be a time as in RFC 3339, such as 2026-03-01T12:00:00Z.");
    }
}
