package dev.sluice.features.streams;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.db.TxSnapshot;
import dev.sluice.platform.id.Uuid7;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/// Reads the delivery outcomes that streams send. An outcome shows how a delivery ended.
final class OutcomeQueries {

    private static final String COLUMNS =
            """
            select delivery.id, delivery.source_id, connection_id, destination_id, delivery.status, attempts,
                   response_status, error_code, finished_at, delivery.xmin::text::bigint as xid_low
            """;

    /// Where to find the outcomes that certain commits stored: ranges of delivery ids, and
    /// individual ids.
    record OutcomeLocations(List<OutcomeRange> ranges, List<UUID> listed) {

        boolean isEmpty() {
            return ranges.isEmpty() && listed.isEmpty();
        }
    }

    /// @param to the last id in the range
    record OutcomeRange(UUID from, UUID to) {}

    /// @param xidLow the low 32 bits of the id of the transaction that stored the outcome
    record OutcomeRow(StreamOutcome outcome, long xidLow) {}

    private OutcomeQueries() {}

    /// Returns where to find the outcomes that the snapshot `since` does not see. Commits whose log
    /// rows have been compacted are left out, because the log no longer shows where their outcomes
    /// are.
    static OutcomeLocations locations(Tx tx, TxSnapshot since) {
        var ranges = new ArrayList<OutcomeRange>();
        var listed = new ArrayList<UUID>();
        tx.query(
                        """
                        select outcomes_from, outcomes_to, outcomes
                          from commit_log
                         where xid >= ?
                           and not pg_visible_in_snapshot(xid::text::xid8, ?::pg_snapshot)
                           and (outcomes_from is not null or outcomes is not null)
                         order by outcomes_from
                        """,
                        row -> {
                            listed.addAll(row.uuids("outcomes"));
                            return row.isNull("outcomes_from")
                                    ? Optional.<OutcomeRange>empty()
                                    : Optional.of(
                                            new OutcomeRange(
                                                    row.uuid("outcomes_from"),
                                                    row.uuid("outcomes_to")));
                        },
                        since.oldestRunning(),
                        since.toString())
                .forEach(range -> range.ifPresent(found -> merge(ranges, found)));
        return new OutcomeLocations(ranges, listed);
    }

    /// Adds `next` to the ranges, or merges it with the last range if the two overlap. `next` must
    /// not begin before the last range.
    private static void merge(List<OutcomeRange> ranges, OutcomeRange next) {
        if (!ranges.isEmpty()
                && Uuid7.UNSIGNED_ORDER.compare(next.from(), ranges.getLast().to()) <= 0) {
            var last = ranges.removeLast();
            ranges.add(new OutcomeRange(last.from(), Uuid7.max(last.to(), next.to())));
        } else {
            ranges.add(next);
        }
    }

    /// Returns the id of the newest transaction whose log row has been compacted, or 0 if there is
    /// none. The log no longer shows where to find the outcomes from this transaction and earlier
    /// ones.
    static long compactedTo(Tx tx) {
        return tx.single(
                """
                select coalesce(max(xid), 0) as xid from commit_log where compacted_at is not null
                """,
                row -> row.number("xid"));
    }

    /// Returns up to `limit` outcomes that belong to these sources, are at these locations and have
    /// ids greater than `after`, ordered by id.
    static List<OutcomeRow> outcomes(
            Tx tx,
            Collection<SourceId> sources,
            OutcomeLocations locations,
            UUID after,
            int limit) {
        var found = new TreeMap<UUID, OutcomeRow>(Uuid7.UNSIGNED_ORDER);
        var ids = sources.stream().map(SourceId::value).toList();
        for (var range : locations.ranges()) {
            if (found.size() >= limit) {
                break;
            }
            tx.query(
                            COLUMNS
                                    + """
                                      from delivery
                                      join connection on connection.id = connection_id
                                     where delivery.id >= ? and delivery.id <= ? and delivery.id > ?
                                       and delivery.source_id = any (?)
                                     order by delivery.id
                                     limit ?
                                    """,
                            OutcomeQueries::outcome,
                            range.from(),
                            range.to(),
                            after,
                            ids,
                            limit)
                    .forEach(row -> found.put(row.outcome().id(), row));
        }
        if (!locations.listed().isEmpty()) {
            tx.query(
                            COLUMNS
                                    + """
                                      from delivery
                                      join connection on connection.id = connection_id
                                     where delivery.id = any (?) and delivery.id > ?
                                       and delivery.source_id = any (?)
                                     order by delivery.id
                                     limit ?
                                    """,
                            OutcomeQueries::outcome,
                            locations.listed(),
                            after,
                            ids,
                            limit)
                    .forEach(row -> found.put(row.outcome().id(), row));
        }
        return found.values().stream().limit(limit).toList();
    }

    private static OutcomeRow outcome(Row row) throws SQLException {
        return new OutcomeRow(
                new StreamOutcome(
                        new DeliveryId(row.uuid("id")),
                        new SourceId(row.uuid("source_id")),
                        new ConnectionId(row.uuid("connection_id")),
                        new DestinationId(row.uuid("destination_id")),
                        DeliveryStatus.fromNumber(row.integer("status")),
                        new StreamOutcome.LastAttempt(
                                row.integer("attempts"),
                                row.integerOrNone("response_status"),
                                row.integerOrNone("error_code").map(ErrorCode::fromNumber)),
                        row.instant("finished_at")),
                row.number("xid_low"));
    }
}
