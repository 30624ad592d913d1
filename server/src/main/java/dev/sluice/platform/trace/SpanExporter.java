package dev.sluice.platform.trace;

import java.util.Map;

/// Sends spans away. Thread-safe; `record` never waits.
public interface SpanExporter extends AutoCloseable {

    /// Returns whether a trace is recorded about which nobody has decided before.
    ///
    /// @param id 32 hexadecimal digits, evenly distributed, always the same for the same trace
    boolean isSampled(String id);

    /// Queues the span. A span that finds no room is dropped.
    void record(Span span);

    /// Sends what is queued, for at most ten seconds.
    @Override
    void close();

    /// Starts an exporter of OpenTelemetry's protocol OTLP.
    ///
    /// @param settings OpenTelemetry's own settings, such as `OTEL_EXPORTER_OTLP_ENDPOINT`, by
    ///   their environment names
    /// @throws IllegalArgumentException with a message for the operator if one is wrong
    static SpanExporter open(Map<String, String> settings) {
        return OtlpSpanExporter.open(settings);
    }
}
