package dev.sluice.features.metrics;

import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.PlannerFeature;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.util.Map;
import java.util.TreeMap;

/// Reads a [DatabaseState] for the metrics. Reads only usage totals, the ledger, small tables, and
/// one row of `delivery_work`.
final class DatabaseStateQueries {

    private DatabaseStateQueries() {}

    /// @param tx a transaction started with [dev.sluice.platform.db.Db#snapshot], so that all
    ///   queries see the same data
    static DatabaseState read(Tx tx) {
        tx.disable(PlannerFeature.SORT, PlannerFeature.JIT);
        return new DatabaseState(
                WorkspaceTotalsQueries.read(tx),
                tx.findOne(
                        "select id from delivery_work order by id limit 1",
                        row -> Uuid7.timeOf(row.uuid("id"))),
                circuits(tx),
                lanes(tx),
                tx.single(
                        "select count(*) as n from node where state = 'live'",
                        row -> row.number("n")),
                tx.single("select checked_to from audit", row -> row.instantOrNone("checked_to")),
                WorkspaceStore.countSuspended(tx));
    }

    private static Map<String, Long> circuits(Tx tx) {
        Map<String, Long> circuits = new TreeMap<>(Map.of("open", 0L, "half_open", 0L));
        tx.query(
                "select state, count(*) as n from circuit where state <> 'closed' group by state",
                row -> circuits.put(row.text("state"), row.number("n")));
        return circuits;
    }

    private static Map<String, Long> lanes(Tx tx) {
        return tx.single(
                """
                select count(owner) as leased,
                       count(*) filter (where owner is null and wake_at < 'infinity') as waiting
                  from lane
                """,
                row -> Map.of("leased", row.number("leased"), "waiting", row.number("waiting")));
    }
}
