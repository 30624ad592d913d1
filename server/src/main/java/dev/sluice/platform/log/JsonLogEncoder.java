package dev.sluice.platform.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;

import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;

import org.slf4j.event.KeyValuePair;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// Writes each log event as a flat JSON object on one line. The object has `time`, `level`,
/// `event`, the event's fields, and, if the event has an exception, `cause` with its stack trace.
/// If one of the event's fields has one of these four names, its name gets the prefix `field_`.
/// Logback instantiates this class as configured in `logback-json.xml`.
public final class JsonLogEncoder extends EncoderBase<ILoggingEvent> {

    private static final Set<String> OWN_FIELDS = Set.of("time", "level", "event", "cause");
    private static final byte[] NONE = new byte[0];

    @Override
    public byte[] headerBytes() {
        return NONE;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        var json =
                new JsonObject()
                        .put("time", event.getInstant())
                        .put("level", event.getLevel().toString().toLowerCase(Locale.ROOT))
                        .put("event", event.getFormattedMessage());
        for (var field : fields(event)) {
            json.put(
                    OWN_FIELDS.contains(field.key) ? "field_" + field.key : field.key,
                    Optional.ofNullable(field.value));
        }
        EscapedThrowable.trace(event).ifPresent(trace -> json.put("cause", trace));
        // Inside of JSON strings, the escapes mean the characters they stand for.
        return (EscapedText.of(Json.text(json)) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static List<KeyValuePair> fields(ILoggingEvent event) {
        return Objects.requireNonNullElse(event.getKeyValuePairs(), List.of());
    }

    @Override
    public byte[] footerBytes() {
        return NONE;
    }
}
