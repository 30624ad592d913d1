package dev.sluice.relay.dispatch;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Halving;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Payload;
import dev.sluice.relay.store.Lanes;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Reads the payloads of waiting deliveries, and finds those that are damaged.
///
/// The database refuses a whole statement for one damaged payload. The events are then read in
/// halves, until each damaged one is alone. It counts as unreadable once it could not be read in
/// two loads that are a second apart, for a reason that lies in the stored value. A database that
/// refuses for now never makes a payload unreadable. Owned by the backlog's thread.
final class PayloadReader {

    /// What was read.
    ///
    /// @param payloads events that no longer exist are missing
    /// @param suspects events whose payload could not be read this time
    /// @param unreadable events whose payload cannot be read, each with the database's last answer
    record PayloadRead(
            Map<EventId, Payload> payloads,
            Map<EventId, RuntimeException> suspects,
            Map<EventId, RuntimeException> unreadable) {}

    /// The least time between the two loads.
    static final Duration SECOND_LOAD_DELAY = Duration.ofSeconds(1);

    /// After this time a suspect is forgotten: its lane has gone to another node.
    private static final Duration SUSPECT_TIMEOUT = Duration.ofMinutes(5);

    private final Lanes lanes;
    private final InstantSource clock;

    /// When each suspect was found. Empty unless a payload is damaged.
    private final Map<EventId, Instant> suspects = new HashMap<>();

    PayloadReader(Lanes lanes, InstantSource clock) {
        this.lanes = lanes;
        this.clock = clock;
    }

    /// @throws RuntimeException when the database refuses for another reason than a damaged value
    PayloadRead read(SourceId source, Collection<EventId> events) {
        var payloads = new HashMap<EventId, Payload>();
        var failed =
                Halving.run(
                        List.copyOf(events),
                        part -> payloads.putAll(lanes.payloads(source, part)),
                        e -> e instanceof DbException refused && refused.isUnreadableValue());
        var suspected = new HashMap<EventId, RuntimeException>();
        var unreadable = new HashMap<EventId, RuntimeException>();
        if (!suspects.isEmpty() || !failed.isEmpty()) {
            var now = clock.instant();
            suspects.keySet().removeAll(payloads.keySet());
            suspects.values().removeIf(since -> since.plus(SUSPECT_TIMEOUT).isBefore(now));
            failed.forEach((event, e) -> {
                var since = suspects.computeIfAbsent(event, _ -> now);
                boolean isSecond = !since.plus(SECOND_LOAD_DELAY).isAfter(now);
                (isSecond ? unreadable : suspected).put(event, e);
            });
            suspects.keySet().removeAll(unreadable.keySet());
        }
        return new PayloadRead(payloads, suspected, unreadable);
    }
}
