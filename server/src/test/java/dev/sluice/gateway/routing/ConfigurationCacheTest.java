package dev.sluice.gateway.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.gateway.connection.ConnectionStore;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.loop.Wake;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

/// A node has in memory what lives, and finds what was deleted when it is asked about it.
class ConfigurationCacheTest {

    private static final int LIVE_CONNECTIONS = 20_000;
    private static final int PURGED_SOURCES = 40_000;

    private static final String APART = "apart";

    private static final Database DATABASE = TestPostgres.newDatabase();

    private final Db db = emptied();
    private final Given given = new Given(db);
    private final SourceStore sources = new SourceStore(Given.SEALER);
    private final DestinationStore destinations = new DestinationStore(Given.SEALER);
    private final Wake changed = new Wake();

    private static Db emptied() {
        var db = TestPostgres.open(DATABASE);
        Given.clearTables(db);
        return db;
    }

    @AfterEach
    void close() {
        db.close();
    }

    private ConfigurationCache opened() {
        return ConfigurationCache.open(db, sources, destinations, changed);
    }

    /// Reads everything on connections of its own, as a start does. PostgreSQL has counted their
    /// rows once their sessions have ended.
    private MeasuredRead readAll() {
        long before = db.statement(ConfigurationCacheTest::rowsReadByEndedSessions);
        ConfigurationChanges changes;
        try (var own = openApart()) {
            changes = ConfigurationChanges.readAll(own, sources, destinations);
        }
        awaitEndOfSessions();
        long after = db.statement(ConfigurationCacheTest::rowsReadByEndedSessions);
        return new MeasuredRead(changes, after - before);
    }

    private static Db openApart() {
        return Db.open(DATABASE, APART, 4, Duration.ofMinutes(1));
    }

    private void awaitEndOfSessions() {
        await().until(() ->
                db.statement(tx ->
                        tx.<Long>single(
                                """
                                select count(*) as n
                                  from pg_stat_activity
                                 where datname = current_database() and application_name = ?
                                """,
                                row -> row.number("n"),
                                "sluice " + APART))
                        == 0);
    }

    /// Counts the rows read by sessions that have ended.
    private static long rowsReadByEndedSessions(Tx tx) {
        return rowsRead(tx, "pg_stat_user_tables");
    }

    /// What a look for changes read.
    private record MeasuredRead(ConfigurationChanges changes, long rows) {}

    private MeasuredRead read(long known) {
        return db.snapshot(tx -> {
            long before = rowsRead(tx);
            var changes = ConfigurationChanges.read(tx, known, sources, destinations);
            return new MeasuredRead(changes, rowsRead(tx) - before);
        });
    }

    /// Counts from the session's last report to the statistics, which may be transactions ago.
    private static long rowsRead(Tx tx) {
        return rowsRead(tx, "pg_stat_xact_user_tables");
    }

    private static long rowsRead(Tx tx, String statistics) {
        return tx.single(
                """
                select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint as n
                  from %s
                 where relname in ('source', 'destination', 'connection')
                """
                        .formatted(statistics),
                row -> row.number("n"));
    }

    /// As autovacuum does within a minute.
    private void analyze() {
        db.run(tx -> tx.update("analyze source, destination, connection"));
    }

    private static void purgeAllSources(Db db) {
        db.run(tx -> {
            tx.update("update config_version set version = version + 1");
            tx.update(
                    """
                    update source
                       set trashed_at = ?, purged_at = ?, version = (select version from config_version)
                    """,
                    Some.NOON,
                    Some.NOON);
            tx.update(
                    """
                    update connection
                       set deleted_at = ?, version = (select version from config_version)
                    """,
                    Some.NOON);
        });
    }

    @Test
    void a_start_reads_what_lives_and_nothing_of_what_was_deleted() {
        List<Given.ConnectedSource> live;
        try (var apart = openApart()) {
            var rows = new Given(apart);
            var gone = rows.destination("gone.example", 4);
            rows.connectedSources(gone, PURGED_SOURCES);
            purgeAllSources(apart);
            rows.deleted(gone);
            live = rows.connectedSources(rows.destination("live.example", 4), LIVE_CONNECTIONS);
        }
        awaitEndOfSessions();

        var start = readAll();
        // Each connection and its source, the destination.
        assertThat(start.rows())
                .isBetween(2 * LIVE_CONNECTIONS + 1L, 2 * LIVE_CONNECTIONS + 1_000L);
        var snapshot =
                SnapshotBuilder.build(
                        ConfigurationSnapshot.EMPTY, start.changes(), new DeletedConnections());
        assertThat(snapshot.sources()).hasSize(LIVE_CONNECTIONS);
        assertThat(snapshot.destinations()).hasSize(1);
        assertThat(snapshot.connections()).hasSize(LIVE_CONNECTIONS);
        assertThat(snapshot.ingestRoutes()).hasSize(LIVE_CONNECTIONS);

        analyze();
        given.enabled(live.getFirst().connection(), false);
        var change = read(start.changes().version());
        assertThat(change.changes().connections()).hasSize(1);
        assertThat(change.rows()).isLessThanOrEqualTo(10);
    }

    @Test
    void a_start_does_not_read_erased_workspaces() {
        db.run(tx ->
                tx.update(
                        """
                        insert into workspace (id, name, plan, created_at, updated_at, version,
                                               deleted_at, erased_at)
                        select gen_random_uuid(), '', plan, created_at, updated_at, version, now(), now()
                          from workspace, generate_series(1, 100)
                        """));

        assertThat(ConfigurationChanges.readAll(db, sources, destinations).workspaces()).hasSize(1);
    }

    @Test
    void what_is_purged_leaves_the_memory_of_a_running_node() {
        var destination = given.destination("a.example", 4);
        var kept = given.destination("b.example", 4);
        var one = given.connectedSources(destination, 1).getFirst();
        var start = ConfigurationChanges.readAll(db, sources, destinations);
        var deleted = new DeletedConnections();
        var before = SnapshotBuilder.build(ConfigurationSnapshot.EMPTY, start, deleted);
        assertThat(before.ingestRoutes()).hasSize(1);

        purgeAllSources(db);
        given.deleted(destination);

        var after = SnapshotBuilder.build(before, read(before.version()).changes(), deleted);
        assertThat(after.sources()).isEmpty();
        assertThat(after.destinations()).containsOnlyKeys(kept);
        assertThat(after.connections()).isEmpty();
        assertThat(after.connectionsBySource()).isEmpty();
        assertThat(after.connectionsByDestination()).isEmpty();
        assertThat(after.ingestRoutes()).isEmpty();
        assertThat(deleted.find(one.connection())).contains(RouteDeletion.CONNECTION);
        assertThat(before.connections()).as("published snapshots do not change").hasSize(1);
        assertThat(before.connectionsBySource().get(one.source())).hasSize(1);
    }

    @Test
    void a_deletion_before_the_start_is_known_soon_after_it_was_asked_for() {
        var destination = given.destination("a.example", 4);
        var deletedOne = given.connection(given.source(), given.destination("b.example", 4));
        var withDestination = given.connection(given.source(), destination);
        given.deleted(deletedOne);
        given.deleted(destination);
        given.deleted(withDestination);
        var live = given.connection(given.source(), given.destination("c.example", 4));
        var configuration = opened();
        assertThat(changed.take()).as("the first read").isTrue();

        assertThat(configuration.deletion(deletedOne)).isEmpty();
        assertThat(configuration.deletion(withDestination)).isEmpty();
        assertThat(configuration.deletion(live)).isEmpty();
        configuration.run();

        assertThat(configuration.deletion(deletedOne)).contains(RouteDeletion.CONNECTION);
        assertThat(configuration.deletion(withDestination)).contains(RouteDeletion.DESTINATION);
        assertThat(configuration.deletion(live)).isEmpty();
        assertThat(configuration.route(live)).isPresent();
        assertThat(changed.take()).isTrue();
        configuration.run();
        assertThat(changed.take()).as("nothing new was found").isFalse();
    }

    @Test
    void a_change_of_a_destination_is_in_the_routes_of_all_its_sources() {
        var destination = given.destination("a.example", 4);
        var connected = given.connectedSources(destination, 3);
        var other = given.connectedSources(given.destination("b.example", 4), 1).getFirst();
        var configuration = opened();

        given.paused(destination, true);
        configuration.run();

        for (var one : connected) {
            var token = configuration.source(one.source()).orElseThrow().token();
            var routes = configuration.ingestRoute(token).orElseThrow().routes();
            assertThat(routes).hasSize(1).allMatch(route -> route.destination().isPaused());
        }
        assertThat(configuration.route(other.connection()).orElseThrow().destination().isPaused())
                .isFalse();
    }

    @Test
    void purging_and_removing_read_no_row_but_theirs() {
        var destination = given.destination("a.example", 4);
        var all = given.connectedSources(destination, LIVE_CONNECTIONS);
        analyze();
        var few = all.subList(0, 10).stream().map(Given.ConnectedSource::source).toList();

        long read =
                db.call(tx -> {
                    long before = rowsRead(tx);
                    ConnectionStore.purge(tx, few, Some.NOON, 7);
                    tx.update(
                            "delete from connection where source_id = any (?)",
                            few.stream().map(each -> each.value()).toList());
                    tx.update(
                            "delete from source where id = any (?)",
                            few.stream().map(each -> each.value()).toList());
                    return rowsRead(tx) - before;
                });

        assertThat(read).isLessThanOrEqualTo(100);
    }
}
