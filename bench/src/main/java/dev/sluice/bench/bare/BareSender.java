package dev.sluice.bench.bare;

import java.net.URI;
import java.util.function.Consumer;

/// Posts events to the sink, so many at once.
interface BareSender {

    void send(Item item);

    /// @param finish told of each event that was answered, with the status, or 0 without an answer
    static BareSender of(
            BareVariant.Client client,
            URI sink,
            Consumer<BareStore.Finished> finish,
            int inFlight) {
        return switch (client) {
            case ASYNC -> new AsyncSender(sink, finish, inFlight);
            case CLASSIC -> new ClassicSender(sink, finish, inFlight);
        };
    }
}
