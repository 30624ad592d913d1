package dev.sluice.platform.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;

import org.slf4j.event.KeyValuePair;

import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Objects;

/// Writes each log event as one line: time, level, the class that logs, the event's name, and its
/// fields as `name="value"`. If the event has an exception, its stack trace follows on lines of its
/// own, which begin with a tab or the name of an exception. Logback instantiates this class as
/// configured in `logback.xml`.
public final class TextLogEncoder extends EncoderBase<ILoggingEvent> {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
    private static final byte[] NONE = new byte[0];

    @Override
    public byte[] headerBytes() {
        return NONE;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        var line =
                new StringBuilder()
                        .append(TIME.format(event.getInstant()))
                        .append(' ')
                        .append("%-5s".formatted(event.getLevel()))
                        .append(' ')
                        .append(simpleName(event.getLoggerName()))
                        .append(' ')
                        .append(EscapedText.of(String.valueOf(event.getFormattedMessage())));
        for (var field : fields(event)) {
            line.append(' ')
                    .append(EscapedText.of(field.key))
                    .append('=')
                    .append(EscapedText.quoted(String.valueOf(field.value)));
        }
        line.append('\n');
        EscapedThrowable.trace(event).ifPresent(line::append);
        return line.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static List<KeyValuePair> fields(ILoggingEvent event) {
        return Objects.requireNonNullElse(event.getKeyValuePairs(), List.of());
    }

    private static String simpleName(String logger) {
        return logger.substring(logger.lastIndexOf('.') + 1);
    }

    @Override
    public byte[] footerBytes() {
        return NONE;
    }
}
