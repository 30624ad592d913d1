package dev.sluice.relay.store;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Verification;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// The usage of one batch, added up. Everything is counted in the hour of its event, events in
/// their minute too.
final class LedgerRow {

    static final int EVENTS = 1;
    static final int OUTCOMES = 2;
    static final int DELIVERIES = 3;

    private static final long MINUTE_MILLIS = 60_000;
    private static final int HOUR_MINUTES = 60;

    /// @param minute of the hour; 0 where only the hour is counted
    private record Key(int kind, UUID key, int hour, int minute, int dim) {}

    private static final class Sum {
        private int count;
        private long size;
    }

    private final Map<Key, Sum> sums = new LinkedHashMap<>();

    void event(SourceId source, EventId event, Verification verification, int bodySize) {
        long minutes = minutes(event);
        int minute = (int) (minutes % HOUR_MINUTES);
        add(EVENTS, source.value(), minutes, minute, verification.number(), bodySize);
    }

    void delivery(ConnectionId connection, EventId event, Trigger trigger) {
        add(DELIVERIES, connection.value(), minutes(event), 0, trigger.number(), 0);
    }

    void outcome(ConnectionId connection, EventId event, DeliveryStatus status) {
        add(OUTCOMES, connection.value(), minutes(event), 0, status.number(), 0);
    }

    /// @param minutes since 1970
    private void add(int kind, UUID key, long minutes, int minute, int dim, int size) {
        int hour = (int) (minutes / HOUR_MINUTES);
        var sum = sums.computeIfAbsent(new Key(kind, key, hour, minute, dim), _ -> new Sum());
        sum.count++;
        sum.size += size;
    }

    /// Hours since 1970.
    static int hourOf(EventId event) {
        return (int) (minutes(event) / HOUR_MINUTES);
    }

    private static long minutes(EventId event) {
        return Uuid7.millisOf(event.value()) / MINUTE_MILLIS;
    }

    boolean isEmpty() {
        return sums.isEmpty();
    }

    /// @param source any one of the batch's
    void write(Tx tx, UUID batch, SourceId source) {
        var kinds = new ArrayList<Integer>();
        var keys = new ArrayList<UUID>();
        var hours = new ArrayList<Integer>();
        var minutes = new ArrayList<Integer>();
        var dims = new ArrayList<Integer>();
        var counts = new ArrayList<Integer>();
        List<Long> sizes = new ArrayList<>();
        sums.forEach((key, sum) -> {
            kinds.add(key.kind());
            keys.add(key.key());
            hours.add(key.hour());
            minutes.add(key.minute());
            dims.add(key.dim());
            counts.add(sum.count);
            sizes.add(sum.size);
        });
        tx.update(
                """
                insert into ledger (batch, source_id, kinds, keys, hours, minutes, dims,
                                    counts, sizes)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                batch,
                source.value(),
                kinds,
                keys,
                hours,
                minutes,
                dims,
                counts,
                sizes);
    }
}
