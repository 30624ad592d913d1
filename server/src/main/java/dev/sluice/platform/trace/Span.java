package dev.sluice.platform.trace;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/// A finished span of a trace: one operation with its start and end.
///
/// @param context the span's trace, the span's own id, and whether the trace is recorded
/// @param parentId the id of the parent span, 16 hexadecimal digits; empty for the first span of a
///   trace
/// @param attributes strings and whole numbers, keyed by names from OpenTelemetry's conventions or
///   names with the prefix `sluice.`
/// @param error a code for the failure, such as `response_timeout` or the status of the response;
///   empty if the operation succeeded
public record Span(
        String name,
        SpanRole role,
        TraceContext context,
        Optional<String> parentId,
        Instant start,
        Instant end,
        Map<String, Object> attributes,
        Optional<String> error) {

    /// Whether the span describes a request that Sluice receives, work inside Sluice, or a request
    /// that Sluice sends.
    public enum SpanRole {
        SERVER,
        INTERNAL,
        CLIENT
    }

    public Span {
        attributes = Map.copyOf(attributes);
    }
}
