package dev.sluice.platform.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;

import dev.sluice.platform.db.DbException;

import org.jspecify.annotations.Nullable;

/// Omits warnings about a [dev.sluice.platform.db.DbException] that was caused by a lost connection
/// to the database. The event `database.lost`, which is logged at most once a minute during an
/// outage, already summarizes them. At the level `debug`, nothing is omitted. Logback instantiates
/// this class as configured in `logback.xml` and `logback-json.xml`.
public final class OutageFilter extends Filter<ILoggingEvent> {

    private boolean isEverythingWritten;

    /// Sets the log level. Called by logback. At `debug` or a lower level, nothing is omitted.
    public void setLevel(String level) {
        isEverythingWritten = Level.DEBUG.isGreaterOrEqual(Level.toLevel(level));
    }

    @Override
    public FilterReply decide(ILoggingEvent event) {
        return !isEverythingWritten
                        && event.getLevel() == Level.WARN
                        && event.getThrowableProxy() instanceof ThrowableProxy proxy
                        && isConnectionLost(proxy.getThrowable())
                ? FilterReply.DENY
                : FilterReply.NEUTRAL;
    }

    private static boolean isConnectionLost(Throwable failure) {
        for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof DbException known && known.isConnectionLost()) {
                return true;
            }
        }
        return false;
    }
}
