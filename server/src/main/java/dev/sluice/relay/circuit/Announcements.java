package dev.sluice.relay.circuit;

import dev.sluice.gateway.destination.DestinationId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/// Says what became of circuits, once it is written: to the log, and to whoever listens.
final class Announcements {

    private static final Logger log = LoggerFactory.getLogger(SharedCircuits.class);

    private final List<CircuitListener> told = new CopyOnWriteArrayList<>();

    void to(CircuitListener listener) {
        told.add(listener);
    }

    static void claimed(DestinationId destination, Circuit circuit) {
        log.atInfo()
                .addKeyValue("destination_id", destination)
                .addKeyValue("failures", circuit.failures())
                .log("circuit.half_open");
    }

    /// False when there is nothing to say: only the count moved, or nothing.
    boolean changed(
            DestinationId destination, Circuit before, Circuit after, Optional<String> error) {
        if ((before.isClosed() && after.isClosed()) || before.equals(after)) {
            return false;
        }
        if (after.isClosed()) {
            log.atInfo()
                    .addKeyValue("destination_id", destination)
                    .addKeyValue("failures", before.failures())
                    .log("circuit.closed");
            told.forEach(listener -> listener.closed(destination, before));
        } else if (after.generation() > before.generation()) {
            log.atWarn()
                    .addKeyValue("destination_id", destination)
                    .addKeyValue("failures", after.failures())
                    .addKeyValue("reopen_at", after.reopenAt().orElseThrow())
                    .log("circuit.opened");
            if (before.isClosed()) {
                told.forEach(listener -> listener.opened(destination, after, error.orElse("")));
            }
        }
        return true;
    }
}
