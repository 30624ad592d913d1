package dev.sluice.platform.trace;

import java.util.Map;

/// Sends spans to a collector. Thread-safe; `record` never waits.
public interface SpanExporter extends AutoCloseable {

    /// Returns whether to record the trace. Called only if no upstream system has already decided.
    ///
    /// @param id identifies the trace: 32 hexadecimal digits, evenly distributed, and always the
    ///   same for the same trace
    boolean isSampled(String id);

    /// Queues the span, or drops it if the queue is full.
    void record(Span span);

    /// Sends the queued spans and stops the exporter. Waits at most ten seconds.
    @Override
    void close();

    /// Starts an exporter that uses OTLP, OpenTelemetry's protocol.
    ///
    /// @param settings OpenTelemetry's own settings, keyed by their environment variables, such as
    ///   `OTEL_EXPORTER_OTLP_ENDPOINT`
    /// @throws IllegalArgumentException with a message for the operator if a setting is invalid
    static SpanExporter open(Map<String, String> settings) {
        return OtlpSpanExporter.open(settings);
    }
}
