package dev.sluice.relay.store;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Unfinished deliveries by the age of their events, and the end of those that are expired. Ids are
/// ages, so each look is a range of the primary key.
public final class ExpiryStore {

    private ExpiryStore() {}

    /// A stretch of events by their arrival, and a place in it to go on from.
    ///
    /// @param after an id that was looked at already
    /// @param before arrival, exclusive
    public record Stretch(UUID after, Instant before) {

        public static Stretch between(Instant from, Instant before) {
            return new Stretch(Uuid7.floor(from), before);
        }

        public Stretch from(Work last) {
            return new Stretch(last.id().value(), before);
        }
    }

    /// Deliveries of these sources that no node has in memory as its own.
    public static List<Work> waiting(
            Tx tx, Collection<SourceId> sources, Stretch stretch, int limit) {
        beBrief(tx);
        return tx.query(
                """
                select id, source_id, connection_id, trigger, attempts, created_at
                  from delivery_work
                 where source_id = any (?) and id > ? and id < ? and owner is null
                 order by id
                 limit ?
                """,
                ExpiryStore::work,
                sources.stream().map(SourceId::value).toList(),
                stretch.after(),
                Uuid7.floor(stretch.before()),
                limit);
    }

    /// Deliveries of these sources, whoever has them.
    public static List<Work> unfinished(
            Tx tx, Collection<SourceId> sources, Stretch stretch, int limit) {
        beBrief(tx);
        return tx.query(
                """
                select id, source_id, connection_id, trigger, attempts, created_at
                  from delivery_work
                 where source_id = any (?) and id > ? and id < ?
                 order by id
                 limit ?
                """,
                ExpiryStore::work,
                sources.stream().map(SourceId::value).toList(),
                stretch.after(),
                Uuid7.floor(stretch.before()),
                limit);
    }

    /// Deliveries of any source, whoever has them.
    public static List<Work> leftBefore(Tx tx, Instant before, int limit) {
        beBrief(tx);
        return tx.query(
                """
                select id, source_id, connection_id, trigger, attempts, created_at
                  from delivery_work
                 where id < ?
                 order by id
                 limit ?
                """,
                ExpiryStore::work,
                Uuid7.floor(before),
                limit);
    }

    /// The statistics of the table are out of date, and its primary key serves each look, in its
    /// order: from its guess of a stretch PostgreSQL may prefer to collect all of it and sort.
    private static void beBrief(Tx tx) {
        tx.update("set local enable_seqscan = off");
        tx.update("set local enable_sort = off");
        tx.update("set local jit = off");
    }

    /// Ends deliveries as any result does: out of work and into history, with their count, and only
    /// where the row stands at the same attempt. Those that it ended.
    public static List<Settled> end(Tx tx, List<Work> works, UUID batchId, Instant now) {
        beBrief(tx);
        var batch =
                works.stream()
                        .<Settled>map(work ->
                                new Settled.Finished(
                                        work,
                                        DeliveryStatus.FAILED,
                                        Optional.empty(),
                                        Optional.of(ErrorCode.EVENT_EXPIRED),
                                        now))
                        .toList();
        return ResultStore.write(tx, batch, batchId, 0);
    }

    /// Removes deliveries whose day is gone, so that history has no place for them. How many.
    public static int discard(Tx tx, List<Work> works) {
        var sources = new HashSet<UUID>();
        works.forEach(work -> sources.add(work.source().value()));
        return tx.update(
                "delete from delivery_work where id = any (?) and source_id = any (?)",
                works.stream().map(work -> work.id().value()).toList(),
                sources);
    }

    private static Work work(Row row) throws SQLException {
        return new Work(
                new DeliveryId(row.uuid("id")),
                new SourceId(row.uuid("source_id")),
                new ConnectionId(row.uuid("connection_id")),
                Trigger.numbered(row.integer("trigger")),
                row.integer("attempts"),
                row.instantOrNone("created_at"));
    }
}
