package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.EventId;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.trace.SpanExporter;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.SpanCollector;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

class EventTracerTest {

    private static final int EVENTS = 400;

    /// An event's id is no random number: its sampler must see one.
    @Test
    void a_quarter_of_the_traces_is_recorded_if_the_sampler_says_so() {
        try (var collector = SpanCollector.start()) {
            var settings =
                    Map.of(
                            "OTEL_EXPORTER_OTLP_ENDPOINT", collector.url(),
                            "OTEL_TRACES_SAMPLER", "parentbased_traceidratio",
                            "OTEL_TRACES_SAMPLER_ARG", "0.25");
            var clock = InstantSource.fixed(Some.NOON);
            var ids = new Uuid7(clock, new Random(7));
            try (var exporter = SpanExporter.open(settings)) {
                var tracer = new EventTracer(Optional.of(exporter), clock);
                for (int i = 0; i < EVENTS; i++) {
                    var event = new EventId(ids.next(12));
                    tracer.stored(
                            event, List.of(), 200, Duration.ofMillis(2), Duration.ofMillis(1));
                }
            }

            assertThat(collector.count("ingest")).isBetween(EVENTS / 8, EVENTS * 3 / 8);
            assertThat(collector.count("commit")).isEqualTo(collector.count("ingest"));
        }
    }
}
