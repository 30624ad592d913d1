package dev.sluice.platform.trace;

import io.opentelemetry.sdk.trace.IdGenerator;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/// Makes the SDK use the ids that a span already has, instead of generating new ones. The SDK
/// requests the ids on the thread that starts the span.
final class PresetIds implements IdGenerator {

    private static final ThreadLocal<@Nullable TraceContext> CURRENT = new ThreadLocal<>();

    /// Runs `start`, which starts a span. The span gets the trace id and the span id in `ids`.
    <T> T with(TraceContext ids, Supplier<T> start) {
        CURRENT.set(ids);
        try {
            return start.get();
        } finally {
            CURRENT.remove();
        }
    }

    private TraceContext ids() {
        @Nullable TraceContext ids = CURRENT.get();
        if (ids == null) {
            throw new IllegalStateException("a span was started without its ids");
        }
        return ids;
    }

    @Override
    public String generateSpanId() {
        return ids().spanId();
    }

    @Override
    public String generateTraceId() {
        return ids().traceId();
    }
}
