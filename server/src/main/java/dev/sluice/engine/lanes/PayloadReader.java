package dev.sluice.engine.lanes;

import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Halving;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Reads the payloads of waiting deliveries and finds those that are damaged.
///
/// If one payload is damaged, the whole read fails. The events are then read in halves, until each
/// event with a damaged payload has been isolated. A payload counts as unreadable once two loads,
/// at least a second apart, have failed to read its stored value. A database that is only
/// temporarily unavailable never makes a payload count as unreadable. Not thread-safe.
final class PayloadReader {

    /// The result of one read.
    ///
    /// @param payloads the payloads that could be read; events that no longer exist have no entry
    /// @param suspects events whose payload could not be read this time, but does not count as
    ///   unreadable yet
    /// @param unreadable events whose payload cannot be read, each with the last failure
    record PayloadRead(
            Map<EventId, Payload> payloads,
            Map<EventId, RuntimeException> suspects,
            Map<EventId, RuntimeException> unreadable) {}

    /// The minimum time between the two failed loads after which a payload counts as unreadable.
    static final Duration SECOND_LOAD_DELAY = Duration.ofSeconds(1);

    /// After this time, a suspect is forgotten, because another node has probably leased its lane.
    private static final Duration SUSPECT_TIMEOUT = Duration.ofMinutes(5);

    private final Lanes lanes;
    private final InstantSource clock;

    /// For each suspect, the time of the first load that failed to read its payload. Empty unless a
    /// payload is damaged.
    private final Map<EventId, Instant> suspects = new HashMap<>();

    PayloadReader(Lanes lanes, InstantSource clock) {
        this.lanes = lanes;
        this.clock = clock;
    }

    /// Reads the payloads of these events, which all belong to one source.
    ///
    /// @throws RuntimeException if the database fails for a reason other than a damaged value
    PayloadRead read(SourceId source, Collection<EventId> events) {
        var payloads = new HashMap<EventId, Payload>();
        var failed =
                Halving.run(
                        List.copyOf(events),
                        part -> payloads.putAll(lanes.payloads(source, part)),
                        PayloadReader::isDamaged);
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

    private static boolean isDamaged(RuntimeException e) {
        return e instanceof DbException refused && refused.isUnreadableValue();
    }
}
