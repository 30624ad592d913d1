package dev.sluice.testkit;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.secret.RandomText;
import dev.sluice.platform.secret.Sealer;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Puts configuration into the database as another node would: whoever keeps it in memory learns of
/// it when it looks next.
public final class Given {

    /// Under which destinations' secrets are sealed here.
    public static final Sealer SEALER = new Sealer(new byte[32], new RandomText());

    private final Db db;
    private final WorkspaceId workspace = new WorkspaceId(Some.id());

    public Given(Db db) {
        this.db = db;
        db.run(tx ->
                tx.update(
                        """
                        insert into workspace (id, name, plan, created_at, updated_at, version)
                        values (?, 'Test', 'business', ?, ?, ?)
                        """,
                        workspace.value(),
                        Some.NOON,
                        Some.NOON,
                        nextVersion(tx)));
    }

    /// Empties every table that tests fill, so that the tests of a class can share a database.
    public static void nothing(Db db) {
        db.run(tx -> {
            for (String table :
                    List.of(
                            "ledger",
                            "rollup_hour",
                            "rollup_day",
                            "total",
                            "delivery_work",
                            "delivery",
                            "attempt",
                            "event",
                            "lane",
                            "circuit",
                            "node",
                            "connection",
                            "destination_revision",
                            "destination",
                            "source",
                            "workspace")) {
                tx.update("delete from " + table);
            }
        });
    }

    private static long nextVersion(Tx tx) {
        return tx.single(
                "update config_version set version = version + 1 returning version",
                row -> row.number("version"));
    }

    public SourceId source() {
        var id = new SourceId(Some.id());
        db.run(tx ->
                tx.update(
                        """
                        insert into source (id, workspace_id, name, color, token, status, created_at,
                                            updated_at, version)
                        values (?, ?, 'source', '#336699', ?, 'active', ?, ?, ?)
                        """,
                        id.value(),
                        workspace.value(),
                        "token" + id,
                        Some.NOON,
                        Some.NOON,
                        nextVersion(tx)));
        return id;
    }

    /// With two retries, after 30 s and after 2 min.
    ///
    /// @param host by which a sender can tell it from others
    public DestinationId destination(String host, int maxInFlight) {
        var id = new DestinationId(Some.id());
        db.run(tx ->
                tx.update(
                        """
                        insert into destination (id, workspace_id, name, url, timeout_ms, auth,
                                                 custom_headers, retry_intervals, max_in_flight, status,
                                                 revision, created_at, updated_at, version)
                        values (?, ?, 'destination', ?, 5000, ?, '{}', ?, ?, 'active', ?, ?, ?, ?)
                        """,
                        id.value(),
                        workspace.value(),
                        "https://" + host + "/",
                        SEALER.seal("{\"type\":\"none\"}", "destination:auth:" + id),
                        List.of(30, 120),
                        maxInFlight,
                        Some.id(),
                        Some.NOON,
                        Some.NOON,
                        nextVersion(tx)));
        return id;
    }

    public ConnectionId connection(SourceId source, DestinationId destination) {
        var id = new ConnectionId(Some.id());
        db.run(tx ->
                tx.update(
                        """
                        insert into connection (id, workspace_id, source_id, destination_id, enabled,
                                                created_at, updated_at, version)
                        values (?, ?, ?, ?, true, ?, ?, ?)
                        """,
                        id.value(),
                        workspace.value(),
                        source.value(),
                        destination.value(),
                        Some.NOON,
                        Some.NOON,
                        nextVersion(tx)));
        return id;
    }

    /// Many connections at once to one destination, each from a source of its own.
    public List<ConnectionId> connections(DestinationId destination, int count) {
        var sources = Stream.generate(Some::id).limit(count).toList();
        var ids = Stream.generate(Some::id).limit(count).toList();
        db.run(tx -> {
            long version = nextVersion(tx);
            tx.update(
                    """
                    insert into source (id, workspace_id, name, color, token, status, created_at,
                                        updated_at, version)
                    select id, ?, 'source', '#336699', 'token' || id, 'active', ?, ?, ?
                      from unnest(?::uuid[]) as id
                    """,
                    workspace.value(),
                    Some.NOON,
                    Some.NOON,
                    version,
                    sources);
            tx.update(
                    """
                    insert into connection (id, workspace_id, source_id, destination_id, enabled,
                                            created_at, updated_at, version)
                    select id, ?, source, ?, true, ?, ?, ?
                      from unnest(?::uuid[], ?::uuid[]) as one (id, source)
                    """,
                    workspace.value(),
                    destination.value(),
                    Some.NOON,
                    Some.NOON,
                    version,
                    ids,
                    sources);
        });
        return ids.stream().map(ConnectionId::new).toList();
    }

    public void paused(SourceId source, boolean isPaused) {
        change(
                "update source set status = ?, version = ? where id = ?",
                status(isPaused),
                source.value());
    }

    public void paused(DestinationId destination, boolean isPaused) {
        change(
                "update destination set status = ?, version = ? where id = ?",
                status(isPaused),
                destination.value());
    }

    private static String status(boolean isPaused) {
        return isPaused ? "paused" : "active";
    }

    public void trashed(SourceId source) {
        change(
                "update source set trashed_at = ?, version = ? where id = ?",
                Some.NOON,
                source.value());
    }

    public void restored(SourceId source) {
        change("update source set trashed_at = ?, version = ? where id = ?", null, source.value());
    }

    public void rateLimit(DestinationId destination, Optional<Integer> perSecond) {
        change(
                "update destination set rate_per_second = ?, version = ? where id = ?",
                perSecond.orElse(null),
                destination.value());
    }

    public void enabled(ConnectionId connection, boolean isEnabled) {
        change(
                "update connection set enabled = ?, version = ? where id = ?",
                isEnabled,
                connection.value());
    }

    public void deleted(ConnectionId connection) {
        change(
                "update connection set deleted_at = ?, version = ? where id = ?",
                Some.NOON,
                connection.value());
    }

    public void deleted(DestinationId destination) {
        change(
                "update destination set deleted_at = ?, version = ? where id = ?",
                Some.NOON,
                destination.value());
    }

    private void change(String sql, @Nullable Object value, Object id) {
        db.run(tx -> tx.update(sql, value, nextVersion(tx), id));
    }
}
