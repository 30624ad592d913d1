package dev.sluice.engine.lanes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.node.Node;
import dev.sluice.engine.send.HoldPolicy;
import dev.sluice.engine.settle.CooldownBackoff;
import dev.sluice.engine.settle.SharedCircuits;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.loop.Activity;
import dev.sluice.platform.loop.Chore;
import dev.sluice.platform.loop.Shutdown;
import dev.sluice.platform.loop.Wake;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.RowRefusal;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/// A lane whose wake-up was lost is woken by the next sweep, unless something holds it.
class LaneSweeperTest {

    private static final Database DATABASE = TestPostgres.newDatabase();

    private final Db db = emptied();
    private final ManualClock clock = new ManualClock(Some.NOON);
    private final Given given = new Given(db);
    private final SourceId source = given.source();
    private final ConnectionId connection =
            given.connection(source, given.destination("a.example", 4));
    private final Wake configurationChanged = new Wake();
    private final ConfigurationCache configuration =
            ConfigurationCache.open(
                    db,
                    new SourceStore(Given.SEALER),
                    new DestinationStore(Given.SEALER),
                    configurationChanged);
    private final Node node = Node.join(db, new UUID(1, 1));
    private final SharedCircuits circuits =
            SharedCircuits.open(
                    db,
                    node,
                    CooldownBackoff.STANDARD,
                    LaneStore::wake,
                    clock,
                    new Wake(),
                    new Wake());
    private final LaneSweeper laneSweeper =
            new LaneSweeper(db, configuration, new HoldPolicy(circuits), clock, () -> {});

    private static Db emptied() {
        var db = TestPostgres.open(DATABASE);
        Given.clearTables(db);
        return db;
    }

    @AfterEach
    void close() {
        db.close();
    }

    private void addWaiting(Instant nextAt) {
        var id = DeliveryId.of(Some.eventId(clock.instant()), 1);
        var row = GivenRows.WorkRow.waiting(id, source, connection, nextAt);
        db.run(tx -> GivenRows.insertWork(tx, List.of(row)));
    }

    private List<Instant> wakes() {
        return db.call(tx -> tx.query("select wake_at from lane", row -> row.instant("wake_at")));
    }

    @Test
    void a_sweep_wakes_what_is_not_held() throws InterruptedException {
        var later = clock.instant().plusSeconds(30);
        addWaiting(later);

        laneSweeper.run();

        assertThat(wakes()).containsExactly(later);
    }

    @Test
    void a_lane_that_wakes_early_enough_is_not_written() throws InterruptedException {
        addWaiting(clock.instant().plusSeconds(30));
        laneSweeper.run();
        var written = versions();

        laneSweeper.run();

        assertThat(versions()).isEqualTo(written);
    }

    /// The transactions that wrote and locked each row last.
    private List<String> versions() {
        return db.call(tx ->
                tx.query(
                        "select xmin::text || ' ' || xmax::text as version from lane",
                        row -> row.text("version")));
    }

    @Test
    void what_a_clock_scheduled_that_has_been_set_back_since_is_due_now()
            throws InterruptedException {
        addWaiting(clock.instant().plus(Duration.ofDays(10)));
        addWaiting(clock.instant().plus(Duration.ofDays(11)));

        laneSweeper.run();

        assertThat(wakes()).containsExactly(clock.instant());
        assertThat(dueTimes()).containsOnly(clock.instant()).hasSize(2);
    }

    @Test
    void what_waits_for_as_long_as_any_delivery_may_is_left_alone() throws InterruptedException {
        var last = clock.instant().plus(Duration.ofDays(2));
        addWaiting(last);

        laneSweeper.run();

        assertThat(dueTimes()).containsExactly(last);
    }

    private List<Instant> dueTimes() {
        return db.call(
                tx -> tx.query("select next_at from delivery_work", row -> row.instant("next_at")));
    }

    @Test
    void a_loop_of_changes_is_swept_once_a_second_and_the_last_change_is_not_missed() {
        var paused = given.destination("b.example", 4);
        var other = given.connection(source, paused);
        given.paused(paused, true);
        configuration.run();
        var id = DeliveryId.of(Some.eventId(clock.instant()), 1);
        db.run(tx ->
                GivenRows.insertWork(
                        tx,
                        List.of(GivenRows.WorkRow.waiting(id, source, other, clock.instant()))));
        var rounds = new AtomicInteger();
        var chore = laneSweeper.chore(configurationChanged);
        var counted =
                Chore.of(
                                chore.name(),
                                chore.interval(),
                                () -> {
                                    rounds.incrementAndGet();
                                    laneSweeper.run();
                                })
                        .withGap(chore.gap())
                        .wokenBy(configurationChanged);
        try (var shutdown = new Shutdown(new Activity())) {
            shutdown.start(counted);
            await().until(() -> rounds.get() == 1);
            long begun = System.nanoTime();
            for (int change = 0; change < 100; change++) {
                given.paused(paused, change % 2 == 0);
                configuration.run();
            }
            await().until(() -> wakes().equals(List.of(clock.instant())));
            var time = Duration.ofNanos(System.nanoTime() - begun);

            assertThat(rounds.get()).isLessThanOrEqualTo(2 + (int) time.toSeconds());
        }
    }

    @Test
    void a_lane_that_cannot_be_woken_keeps_no_other_asleep() {
        var other = given.connection(source, given.destination("b.example", 4));
        configuration.run();
        addWaiting(clock.instant());
        var id = DeliveryId.of(Some.eventId(clock.instant()), 1);
        db.run(tx ->
                GivenRows.insertWork(
                        tx,
                        List.of(GivenRows.WorkRow.waiting(id, source, other, clock.instant()))));
        try (var _ =
                RowRefusal.of(db, "lane", "new.connection_id = '" + other.value() + "'", "23514")) {
            assertThatThrownBy(laneSweeper::run).isInstanceOf(DbException.class);
        }

        assertThat(wakes()).containsExactly(clock.instant());
    }

    @Test
    void a_sweep_lets_held_lanes_sleep() throws InterruptedException {
        given.paused(source, true);
        configuration.run();
        addWaiting(clock.instant());

        laneSweeper.run();

        assertThat(wakes()).isEmpty();
    }

    @Test
    void a_sweep_wakes_lanes_of_deleted_connections_at_once() throws InterruptedException {
        given.deleted(connection);
        configuration.run();
        addWaiting(clock.instant().plusSeconds(3_600));

        laneSweeper.run();

        assertThat(wakes()).containsExactly(clock.instant());
    }
}
