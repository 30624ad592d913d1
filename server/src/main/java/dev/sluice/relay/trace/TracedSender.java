package dev.sluice.relay.trace;

import dev.sluice.platform.trace.TraceContext;
import dev.sluice.relay.Outcome;
import dev.sluice.relay.request.OutboundRequest;
import dev.sluice.relay.send.Sender;

import java.util.function.BooleanSupplier;

/// Sends attempts as another sender does, each with the `traceparent` of its own span. While
/// nothing is traced, the sender's own `traceparent` is forwarded as any other header.
public record TracedSender(Sender sender, EventTracer tracer) implements Sender {

    @Override
    public Outcome send(OutboundRequest request, BooleanSupplier mayStart) {
        var context = tracer.attemptContext(request);
        if (context.isEmpty()) {
            return sender.send(request, mayStart);
        }
        var outcome =
                sender.send(
                        request.withInboundHeader(TraceContext.HEADER, context.get().header()),
                        mayStart);
        tracer.attempted(request, context.get(), outcome);
        return outcome;
    }
}
