package dev.sluice.platform.trace;

import java.util.Map;

/// Sends spans to a collector. Thread-safe; `record` never waits.
public interface SpanExporter extends AutoCloseable {

    /// Decides whether to record a trace, unless another system has already decided.
    ///
    /// @param id 32 hexadecimal digits, evenly distributed, always the same for the same trace
    boolean isSampled(String id);

    /// Queues the span, or drops it if the queue is full.
    void record(Span span);

    /// Sends the queued spans, for at most ten seconds.
    @Override
    void close();

    /// Starts an exporter that uses OpenTelemetry's protocol OTLP.
    ///
    /// @param settings OpenTelemetry's own settings, such as `OTEL_EXPORTER_OTLP_ENDPOINT`, by
    ///   their environment names
    /// @throws IllegalArgumentException with a message for the operator if a setting is wrong
    static SpanExporter open(Map<String, String> settings) {
        return OtlpSpanExporter.open(settings);
    }
}
