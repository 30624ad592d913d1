package dev.sluice.relay.store;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.CopyRows;
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

/// The usage of one batch, added up. Everything is counted in the hour of its event.
final class LedgerRow {

    static final int EVENTS = 1;
    static final int OUTCOMES = 2;
    static final int DELIVERIES = 3;

    private static final long HOUR_MILLIS = 3_600_000;

    private record Key(int kind, UUID key, int hour, int dim) {}

    private static final class Sum {
        private int count;
        private long size;
    }

    private final Map<Key, Sum> sums = new LinkedHashMap<>();

    void event(SourceId source, EventId event, Verification verification, int bodySize) {
        add(EVENTS, source.value(), event, verification.number(), bodySize);
    }

    void delivery(ConnectionId connection, EventId event, Trigger trigger) {
        add(DELIVERIES, connection.value(), event, trigger.number(), 0);
    }

    void outcome(ConnectionId connection, EventId event, DeliveryStatus status) {
        add(OUTCOMES, connection.value(), event, status.number(), 0);
    }

    private void add(int kind, UUID key, EventId event, int dim, int size) {
        var sum = sums.computeIfAbsent(new Key(kind, key, hourOf(event), dim), _ -> new Sum());
        sum.count++;
        sum.size += size;
    }

    /// Hours since 1970.
    static int hourOf(EventId event) {
        return (int) (Uuid7.timeOf(event.value()).toEpochMilli() / HOUR_MILLIS);
    }

    boolean isEmpty() {
        return sums.isEmpty();
    }

    /// @param source any one of the batch's
    void write(Tx tx, UUID batch, SourceId source) {
        var kinds = new ArrayList<Integer>();
        var keys = new ArrayList<UUID>();
        var hours = new ArrayList<Integer>();
        var dims = new ArrayList<Integer>();
        var counts = new ArrayList<Integer>();
        List<Long> sizes = new ArrayList<>();
        sums.forEach((key, sum) -> {
            kinds.add(key.kind());
            keys.add(key.key());
            hours.add(key.hour());
            dims.add(key.dim());
            counts.add(sum.count);
            sizes.add(sum.size);
        });
        tx.copy(
                """
                copy ledger (batch, source_id, kinds, keys, hours, dims, counts, sizes)
                from stdin (format binary)
                """,
                new CopyRows()
                        .row(8)
                        .uuid(batch)
                        .uuid(source.value())
                        .int2s(kinds)
                        .uuids(keys)
                        .int4s(hours)
                        .int2s(dims)
                        .int4s(counts)
                        .int8s(sizes));
    }
}
