package dev.sluice.testkit;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.secret.Sealer;
import dev.sluice.platform.secret.SecretGenerator;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Writes configuration directly into the database, as another node would. A cache of the
/// configuration sees a change at its next read.
public final class Given {

    /// Seals the secrets of the destinations made here.
    public static final Sealer SEALER = new Sealer(new byte[32], new SecretGenerator());

    private final Db db;
    private final WorkspaceId workspace = new WorkspaceId(Some.id());

    public Given(Db db) {
        this.db = db;
        db.run(tx -> insertWorkspace(tx, workspace, "Test", "business", Some.NOON));
    }

    public static void insertWorkspace(
            Tx tx, WorkspaceId id, String name, String plan, Instant createdAt) {
        tx.update(
                """
                insert into workspace (id, name, plan, created_at, updated_at, version)
                values (?, ?, ?, ?, ?, ?)
                """,
                id.value(),
                name,
                plan,
                createdAt,
                createdAt,
                nextVersion(tx));
    }

    /// Empties every table that tests fill, so that the tests of a class can share a database.
    public static void clearTables(Db db) {
        db.run(tx -> {
            for (String table :
                    List.of(
                            "alert_config",
                            "alert_incident",
                            "alert_news",
                            "alert_message",
                            "alert_use",
                            "mailbox_confirmation",
                            "ledger",
                            "rollup_hour",
                            "rollup_day",
                            "total",
                            "delivery_work",
                            "delivery",
                            "dismissal",
                            "attempt",
                            "event",
                            "lane",
                            "circuit",
                            "open_stream",
                            "node",
                            "connection",
                            "destination_revision",
                            "destination",
                            "source",
                            "retired_token",
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
        db.run(tx -> insertSource(tx, id, workspace, Some.NOON));
        return id;
    }

    public static void insertSource(Tx tx, SourceId id, WorkspaceId workspace, Instant createdAt) {
        tx.update(
                """
                insert into source (id, workspace_id, name, color, token, status, created_at,
                                    updated_at, version)
                values (?, ?, 'source', '#336699', ?, 'active', ?, ?, ?)
                """,
                id.value(),
                workspace.value(),
                "token" + id,
                createdAt,
                createdAt,
                nextVersion(tx));
    }

    /// Inserts a person who cannot sign in, because no password has this hash.
    public static void insertAccount(Tx tx, UUID id, Instant createdAt) {
        tx.update(
                """
                insert into account (id, email, name, password_hash, created_at)
                values (?, ?, 'Somebody', 'none', ?)
                """,
                id,
                id + "@example.com",
                createdAt);
    }

    /// Inserts a destination with two retries, after 30 s and after 2 min.
    ///
    /// @param host identifies the destination to a test sender
    public DestinationId destination(String host, int maxInFlight) {
        var id = new DestinationId(Some.id());
        db.run(tx ->
                tx.update(
                        """
                        insert into destination (id, workspace_id, name, url, timeout_ms, auth,
                                                 retry_intervals, max_in_flight, status,
                                                 revision, created_at, updated_at, version)
                        values (?, ?, 'destination', ?, 5000, ?, ?, ?, 'active', ?, ?, ?, ?)
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

    /// A connection and its source.
    public record ConnectedSource(SourceId source, ConnectionId connection) {}

    /// Many connections at once to one destination, each from a source of its own.
    public List<ConnectionId> connections(DestinationId destination, int count) {
        return connectedSources(destination, count).stream()
                .map(ConnectedSource::connection)
                .toList();
    }

    /// Many connections at once to one destination, each from a source of its own.
    public List<ConnectedSource> connectedSources(DestinationId destination, int count) {
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
        return IntStream.range(0, count)
                .mapToObj(i ->
                        new ConnectedSource(
                                new SourceId(sources.get(i)), new ConnectionId(ids.get(i))))
                .toList();
    }

    /// A destination and the connection to it.
    public record ConnectedDestination(DestinationId destination, ConnectionId connection) {}

    /// Many destinations at once, all on one host and connected to one source.
    public List<ConnectedDestination> connectedDestinations(
            SourceId source, String host, int maxInFlight, int count) {
        var destinations = Stream.generate(Some::id).limit(count).toList();
        var ids = Stream.generate(Some::id).limit(count).toList();
        db.run(tx -> {
            long version = nextVersion(tx);
            tx.updateEach(
                    """
                    insert into destination (id, workspace_id, name, url, timeout_ms, auth,
                                             retry_intervals, max_in_flight, status,
                                             revision, created_at, updated_at, version)
                    values (?, ?, 'destination', ?, 5000, ?, ?, ?, 'active', ?, ?, ?, ?)
                    """,
                    destinations.stream()
                            .map(id ->
                                    List.<Object>of(
                                            id,
                                            workspace.value(),
                                            "https://" + host + "/",
                                            SEALER.seal(
                                                    "{\"type\":\"none\"}",
                                                    "destination:auth:" + new DestinationId(id)),
                                            List.of(30, 120),
                                            maxInFlight,
                                            Some.id(),
                                            Some.NOON,
                                            Some.NOON,
                                            version))
                            .toList());
            tx.update(
                    """
                    insert into connection (id, workspace_id, source_id, destination_id, enabled,
                                            created_at, updated_at, version)
                    select id, ?, ?, destination, true, ?, ?, ?
                      from unnest(?::uuid[], ?::uuid[]) as one (id, destination)
                    """,
                    workspace.value(),
                    source.value(),
                    Some.NOON,
                    Some.NOON,
                    version,
                    ids,
                    destinations);
        });
        return IntStream.range(0, count)
                .mapToObj(i ->
                        new ConnectedDestination(
                                new DestinationId(destinations.get(i)),
                                new ConnectionId(ids.get(i))))
                .toList();
    }

    public void paused(SourceId source, boolean isPaused) {
        update(
                "update source set status = ?, version = ? where id = ?",
                status(isPaused),
                source.value());
    }

    public void paused(DestinationId destination, boolean isPaused) {
        update(
                "update destination set status = ?, version = ? where id = ?",
                status(isPaused),
                destination.value());
    }

    private static String status(boolean isPaused) {
        return isPaused ? "paused" : "active";
    }

    public void trashed(SourceId source) {
        update(
                "update source set trashed_at = ?, version = ? where id = ?",
                Some.NOON,
                source.value());
    }

    public void restored(SourceId source) {
        update("update source set trashed_at = ?, version = ? where id = ?", null, source.value());
    }

    public void rateLimit(DestinationId destination, Optional<Integer> perSecond) {
        update(
                "update destination set rate_per_second = ?, version = ? where id = ?",
                perSecond.orElse(null),
                destination.value());
    }

    public void enabled(ConnectionId connection, boolean isEnabled) {
        update(
                "update connection set enabled = ?, version = ? where id = ?",
                isEnabled,
                connection.value());
    }

    public void deleted(ConnectionId connection) {
        update(
                "update connection set deleted_at = ?, version = ? where id = ?",
                Some.NOON,
                connection.value());
    }

    public void deleted(DestinationId destination) {
        update(
                "update destination set deleted_at = ?, version = ? where id = ?",
                Some.NOON,
                destination.value());
    }

    private void update(String sql, @Nullable Object value, Object id) {
        db.run(tx -> tx.update(sql, value, nextVersion(tx), id));
    }
}
