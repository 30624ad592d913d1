package dev.sluice.platform.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.encoder.Encoder;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.event.KeyValuePair;

import tools.jackson.databind.json.JsonMapper;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

/// Tests that no text from outside forges a log line or steers a terminal, in either format.
class EscapedLogTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String FORGED = "\n2026-01-02T03:04:05.678Z ERROR Sluice disk.full";

    private static LoggingEvent event(String message, KeyValuePair... fields) {
        var event =
                new LoggingEvent(
                        "",
                        new LoggerContext().getLogger("dev.sluice.Test"),
                        Level.WARN,
                        message,
                        null,
                        null);
        event.setInstant(Instant.parse("2026-01-02T03:04:05.678901Z"));
        event.setKeyValuePairs(List.of(fields));
        return event;
    }

    private static String text(ILoggingEvent event) {
        return encoded(new TextLogEncoder(), event);
    }

    private static String json(ILoggingEvent event) {
        return encoded(new JsonLogEncoder(), event);
    }

    private static String encoded(Encoder<ILoggingEvent> encoder, ILoggingEvent event) {
        return new String(encoder.encode(event), StandardCharsets.UTF_8);
    }

    @Test
    void a_text_line_has_time_level_class_event_and_quoted_fields() {
        var event =
                event(
                        "attempt.failed",
                        new KeyValuePair("host", "Müller 👩‍🚀 \"x\" \\"),
                        new KeyValuePair("attempt", 3),
                        new KeyValuePair("none", null));

        assertThat(text(event))
                .isEqualTo(
                        "2026-01-02T03:04:05.678Z WARN  Test attempt.failed host=\"Müller"
                                + " 👩\\u200d🚀 \\\"x\\\" \\\\\" attempt=\"3\" none=\"null\"\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\n",
                "\r",
                "\u000b",
                "\f",
                "\u0000",
                "\u001b",
                "\u007f",
                "\u0085",
                "\u009b",
                "\u00ad",
                "\u061c",
                "\u200e",
                "\u200f",
                "\u2028",
                "\u2029",
                "\u202e",
                "\u2066",
                "\u2069",
                "\ufeff",
                "\ud800",
                "\udc00",
                "\udb40\udc41"
            })
    void a_character_that_is_not_shown_is_escaped_wherever_it_is(String character) {
        String hostile = "a" + character + "b";
        var event = event(hostile, new KeyValuePair("na" + character + "me", hostile));
        event.setThrowableProxy(
                new ThrowableProxy(
                        new IllegalStateException(hostile, new RuntimeException(hostile))));

        assertThat(text(event)).doesNotContain(hostile);
        assertThat(text(event).lines().skip(1))
                .allMatch(line -> line.matches("(\t|java|Caused by: ).*"));
        assertThat(json(event)).doesNotContain(character.equals("\n") ? hostile : character);
        assertThat(json(event).strip().lines()).hasSize(1);
        assertThat(JSON.readTree(json(event)).path("event").asString())
                .isEqualTo(hostile.replaceAll("\\p{Cs}", "\ufffd"));
    }

    @Test
    void no_message_of_an_exception_forges_a_line() {
        var thrown = new IllegalStateException(FORGED, new RuntimeException(FORGED));
        thrown.addSuppressed(new RuntimeException("closing" + FORGED));
        var event = event("a.b");
        event.setThrowableProxy(new ThrowableProxy(thrown));

        assertThat(text(event).lines())
                .noneMatch(line -> line.startsWith("2026") && line.contains("disk"));
        assertThat(text(event)).contains("\n\tat ", "\nCaused by: ", "Suppressed: ");
        assertThat(JSON.readTree(json(event)).path("cause").asString().lines())
                .noneMatch(line -> line.startsWith("2026"));
    }

    @Test
    void no_value_ends_its_quotes() {
        var event = event("a.b", new KeyValuePair("name", "x\" level=\"error"));

        assertThat(text(event)).endsWith(" a.b name=\"x\\\" level=\\\"error\"\n");
    }
}
