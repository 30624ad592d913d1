package dev.sluice.platform.trace;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// Something that was done, when it is over.
///
/// @param context its trace, its own id, and whether the trace is recorded
/// @param parentId 16 hexadecimal digits; empty for the first span of a trace
/// @param attributes by the names of OpenTelemetry's conventions, or with the prefix `sluice.`;
///   texts and numbers only
/// @param error what went wrong, in one word; empty if nothing did
public record Span(
        String name,
        SpanRole role,
        TraceContext context,
        Optional<String> parentId,
        Instant start,
        Instant end,
        Map<String, Object> attributes,
        Optional<String> error) {

    /// The side of a call that the span shows.
    public enum SpanRole {
        SERVER,
        INTERNAL,
        CLIENT
    }

    public Span {
        attributes = Map.copyOf(attributes);
    }
}
