package dev.sluice.relay.circuit;

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

/// The rows of circuits. A destination that never failed has none.
final class CircuitStore {

    /// Everything that was not over at a look, and what stood there then.
    ///
    /// @param horizon transactions below it were over
    record Look(long horizon, Map<DestinationId, Stored> rows) {}

    private CircuitStore() {}

    /// Rows written by transactions that were not over below `horizon`. Those it can miss write
    /// later, and have a number above the horizon that it tells.
    static Look changedSince(Tx tx, long horizon) {
        long next =
                tx.single(
                        "select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon",
                        row -> row.number("horizon"));
        return new Look(
                next,
                byId(
                        tx.query(
                                "select * from circuit where changed >= ?",
                                CircuitStore::entry,
                                horizon)));
    }

    /// Locks the rows of all of these, made where there are none.
    static Map<DestinationId, Stored> lock(Tx tx, Collection<DestinationId> destinations) {
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

    /// Locks the row unless somebody has it: then that is the one who claims.
    static Optional<Stored> tryLock(Tx tx, DestinationId destination) {
        return tx.one(
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

    /// Over a row that is locked.
    ///
    /// @param error replaces the one that is known; gone when it is healthy
    static Stored write(
            Tx tx,
            DestinationId destination,
            Stored before,
            Circuit after,
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
                after.prober().map(Circuit.Prober::epoch).orElse(null),
                after.prober().map(Circuit.Prober::until).orElse(null),
                after.isHealthy(),
                error.map(text -> text.replace('\0', '\ufffd')).orElse(null),
                before.version() + 1,
                destination.value());
        return new Stored(after, before.version() + 1);
    }

    /// Those of destinations that are deleted.
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

    private static Map<DestinationId, Stored> byId(List<Map.Entry<DestinationId, Stored>> entries) {
        var stored = new HashMap<DestinationId, Stored>();
        entries.forEach(entry -> stored.put(entry.getKey(), entry.getValue()));
        return stored;
    }

    private static Map.Entry<DestinationId, Stored> entry(Row row) throws SQLException {
        Optional<Circuit.Prober> prober =
                row.isNull("probe_until")
                        ? Optional.empty()
                        : Optional.of(
                                new Circuit.Prober(
                                        row.number("probe_owner"), row.instant("probe_until")));
        var circuit =
                new Circuit(
                        Circuit.State.valueOf(row.text("state").toUpperCase(Locale.ROOT)),
                        row.integer("failures"),
                        Duration.ofMillis(row.number("cooldown_ms")),
                        row.integer("generation"),
                        row.instantOrNone("reopen_at"),
                        prober);
        return Map.entry(
                new DestinationId(row.uuid("destination_id")),
                new Stored(circuit, row.number("version")));
    }
}
