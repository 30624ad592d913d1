package dev.sluice.platform.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.stream.Stream;

/// An exception whose message is escaped, and those of its causes and suppressed exceptions too, so
/// that only the stack trace itself breaks lines. Messages may quote what other servers sent.
record EscapedThrowable(IThrowableProxy exception) implements IThrowableProxy {

    /// Returns the stack trace of the event's exception, or empty if it has none.
    static Optional<String> trace(ILoggingEvent event) {
        return Optional.ofNullable(event.getThrowableProxy())
                .map(EscapedThrowable::new)
                .map(ThrowableProxyUtil::asString);
    }

    @Override
    public @Nullable String getMessage() {
        return escaped(exception.getMessage());
    }

    @Override
    public @Nullable String getOverridingMessage() {
        return escaped(exception.getOverridingMessage());
    }

    private static @Nullable String escaped(@Nullable String message) {
        return message == null ? null : EscapedText.of(message);
    }

    @Override
    public String getClassName() {
        return exception.getClassName();
    }

    @Override
    public StackTraceElementProxy[] getStackTraceElementProxyArray() {
        return exception.getStackTraceElementProxyArray();
    }

    @Override
    public int getCommonFrames() {
        return exception.getCommonFrames();
    }

    @Override
    public @Nullable IThrowableProxy getCause() {
        @Nullable IThrowableProxy cause = exception.getCause();
        return cause == null ? null : new EscapedThrowable(cause);
    }

    @Override
    public IThrowableProxy @Nullable [] getSuppressed() {
        IThrowableProxy @Nullable [] suppressed = exception.getSuppressed();
        return suppressed == null
                ? null
                : Stream.of(suppressed).map(EscapedThrowable::new).toArray(IThrowableProxy[]::new);
    }

    @Override
    public boolean isCyclic() {
        return exception.isCyclic();
    }
}
