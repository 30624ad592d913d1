package dev.sluice.engine.send;

import dev.sluice.engine.Outcome;
import dev.sluice.platform.trace.TraceContext;

import java.util.function.BooleanSupplier;

/// A wrapper around a [Sender] that gives each attempt its own span and sends that span's
/// `traceparent`. If a new trace begins, the wrapper removes the `tracestate` header, which belongs
/// to the webhook sender's trace. When tracing is off, the incoming webhook's `traceparent` is
/// forwarded like any other header.
public record TracedSender(Sender sender, EventTracer tracer) implements Sender {

    @Override
    public Outcome send(OutboundRequest request, BooleanSupplier mayStart) {
        var trace = tracer.attemptTrace(request);
        if (trace.isEmpty()) {
            return sender.send(request, mayStart);
        }
        var traced = request.withInboundHeader(TraceContext.HEADER, trace.get().attempt().header());
        var outcome =
                sender.send(
                        trace.get().isContinued()
                                ? traced
                                : traced.withoutInboundHeader(TraceContext.STATE_HEADER),
                        mayStart);
        tracer.attempted(request, trace.get(), outcome);
        return outcome;
    }
}
