package dev.sluice.platform.trace;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// A finished span of a trace: one operation with its start and end.
///
/// @param context the span's trace, the span's own id, and whether the trace is recorded
/// @param parentId the id of the parent span, 16 hexadecimal digits; empty for the first span of a
///   trace
/// @param attributes texts and numbers, keyed by names from OpenTelemetry's conventions or names
///   with the prefix `sluice.`
/// @param error the failure in one word; empty if the operation succeeded
public record Span(
        String name,
        SpanRole role,
        TraceContext context,
        Optional<String> parentId,
        Instant start,
        Instant end,
        Map<String, Object> attributes,
        Optional<String> error) {

    /// The side of a call that the span describes.
    public enum SpanRole {
        SERVER,
        INTERNAL,
        CLIENT
    }

    public Span {
        attributes = Map.copyOf(attributes);
    }
}
