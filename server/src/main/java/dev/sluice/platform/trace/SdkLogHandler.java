package dev.sluice.platform.trace;

import org.slf4j.LoggerFactory;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/// Passes the warnings and errors that the SDK logs with `java.util.logging` to Sluice's log,
/// always as the event `trace.export_failed`. The SDK itself limits how often it reports that the
/// collector cannot be reached.
final class SdkLogHandler extends Handler {

    /// The SDK's logger, to which this handler is added. The field keeps the logger alive: a logger
    /// to which nothing refers is garbage-collected together with its handlers.
    private static final Logger SDK = Logger.getLogger("io.opentelemetry");

    private static final org.slf4j.Logger log = LoggerFactory.getLogger(SdkLogHandler.class);

    private final SimpleFormatter formatter = new SimpleFormatter();

    private SdkLogHandler() {}

    static void install() {
        SDK.setUseParentHandlers(false);
        for (var earlier : SDK.getHandlers()) {
            SDK.removeHandler(earlier);
        }
        SDK.addHandler(new SdkLogHandler());
    }

    @Override
    public void publish(LogRecord logged) {
        if (logged.getLevel().intValue() >= Level.WARNING.intValue()) {
            log.atWarn()
                    .addKeyValue("reason", formatter.formatMessage(logged))
                    .log("trace.export_failed");
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
