package dev.sluice.engine.send;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Outcome;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.trace.Span;
import dev.sluice.platform.trace.SpanExporter;
import dev.sluice.platform.trace.TraceContext;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// Creates the trace spans for events and passes them to an exporter. Does nothing if there is no
/// exporter.
///
/// An event continues the trace that its sender's `traceparent` header identifies. If that header
/// is missing, repeated or invalid, the event starts a new trace whose id is the event's id. All
/// span ids are computed from the event's id, the delivery's id and the attempt number. A retry
/// therefore belongs to the same trace on every node and after every restart, without anything
/// being stored.
///
/// Thread-safe.
public final class EventTracer {

    private static final String EVENT_ID = "sluice.event_id";

    private final Optional<SpanExporter> exporter;
    private final InstantSource clock;

    /// @param exporter empty if tracing is off
    public EventTracer(Optional<SpanExporter> exporter, InstantSource clock) {
        this.exporter = exporter;
        this.clock = clock;
    }

    /// Records the spans for an event that has just been stored.
    ///
    /// @param headers the inbound request's headers
    /// @param status the status of the reply to the sender
    /// @param total the time since the request began
    /// @param commit the time since the event was passed to the journal
    public void stored(
            EventId event, List<Header> headers, int status, Duration total, Duration commit) {
        exporter.ifPresent(spans -> {
            var sent = sentContext(headers);
            var ingest = ingestContext(spans, event, sent);
            var now = clock.instant();
            spans.record(
                    new Span(
                            "ingest",
                            Span.SpanRole.SERVER,
                            ingest,
                            sent.map(TraceContext::spanId),
                            now.minus(total),
                            now,
                            Map.of(EVENT_ID, event.toString(), "http.response.status_code", status),
                            Optional.empty()));
            spans.record(
                    new Span(
                            "commit",
                            Span.SpanRole.INTERNAL,
                            child(ingest, new UUID(event.value().getLeastSignificantBits(), 0)),
                            Optional.of(ingest.spanId()),
                            now.minus(commit),
                            now,
                            Map.of(EVENT_ID, event.toString()),
                            Optional.empty()));
        });
    }

    /// The trace contexts of an attempt's span and of its parent span.
    ///
    /// @param isContinued whether the trace continues the sender's trace
    record AttemptTrace(TraceContext attempt, TraceContext ingest, boolean isContinued) {}

    /// Returns an attempt's trace, or empty if tracing is off.
    Optional<AttemptTrace> attemptTrace(OutboundRequest request) {
        return exporter.map(spans -> {
            var sent = sentContext(request.inboundHeaders());
            var ingest = ingestContext(spans, request.event(), sent);
            return new AttemptTrace(
                    child(ingest, seed(request.delivery(), request.attempt())),
                    ingest,
                    sent.isPresent());
        });
    }

    /// Records the span for an attempt that has just ended.
    ///
    /// @param request the request as it was before its `traceparent` was replaced
    void attempted(OutboundRequest request, AttemptTrace trace, Outcome outcome) {
        exporter.ifPresent(spans -> {
            Map<String, Object> attributes = new HashMap<>();
            attributes.put(EVENT_ID, request.event().toString());
            attributes.put("sluice.delivery_id", request.delivery().toString());
            attributes.put("sluice.attempt", request.attempt());
            attributes.put("http.request.method", "POST");
            attributes.put("server.address", request.url().host().text());
            Optional<String> error =
                    switch (outcome) {
                        case Outcome.DestinationResponse answer -> {
                            attributes.put("http.response.status_code", answer.status());
                            yield answer.status() / 100 == 2
                                    ? Optional.empty()
                                    : Optional.of(Integer.toString(answer.status()));
                        }
                        case Outcome.AttemptError(var code, _, _) -> Optional.of(code.text());
                    };
            error.ifPresent(code -> attributes.put("error.type", code));
            Instant now = clock.instant();
            spans.record(
                    new Span(
                            "deliver",
                            Span.SpanRole.CLIENT,
                            trace.attempt(),
                            Optional.of(trace.ingest().spanId()),
                            now.minus(outcome.latency()),
                            now,
                            attributes,
                            error));
        });
    }

    /// Returns the sender's trace context. Returns empty if there is no valid `traceparent` header,
    /// or if there is more than one `traceparent` header.
    private static Optional<TraceContext> sentContext(List<Header> headers) {
        var sent = headers.stream().filter(header -> header.isNamed(TraceContext.HEADER)).toList();
        return sent.size() == 1 ? TraceContext.parse(sent.getFirst().value()) : Optional.empty();
    }

    private static TraceContext ingestContext(
            SpanExporter spans, EventId event, Optional<TraceContext> sent) {
        var id = event.value();
        String traceId =
                sent.map(TraceContext::traceId)
                        .orElseGet(() ->
                                hex(id.getMostSignificantBits())
                                        + hex(id.getLeastSignificantBits()));
        boolean isSampled =
                sent.map(TraceContext::isSampled).orElseGet(() -> spans.isSampled(mixed(id)));
        return new TraceContext(traceId, spanId(id), isSampled);
    }

    private static TraceContext child(TraceContext parent, UUID seed) {
        return new TraceContext(parent.traceId(), spanId(seed), parent.isSampled());
    }

    private static UUID seed(DeliveryId delivery, int attempt) {
        var id = delivery.value();
        return new UUID(id.getMostSignificantBits() + attempt, id.getLeastSignificantBits());
    }

    /// Mixes all bits of the seed into 64 bits, so that similar seeds give very different ids
    /// (SplitMix64).
    private static String spanId(UUID seed) {
        long mixed = seed.getMostSignificantBits() * 0x9E3779B97F4A7C15L;
        mixed += seed.getLeastSignificantBits();
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        mixed ^= mixed >>> 31;
        return hex(mixed == 0 ? 1 : mixed);
    }

    /// Returns an id for the sampler, which bases its decision on the lower half of a trace id. The
    /// lower half of an event's id is not evenly distributed, because its first two bits are fixed
    /// (RFC 9562, 4.1).
    private static String mixed(UUID event) {
        return spanId(event) + spanId(event);
    }

    private static String hex(long bits) {
        return "%016x".formatted(bits);
    }
}
