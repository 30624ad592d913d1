package dev.sluice.engine.commit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Objects;
import java.util.UUID;

/// A batch of accepted events: tells each event's sender and the [JournalListener] what became of
/// it.
///
/// An event may be refused at its deadline while it is unknown whether it is stored. Its sender may
/// then send it again. If it turns out to be stored, it is delivered anyway.
final class EventBatch implements GroupCommit.BatchType<AcceptedEvent> {

    private static final Logger log = LoggerFactory.getLogger(EventBatch.class);

    /// Set before the writer thread starts.
    private @Nullable JournalListener listener;

    void tell(JournalListener journalListener) {
        listener = journalListener;
    }

    private JournalListener listener() {
        return Objects.requireNonNull(listener, "not started");
    }

    /// Refuses the events that are past their deadlines.
    ///
    /// @param now a value of the clock by which the receipts' deadlines were set
    static void refuseOverdue(Iterable<AcceptedEvent> events, long now) {
        for (var event : events) {
            if (event.receipt().isOverdue(now)) {
                event.receipt().decide(Receipt.ReceiptState.REFUSED);
            }
        }
    }

    /// False, because the sender of an event that is refused may send it again.
    @Override
    public boolean isRepeatable() {
        return false;
    }

    /// None, because the sender is waiting.
    @Override
    public int maxResting() {
        return 0;
    }

    @Override
    public UUID id(AcceptedEvent event) {
        return event.id().value();
    }

    @Override
    public boolean isRefused(AcceptedEvent event) {
        return event.receipt().isRefused();
    }

    @Override
    public void refuse(List<AcceptedEvent> events) {
        for (var event : events) {
            event.receipt().decide(Receipt.ReceiptState.REFUSED);
        }
    }

    @Override
    public void drop(AcceptedEvent event) {
        if (event.receipt().markDropped()) {
            try {
                listener().dropped(event);
            } catch (RuntimeException e) {
                logCrash(List.of(event), e);
            }
        }
    }

    @Override
    public void written(List<AcceptedEvent> events, List<AcceptedEvent> effective, long epoch) {
        for (var event : events) {
            event.receipt().decide(Receipt.ReceiptState.STORED);
        }
        try {
            listener().stored(events, epoch);
        } catch (RuntimeException e) {
            logCrash(events, e);
        }
    }

    /// Refuses and drops the events, except those already marked as stored.
    @Override
    public void givenUp(List<AcceptedEvent> events) {
        refuse(events);
        for (var event : events) {
            if (isRefused(event)) {
                drop(event);
            }
        }
    }

    @Override
    public AcceptedEvent atRest(AcceptedEvent event) {
        return event;
    }

    @Override
    public void logFailure(List<AcceptedEvent> events, boolean isLookUp, Throwable cause) {
        if (isLookUp) {
            log.atWarn()
                    .addKeyValue("events", events.size())
                    .setCause(cause)
                    .log("journal.find_failed");
        } else {
            log.atWarn()
                    .addKeyValue("events", events.size())
                    .setCause(cause)
                    .log("journal.commit_failed");
        }
    }

    @Override
    public void logRefusal(List<AcceptedEvent> events, boolean isDay, Throwable cause) {
        if (isDay) {
            log.atError()
                    .addKeyValue("events", events.size())
                    .addKeyValue("event_id", events.getFirst().id())
                    .setCause(cause)
                    .log("journal.day_refused");
        } else {
            events.forEach(event ->
                    log.atError()
                            .addKeyValue("event_id", event.id())
                            .setCause(cause)
                            .log("journal.event_refused"));
        }
    }

    @Override
    public void logCrash(List<AcceptedEvent> events, Throwable cause) {
        log.atError().addKeyValue("events", events.size()).setCause(cause).log("journal.crashed");
    }
}
