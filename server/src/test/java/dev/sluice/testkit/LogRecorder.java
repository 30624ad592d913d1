package dev.sluice.testkit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import org.slf4j.LoggerFactory;

import java.util.List;

/// Records what one class logs, until it is closed.
public final class LogRecorder implements AutoCloseable {

    private final Logger log;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    private LogRecorder(Logger log) {
        this.log = log;
        appender.start();
        log.setLevel(Level.INFO); // the simulation silences the whole relay meanwhile
        log.addAppender(appender);
    }

    public static LogRecorder of(Class<?> type) {
        // While another thread sets up logging, SLF4J gives out loggers of its own.
        while (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext)) {
            Thread.onSpinWait();
        }
        return new LogRecorder((Logger) LoggerFactory.getLogger(type));
    }

    /// Returns how many events of this name were logged.
    public long count(String event) {
        return events(event).size();
    }

    /// Returns the values of one key in the events of this name, in their order.
    public List<String> values(String event, String key) {
        return events(event).stream()
                .flatMap(line -> line.getKeyValuePairs().stream())
                .filter(pair -> pair.key.equals(key))
                .map(pair -> String.valueOf(pair.value))
                .toList();
    }

    private List<ILoggingEvent> events(String event) {
        synchronized (appender) {
            return List.copyOf(appender.list).stream()
                    .filter(line -> line.getMessage().equals(event))
                    .toList();
        }
    }

    @Override
    public void close() {
        log.detachAppender(appender);
        log.setLevel(null);
    }
}
