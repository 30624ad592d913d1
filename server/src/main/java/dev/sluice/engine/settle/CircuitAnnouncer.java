package dev.sluice.engine.settle;

import dev.sluice.gateway.destination.DestinationId;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/// Reports circuit changes to the log and to listeners, after the changes have been written to the
/// database. Thread-safe.
final class CircuitAnnouncer {

    private static final Logger log = LoggerFactory.getLogger(SharedCircuits.class);

    private final List<CircuitListener> listeners = new CopyOnWriteArrayList<>();

    void addListener(CircuitListener listener) {
        listeners.add(listener);
    }

    static void announceClaim(DestinationId destination, CircuitBreaker circuit) {
        log.atInfo()
                .addKeyValue("destination_id", destination)
                .addKeyValue("failures", circuit.failures())
                .log("circuit.half_opened");
    }

    /// Logs the change and calls the listeners if a circuit opened or closed. If a failed probe
    /// opened the circuit again, only logs the change. Returns false if the circuit did not change,
    /// or if it stayed closed and only its failure count changed.
    boolean announceChange(
            DestinationId destination,
            CircuitBreaker before,
            CircuitBreaker after,
            Optional<String> error) {
        if ((before.isClosed() && after.isClosed()) || before.equals(after)) {
            return false;
        }
        if (after.isClosed()) {
            log.atInfo()
                    .addKeyValue("destination_id", destination)
                    .addKeyValue("failures", before.failures())
                    .log("circuit.closed");
            listeners.forEach(listener -> listener.closed(destination, before));
        } else if (after.generation() > before.generation()) {
            log.atWarn()
                    .addKeyValue("destination_id", destination)
                    .addKeyValue("failures", after.failures())
                    .addKeyValue("reopen_at", after.reopenAt().orElseThrow())
                    .log("circuit.opened");
            if (before.isClosed()) {
                listeners.forEach(
                        listener -> listener.opened(destination, after, error.orElse("")));
            }
        }
        return true;
    }
}
