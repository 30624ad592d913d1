package dev.sluice.platform.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.testkit.LogRecorder;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.Optional;

class OtlpSpanExporterTest {

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String NOBODY = "http://127.0.0.1:1";

    private static Span span() {
        return new Span(
                "ingest",
                Span.SpanRole.SERVER,
                new TraceContext(TRACE, "b7ad6b7169203331", true),
                Optional.empty(),
                Some.NOON,
                Some.NOON.plusMillis(5),
                Map.of(),
                Optional.empty());
    }

    @Test
    void a_collector_that_is_away_is_a_line_in_the_log() {
        var settings =
                Map.of(
                        "OTEL_EXPORTER_OTLP_ENDPOINT", NOBODY,
                        "OTEL_BSP_SCHEDULE_DELAY", "50",
                        "OTEL_JAVA_EXPORTER_OTLP_RETRY_DISABLED", "true");
        try (var log = LogRecorder.of(SdkLogHandler.class);
                var exporter = SpanExporter.open(settings)) {
            exporter.record(span());

            await().untilAsserted(() -> assertThat(log.count("trace.export_failed")).isPositive());
        }
    }

    @Test
    void its_sampler_decides_by_the_trace() {
        var settings =
                Map.of(
                        "OTEL_EXPORTER_OTLP_ENDPOINT", NOBODY,
                        "OTEL_TRACES_SAMPLER", "parentbased_traceidratio",
                        "OTEL_TRACES_SAMPLER_ARG", "0.5");
        try (var exporter = SpanExporter.open(settings)) {
            assertThat(exporter.isSampled("0".repeat(31) + "1")).isTrue();
            assertThat(exporter.isSampled("0".repeat(16) + "7" + "f".repeat(15))).isFalse();
        }
    }

    @Test
    void a_wrong_setting_is_refused_with_its_name() {
        var settings =
                Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", NOBODY, "OTEL_TRACES_SAMPLER", "sometimes");

        assertThatThrownBy(() -> SpanExporter.open(settings))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("sometimes");
    }
}
