package dev.sluice.platform.trace;

import java.util.Map;

/// Sends spans to a collector. Thread-safe; `record` never waits.
public interface SpanExporter extends AutoCloseable {

    /// Returns whether to record the trace. Called only if no upstream system has already decided.
    ///
    /// @param id 32 hexadecimal digits, evenly distributed, always the same for the same trace
    boolean isSampled(String id);

    /// Queues the span, or drops it if the queue is full.
    void record(Span span);

    /// Sends the queued spans. Waits at most ten seconds for this.
    @Override
    void close();

    /// Starts an exporter that uses OpenTelemetry's protocol OTLP.
    ///
    /// @param settings OpenTelemetry's own settings, keyed by their environment variables, such as
    ///   `OTEL_EXPORTER_OTLP_ENDPOINT`
    /// @throws IllegalArgumentException with a message for the operator if a setting is wrong
    static SpanExporter open(Map<String, String> settings) {
        return OtlpSpanExporter.open(settings);
    }
}
