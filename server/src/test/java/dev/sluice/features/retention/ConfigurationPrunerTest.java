package dev.sluice.features.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.Trigger;
import dev.sluice.engine.lanes.Lane;
import dev.sluice.engine.ledger.LedgerStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.Database;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Deleted configuration leaves the tables when nothing names it any more, and not before.
class ConfigurationPrunerTest {

    private static final Database DATABASE = TestPostgres.newDatabase();
    private static final Duration OVER_GRACE_PERIOD =
            ConfigurationPruner.GRACE_PERIOD.plusSeconds(1);
    private static final String PLANS =
            """
            {"items": [{"name": "business", "limits": {"retention_days": 5}}]}
            """;

    @TempDir Path directory;

    private RetentionFixture fixture;
    private Given given;
    private SourceId source;
    private DestinationId destination;
    private ConnectionId connection;

    @BeforeEach
    void open() throws IOException {
        fixture = new RetentionFixture(DATABASE, directory, PLANS);
        given = new Given(fixture.db);
        source = given.source();
        destination = given.destination("a.example", 4);
        connection = given.connection(source, destination);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private void prune(Instant now) {
        new ConfigurationPruner(fixture.db).prune(now);
    }

    private void pruneAfterGracePeriod() {
        prune(fixture.clock.instant().plus(OVER_GRACE_PERIOD));
    }

    private void purge(SourceId purged) {
        execute("update source set trashed_at = ?, purged_at = ? where id = ?", purged.value());
        execute(
                "update connection set deleted_at = ?, updated_at = ? where source_id = ?",
                purged.value());
    }

    private void execute(String sql, UUID id) {
        fixture.db.run(tx -> tx.update(sql, Some.NOON, Some.NOON, id));
    }

    private void addSums(UUID key) {
        fixture.db.run(tx -> {
            GivenRows.addToDay(tx, usageOf(key));
            GivenRows.addToTotal(tx, usageOf(key));
        });
    }

    private void addHour(UUID key) {
        fixture.db.run(tx -> GivenRows.addToHour(tx, usageOf(key)));
    }

    private static GivenRows.UsageRow usageOf(UUID key) {
        return GivenRows.UsageRow.event(
                new SourceId(key), Instant.EPOCH, VerificationStatus.SKIPPED, 1);
    }

    private void addLane(ConnectionId lane, Optional<Instant> wakeAt, Optional<Long> owner) {
        fixture.db.run(tx ->
                GivenRows.insertLane(tx, new Lane(lane, Trigger.INGEST, source), wakeAt, owner));
    }

    private List<UUID> ids(String table) {
        return fixture.db.call(tx -> tx.query("select id from " + table, row -> row.uuid("id")));
    }

    @Test
    void a_purged_source_that_no_history_names_leaves_with_all_that_was_its() {
        addSums(source.value());
        addSums(connection.value());
        addLane(connection, Optional.of(Some.NOON), Optional.empty());
        var living = given.source();
        addSums(living.value());
        purge(source);

        prune(fixture.clock.instant().plus(ConfigurationPruner.GRACE_PERIOD));
        assertThat(ids("source")).as("within the grace period").contains(source.value());
        pruneAfterGracePeriod();

        assertThat(ids("source")).containsExactly(living.value());
        assertThat(fixture.count("connection")).isZero();
        assertThat(fixture.count("lane")).isZero();
        assertThat(fixture.count("total")).as("that of the living source").isEqualTo(1);
        assertThat(fixture.count("rollup_day")).isEqualTo(1);
        assertThat(ids("destination")).containsExactly(destination.value());
    }

    @Test
    void a_purged_source_stays_while_an_event_or_an_hour_of_it_is_there() {
        var counted = given.source();
        addHour(counted.value());
        addSums(counted.value());
        fixture.waiting(source, connection, Some.NOON);
        fixture.db.run(tx -> tx.update("delete from rollup_hour where key = ?", source.value()));
        purge(source);
        purge(counted);

        pruneAfterGracePeriod();

        assertThat(ids("source")).containsExactlyInAnyOrder(source.value(), counted.value());
        assertThat(ids("connection")).containsExactly(connection.value());
        assertThat(fixture.count("total where key = '" + counted + "'")).isEqualTo(1);

        fixture.db.run(tx -> tx.update("delete from rollup_hour where key = ?", counted.value()));
        pruneAfterGracePeriod();
        assertThat(ids("source")).containsExactly(source.value());
        assertThat(fixture.count("total where key = '" + counted + "'")).isZero();
    }

    @Test
    void what_was_purged_leaves_by_itself_once_its_retention_is_over() {
        fixture.waiting(source, connection, Some.NOON);
        purge(source);
        given.deleted(destination);

        fixture.clock.advance(Duration.ofDays(8));
        fixture.round();
        assertThat(fixture.count("event")).isZero();
        assertThat(ids("source")).as("its hours are kept for 93 days").hasSize(1);

        fixture.clock.advance(Duration.ofDays(95));
        fixture.round();
        assertThat(ids("source")).as("not all usage is in the sums").hasSize(1);
        fixture.db.call(LedgerStore::fold);
        fixture.clock.advance(Duration.ofHours(1));
        fixture.round();
        fixture.clock.advance(Duration.ofHours(1));
        fixture.round();

        for (String table :
                List.of("source", "connection", "destination", "total", "rollup_day", "lane")) {
            assertThat(fixture.count(table)).as(table).isZero();
        }
    }

    @Test
    void a_deleted_connection_of_a_living_source_leaves_if_it_never_had_a_delivery() {
        var unused = given.connection(source, given.destination("b.example", 4));
        addSums(connection.value());
        given.deleted(connection);
        given.deleted(unused);

        pruneAfterGracePeriod();

        assertThat(ids("connection")).containsExactly(connection.value());
        assertThat(fixture.count("total")).as("statistics of its source need them").isEqualTo(1);
    }

    @Test
    void a_deleted_destination_leaves_after_its_connections() {
        var used = given.destination("b.example", 4);
        var usedConnection = given.connection(source, used);
        addSums(usedConnection.value());
        addRevision(destination, Some.NOON);
        given.deleted(destination);
        given.deleted(used);

        pruneAfterGracePeriod();
        assertThat(fixture.count("connection where deleted_at is null")).isZero();
        pruneAfterGracePeriod();

        assertThat(ids("destination")).containsExactly(used.value());
        assertThat(ids("connection")).containsExactly(usedConnection.value());
        assertThat(fixture.count("destination_revision")).isZero();
    }

    private UUID addRevision(DestinationId of, Instant at) {
        UUID id = Some.id();
        fixture.db.run(tx ->
                tx.update(
                        """
                        insert into destination_revision (id, destination_id, workspace_id, name, url,
                                                          created_at)
                        select ?, id, workspace_id, 'destination', 'https://a.example/', ?
                          from destination
                         where id = ?
                        """,
                        id,
                        at,
                        of.value()));
        return id;
    }

    @Test
    void revisions_go_that_were_replaced_before_any_stored_event_came_in() {
        addRevision(destination, Some.NOON.minus(Duration.ofDays(30)));
        addRevision(destination, Some.NOON.minus(Duration.ofDays(20)));
        var whenKeptDaysBegan = addRevision(destination, Some.NOON.minus(Duration.ofDays(10)));
        var replaced = addRevision(destination, Some.NOON.minus(Duration.ofDays(2)));
        var present = addRevision(destination, Some.NOON.minus(Duration.ofDays(1)));
        var onlyOne =
                addRevision(
                        given.destination("b.example", 4), Some.NOON.minus(Duration.ofDays(400)));

        fixture.round();

        assertThat(ids("destination_revision"))
                .containsExactlyInAnyOrder(whenKeptDaysBegan, replaced, present, onlyOne);
    }

    @Test
    void replaced_settings_go_that_were_replaced_before_anything_was_delivered() {
        var quietSource = given.source();
        var quiet = given.destination("b.example", 4);
        var quietConnection = given.connection(quietSource, quiet);
        fixture.waiting(source, connection, Some.NOON);
        var days = List.of(-1, 0, 1);
        for (int day : days) {
            var at = Some.NOON.plus(Duration.ofDays(day)).minusSeconds(3_600);
            addReplaced("destination", "url, auth", "'', ''", destination.value(), at);
            addReplaced("destination", "url, auth", "'', ''", quiet.value(), at);
            addReplaced("connection", "transformation", "null", connection.value(), at);
            addReplaced("connection", "transformation", "null", quietConnection.value(), at);
            addReplaced("source", "name", "''", source.value(), at);
            addReplaced("source", "name", "''", quietSource.value(), at);
        }

        prune(Some.NOON.plus(ConfigurationPruner.GRACE_PERIOD));

        for (String kind : List.of("destination", "connection", "source")) {
            assertThat(replacedDays(kind))
                    .as("days of what is delivered to, and of what is not")
                    .containsExactlyInAnyOrder(0, 1, 1);
        }
    }

    private void addReplaced(String kind, String columns, String values, UUID id, Instant at) {
        fixture.db.run(tx ->
                tx.update(
                        """
                        insert into replaced_%1$s (%1$s_id, workspace_id, until_version,
                                                   replaced_at, %2$s)
                        select id, workspace_id, ?, ?, %3$s
                          from %1$s
                         where id = ?
                        """
                                .formatted(kind, columns, values),
                        at.getEpochSecond(),
                        at,
                        id));
    }

    /// Which days after noon the settings of a kind that are left were replaced on.
    private List<Integer> replacedDays(String kind) {
        return fixture.db.call(tx ->
                tx.query(
                        """
                        select (extract(epoch from replaced_at + interval '1 hour' - ?::timestamptz) / 86400)::int as day
                          from replaced_%s
                        """
                                .formatted(kind),
                        row -> row.integer("day"),
                        Some.NOON));
    }

    @Test
    void lanes_go_in_which_nothing_waits_and_that_nobody_wakes_or_leases() {
        var leased = given.connection(source, given.destination("b.example", 4));
        var waking = given.connection(source, given.destination("c.example", 4));
        var held = given.connection(source, given.destination("d.example", 4));
        addLane(connection, Optional.empty(), Optional.empty());
        addLane(leased, Optional.empty(), Optional.of(7L));
        addLane(waking, Optional.of(Some.NOON), Optional.empty());
        addLane(held, Optional.empty(), Optional.empty());
        fixture.waiting(source, held, Some.NOON);

        prune(Some.NOON);

        var left =
                fixture.db.call(tx ->
                        tx.query(
                                "select connection_id from lane where trigger = ?",
                                row -> new ConnectionId(row.uuid("connection_id")),
                                (int) Trigger.INGEST.number()));
        assertThat(left).containsExactlyInAnyOrder(leased, waking, held);
    }

    @Test
    void more_lanes_and_sources_than_a_chunk_has_are_all_looked_at() {
        given.connectedSources(destination, 1_234)
                .forEach(each -> {
                    addLane(each.connection(), Optional.empty(), Optional.empty());
                });
        fixture.db.run(tx -> {
            tx.update("update source set trashed_at = ?, purged_at = ?", Some.NOON, Some.NOON);
            tx.update("update connection set deleted_at = ?", Some.NOON);
        });

        prune(Some.NOON);
        assertThat(fixture.count("lane")).isZero();
        pruneAfterGracePeriod();

        assertThat(fixture.count("source")).isZero();
        assertThat(fixture.count("connection")).isZero();
    }
}
