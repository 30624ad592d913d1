package dev.sluice.platform.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;

import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

/// Tests what a log event looks like in JSON.
class JsonLogEncoderTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static String line(LoggingEvent event) {
        return new String(new JsonLogEncoder().encode(event), StandardCharsets.UTF_8);
    }

    private static LoggingEvent event(String name, List<KeyValuePair> fields) {
        var event =
                new LoggingEvent(
                        "", new LoggerContext().getLogger("test"), Level.WARN, name, null, null);
        event.setInstant(Instant.parse("2026-01-02T03:04:05.678901Z"));
        event.setKeyValuePairs(fields);
        return event;
    }

    private static List<String> names(JsonNode json) {
        return List.copyOf(json.propertyNames());
    }

    @Test
    void a_line_is_a_flat_object_with_time_level_event_and_then_the_fields() {
        var event =
                event(
                        "attempt.failed",
                        List.of(
                                new KeyValuePair("host", "shop\n\"x\""),
                                new KeyValuePair("attempt", 3)));

        String line = line(event);

        assertThat(line)
                .isEqualTo(
                        """
                        {"time":"2026-01-02T03:04:05.678Z","level":"warn","event":"attempt.failed",\
                        "host":"shop\\n\\"x\\"","attempt":3}
                        """);
    }

    @Test
    void a_field_cannot_hide_the_events_own() {
        var event =
                event(
                        "a.b",
                        List.of(new KeyValuePair("event", "other"), new KeyValuePair("n", null)));

        var json = JSON.readTree(line(event));

        assertThat(names(json)).containsExactly("time", "level", "event", "field_event", "n");
        assertThat(json.path("event").asString()).isEqualTo("a.b");
        assertThat(json.path("n").isNull()).isTrue();
    }

    @Test
    void a_cause_is_a_field_on_the_same_line() {
        var event = event("a.b", List.of());
        event.setThrowableProxy(
                new ch.qos.logback.classic.spi.ThrowableProxy(new IllegalStateException("why")));

        String line = line(event);

        assertThat(line.strip().lines()).hasSize(1);
        assertThat(JSON.readTree(line).path("cause").asString())
                .contains("why", "JsonLogEncoderTest");
    }
}
