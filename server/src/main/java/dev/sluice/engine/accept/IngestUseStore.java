package dev.sluice.engine.accept;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// Stores how many requests each node accepted for each source and minute, so that nodes can add up
/// their counts.
final class IngestUseStore {

    private IngestUseStore() {}

    /// Deletes the counts for minutes before `minute`.
    static void deleteBefore(Tx tx, long minute) {
        tx.update("delete from ingest_use where minute < ?", minute);
    }

    /// Stores how many requests this node has accepted for each source so far in the minute.
    /// Replaces earlier counts.
    static void save(Tx tx, long minute, UUID node, Map<SourceId, Integer> counts) {
        tx.updateEach(
                """
                insert into ingest_use (minute, source_id, node, n)
                values (?, ?, ?, ?)
                on conflict (minute, source_id, node) do update set n = excluded.n
                """,
                counts.entrySet().stream()
                        .map(entry ->
                                List.of(minute, entry.getKey().value(), node, entry.getValue()))
                        .toList());
    }

    /// Returns, for each source that has any, how many requests all other nodes together have
    /// accepted in the minute.
    static Map<SourceId, Integer> countsOfOthers(Tx tx, long minute, UUID node) {
        var others = new HashMap<SourceId, Integer>();
        tx.query(
                        """
                        select source_id, sum(n)::integer as n
                          from ingest_use
                         where minute = ? and node <> ?
                         group by source_id
                        """,
                        row -> Map.entry(new SourceId(row.uuid("source_id")), row.integer("n")),
                        minute,
                        node)
                .forEach(entry -> others.put(entry.getKey(), entry.getValue()));
        return others;
    }
}
