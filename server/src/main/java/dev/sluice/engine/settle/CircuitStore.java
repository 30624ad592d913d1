package dev.sluice.engine.settle;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The SQL for the `circuit` table. A destination that has never failed has no row.
final class CircuitStore {

    /// The rows that changed since an earlier read.
    ///
    /// @param horizon the value to pass to the next read; see [#changedSince]
    record CircuitChanges(long horizon, Map<DestinationId, StoredCircuit> rows) {}

    private CircuitStore() {}

    /// Returns all rows that changed since the read that returned `horizon`. May also return some
    /// rows that the earlier read already returned. Runs one statement.
    ///
    /// The new horizon is the id of the oldest transaction still running. All transactions with
    /// lower ids have ended, so the rows that they changed are in this result or an earlier one.
    static CircuitChanges changedSince(Tx tx, long horizon) {
        var rows =
                tx.query(
                        """
                        select circuit.*, horizon
                          from (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint)
                                 as present (horizon)
                          left join circuit on changed >= ?
                        """,
                        row ->
                                new ChangedRow(
                                        row.number("horizon"),
                                        row.isNull("destination_id")
                                                ? Optional.empty()
                                                : Optional.of(entry(row))),
                        horizon);
        return new CircuitChanges(
                rows.getFirst().horizon(),
                byId(rows.stream().flatMap(row -> row.circuit().stream()).toList()));
    }

    /// @param circuit empty if no circuit has changed; in that case this is the only row
    private record ChangedRow(
            long horizon, Optional<Map.Entry<DestinationId, StoredCircuit>> circuit) {}

    /// Locks the rows of these destinations and returns them. Inserts missing rows first. Waits at
    /// most 500 ms for each lock, so that a frozen process does not hold up the others for long.
    static Map<DestinationId, StoredCircuit> lock(Tx tx, Collection<DestinationId> destinations) {
        tx.update("set local lock_timeout = '500ms'");
        var ids = destinations.stream().map(DestinationId::value).sorted().toList();
        tx.updateEach(
                """
                insert into circuit (destination_id, state, failures, cooldown_ms, generation)
                values (?, 'closed', 0, 0, 0)
                on conflict (destination_id) do nothing
                """,
                ids.stream().map(List::of).toList());
        return byId(
                tx.query(
                        """
                        select *
                          from circuit
                         where destination_id = any (?)
                         order by destination_id
                           for update
                        """,
                        CircuitStore::entry,
                        ids));
    }

    /// Locks and returns the destination's row. Returns empty if there is no row, or if another
    /// transaction has locked it, for example because another node is claiming the probe.
    static Optional<StoredCircuit> tryLock(Tx tx, DestinationId destination) {
        return tx.findOne(
                        """
                        select *
                          from circuit
                         where destination_id = ?
                           for update skip locked
                        """,
                        CircuitStore::entry,
                        destination.value())
                .map(Map.Entry::getValue);
    }

    /// Overwrites a row that the caller has locked, and returns the row with its new version.
    ///
    /// @param error replaces the stored error; if empty, the stored error is kept. If `after` is
    ///   healthy, the stored error is removed in either case
    static StoredCircuit write(
            Tx tx,
            DestinationId destination,
            StoredCircuit before,
            CircuitBreaker after,
            Optional<String> error) {
        tx.update(
                """
                update circuit
                   set state = ?, failures = ?, cooldown_ms = ?, generation = ?, reopen_at = ?,
                       probe_owner = ?, probe_until = ?,
                       last_error = case when ? then null else coalesce(?, last_error) end,
                       version = ?, changed = pg_current_xact_id()::text::bigint
                 where destination_id = ?
                """,
                after.state().name().toLowerCase(Locale.ROOT),
                after.failures(),
                after.cooldown().toMillis(),
                after.generation(),
                after.reopenAt().orElse(null),
                after.probeClaim().map(CircuitBreaker.ProbeClaim::epoch).orElse(null),
                after.probeClaim().map(CircuitBreaker.ProbeClaim::until).orElse(null),
                after.isHealthy(),
                error.map(text -> text.replace('\0', '\ufffd')).orElse(null),
                before.version() + 1,
                destination.value());
        return new StoredCircuit(after, before.version() + 1);
    }

    /// Deletes the rows of deleted destinations.
    static void forgetDeleted(Tx tx) {
        tx.update(
                """
                delete from circuit
                 where destination_id in (select id from destination where deleted_at is not null)
                """);
    }

    static Set<DestinationId> known(Tx tx) {
        return new HashSet<>(
                tx.query(
                        "select destination_id from circuit",
                        row -> new DestinationId(row.uuid("destination_id"))));
    }

    private static Map<DestinationId, StoredCircuit> byId(
            List<Map.Entry<DestinationId, StoredCircuit>> entries) {
        var stored = new HashMap<DestinationId, StoredCircuit>();
        entries.forEach(entry -> stored.put(entry.getKey(), entry.getValue()));
        return stored;
    }

    private static Map.Entry<DestinationId, StoredCircuit> entry(Row row) throws SQLException {
        Optional<CircuitBreaker.ProbeClaim> probeClaim =
                row.isNull("probe_until")
                        ? Optional.empty()
                        : Optional.of(
                                new CircuitBreaker.ProbeClaim(
                                        row.number("probe_owner"), row.instant("probe_until")));
        var circuit =
                new CircuitBreaker(
                        CircuitBreaker.CircuitState.valueOf(
                                row.text("state").toUpperCase(Locale.ROOT)),
                        row.integer("failures"),
                        Duration.ofMillis(row.number("cooldown_ms")),
                        row.integer("generation"),
                        row.instantOrNone("reopen_at"),
                        probeClaim);
        return Map.entry(
                new DestinationId(row.uuid("destination_id")),
                new StoredCircuit(circuit, row.number("version")));
    }
}
