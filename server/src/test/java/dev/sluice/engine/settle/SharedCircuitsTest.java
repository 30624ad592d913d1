package dev.sluice.engine.settle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.engine.Lease;
import dev.sluice.engine.lanes.LaneStore;
import dev.sluice.engine.settle.CircuitBreaker.CircuitState;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.loop.Wake;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Two nodes on one database; the test runs their rounds.
class SharedCircuitsTest {

    private static final Database DATABASE = TestPostgres.newDatabase();
    private static final Duration COOLDOWN = Duration.ofSeconds(60);

    private final Db db = emptied();
    private final ManualClock clock = new ManualClock(Some.NOON);
    private final Given given = new Given(db);
    private final DestinationId id = given.destination("a.example", 8);
    private final Destination destination = destination(id);
    private final SharedCircuits one = open(1);
    private final SharedCircuits other = open(2);

    private static Db emptied() {
        var db = TestPostgres.open(DATABASE);
        Given.clearTables(db);
        return db;
    }

    private Destination destination(DestinationId wanted) {
        var store = new DestinationStore(Given.SEALER);
        return db.call(tx -> store.changedAfter(tx, -1)).stream()
                .map(DestinationStore.DestinationVersion::destination)
                .filter(each -> each.id().equals(wanted))
                .findFirst()
                .orElseThrow();
    }

    private SharedCircuits open(long epoch) {
        return SharedCircuits.open(
                db,
                new FixedLease(epoch),
                CooldownBackoff.STANDARD,
                LaneStore::wake,
                clock,
                new Wake(),
                new Wake());
    }

    private record FixedLease(long epoch) implements Lease {
        @Override
        public boolean mayStart() {
            return true;
        }

        @Override
        public boolean mayStart(long since) {
            return true;
        }
    }

    @AfterEach
    void close() {
        db.close();
    }

    private void fail(SharedCircuits node, int times) {
        int started = node.of(id).generation();
        for (int i = 0; i < times; i++) {
            node.failed(id, started, "Destination answered 503");
        }
    }

    private void open() {
        fail(one, 5);
        one.run();
        other.run();
    }

    private record CircuitRow(String state, int failures, long version) {}

    private Optional<CircuitRow> row() {
        return db.call(tx ->
                tx.findOne(
                        "select state, failures, version from circuit where destination_id = ?",
                        row ->
                                new CircuitRow(
                                        row.text("state"),
                                        row.integer("failures"),
                                        row.number("version")),
                        id.value()));
    }

    @Test
    void a_destination_that_is_well_is_neither_kept_nor_written() {
        one.reached(destination);
        one.run();

        assertThat(one.of(id)).isEqualTo(CircuitBreaker.healthy());
        assertThat(row()).isEmpty();
    }

    @Test
    void the_fifth_failure_opens_it_here_at_once_and_for_others_after_their_next_look() {
        fail(one, 4);
        assertThat(one.of(id).isClosed()).isTrue();
        fail(one, 1);
        assertThat(one.of(id).state()).isEqualTo(CircuitState.OPEN);
        assertThat(row()).as("before the round").isEmpty();

        one.run();
        other.run();

        assertThat(row()).contains(new CircuitRow("open", 5, 1));
        assertThat(other.of(id)).isEqualTo(one.of(id));
    }

    @Test
    void what_changed_nothing_is_not_written() {
        open();
        fail(one, 3);
        one.run();

        assertThat(row()).contains(new CircuitRow("open", 5, 1));
    }

    @Test
    void failures_of_nodes_add_up_and_a_success_of_either_begins_the_count_again() {
        fail(one, 3);
        fail(other, 1);
        one.run();
        other.run();
        one.run();
        assertThat(one.of(id).failures()).isEqualTo(4);
        assertThat(other.of(id).failures()).isEqualTo(4);

        other.reached(destination);
        other.run();
        one.run();
        fail(one, 4);
        assertThat(one.of(id).isClosed()).isTrue();
    }

    @Test
    void failures_that_came_before_they_were_written_open_it_together() {
        fail(one, 3);
        fail(other, 3);
        one.run();
        other.run();
        one.run();

        assertThat(one.of(id).state()).isEqualTo(CircuitState.OPEN);
        assertThat(one.of(id)).isEqualTo(other.of(id));
    }

    @Test
    void what_was_under_way_on_both_when_it_opened_does_not_double_the_cooldown() {
        fail(one, 40);
        fail(other, 40);
        one.run();
        other.run();
        clock.advance(COOLDOWN);
        assertThat(one.claimProbe(destination)).isPresent();
        other.run();
        other.failed(id, 0, "late");
        one.failed(id, 0, "late");
        one.run();
        other.run();

        assertThat(one.of(id).state()).isEqualTo(CircuitState.HALF_OPEN);
        assertThat(one.of(id).cooldown()).isEqualTo(COOLDOWN);
    }

    @Test
    void of_many_who_claim_at_once_one_has_the_probe() throws Exception {
        open();
        clock.advance(COOLDOWN);
        var nodes = new ArrayList<>(List.of(one, other));
        for (int epoch = 3; epoch <= 8; epoch++) {
            nodes.add(open(epoch));
        }
        var start = new CountDownLatch(1);
        var claims = new ArrayList<Future<Optional<Probe>>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var node : nodes) {
                claims.add(
                        threads.submit(() -> {
                            start.await();
                            return node.claimProbe(destination);
                        }));
            }
            start.countDown();
        }
        int won = 0;
        for (var claim : claims) {
            won += claim.get().isPresent() ? 1 : 0;
        }

        assertThat(won).isEqualTo(1);
        nodes.forEach(SharedCircuits::run);
        assertThat(nodes).extracting(node -> node.of(id)).containsOnly(one.of(id));
    }

    @Test
    void nobody_claims_before_the_cooldown_is_over() {
        open();
        clock.advance(COOLDOWN.minusMillis(1));

        assertThat(one.claimProbe(destination)).isEmpty();
        assertThat(other.claimProbe(destination)).isEmpty();
    }

    @Test
    void a_probe_nothing_is_heard_of_can_be_claimed_again_after_timeout_and_thirty_seconds() {
        open();
        clock.advance(COOLDOWN);
        var lost = one.claimProbe(destination).orElseThrow();

        clock.advance(destination.spec().timeout().plusSeconds(30).minusMillis(1));
        assertThat(other.claimProbe(destination)).isEmpty();
        clock.advance(Duration.ofMillis(1));
        assertThat(other.claimProbe(destination)).isPresent();

        one.run();
        one.failed(id, lost.generation(), "late");
        one.giveBack(lost);
        one.run();
        other.run();
        assertThat(other.of(id).state())
                .as("the second probe is under way")
                .isEqualTo(CircuitState.HALF_OPEN);
    }

    @Test
    void a_clock_that_is_set_back_keeps_no_circuit_open() {
        open();
        clock.advance(Duration.ofDays(-10));

        assertThat(other.of(id).isProbeDue(clock.instant())).isTrue();
        assertThat(other.claimProbe(destination)).isPresent();
        assertThat(other.of(id).isProbeDue(clock.instant())).as("claimed").isFalse();
    }

    @Test
    void a_clock_that_is_set_back_keeps_no_claim_to_a_probe() {
        open();
        clock.advance(COOLDOWN);
        assertThat(one.claimProbe(destination)).isPresent();
        clock.advance(Duration.ofDays(-10));

        assertThat(other.claimProbe(destination)).isPresent();
    }

    /// A cooldown may lie in full ahead of a clock that was set back by less than one.
    @Test
    void a_clock_that_is_set_back_a_little_lengthens_a_cooldown_to_the_longest_at_most() {
        open();
        clock.advance(CooldownBackoff.STANDARD.max().minus(COOLDOWN).negated());

        assertThat(other.claimProbe(destination)).isEmpty();
        clock.advance(CooldownBackoff.STANDARD.max());
        assertThat(other.claimProbe(destination)).isPresent();
    }

    @Test
    void a_probe_given_back_is_anothers_at_once() {
        open();
        clock.advance(COOLDOWN);
        one.giveBack(one.claimProbe(destination).orElseThrow());
        one.run();

        assertThat(other.claimProbe(destination)).isPresent();
    }

    @Test
    void a_probe_that_came_to_something_is_not_given_back() {
        open();
        clock.advance(COOLDOWN);
        var probe = one.claimProbe(destination).orElseThrow();
        one.failed(id, probe.generation(), "Destination answered 500");
        one.giveBack(probe);
        one.run();
        other.run();

        assertThat(other.of(id).cooldown()).hasSeconds(120);
        assertThat(other.claimProbe(destination)).isEmpty();
    }

    @Test
    void a_success_on_a_node_that_has_not_the_probe_closes_it_for_all() {
        open();
        clock.advance(COOLDOWN);
        var probe = one.claimProbe(destination).orElseThrow();
        other.run();
        other.reached(destination);
        other.run();
        one.failed(id, probe.generation(), "late");
        one.run();
        other.run();

        assertThat(other.of(id).failures()).as("its failure is the first again").isEqualTo(1);
        assertThat(one.of(id).isClosed()).isTrue();
    }

    @Test
    void a_commit_that_comes_late_is_seen_by_the_next_look() throws Exception {
        var late = new DestinationId(Some.id());
        var written = new CountDownLatch(1);
        var mayContinue = new CountDownLatch(1);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var slow =
                    threads.submit(() ->
                            db.call(tx -> {
                                var row = CircuitStore.lock(tx, List.of(late)).get(late);
                                var open =
                                        new CircuitBreaker(
                                                CircuitState.OPEN,
                                                5,
                                                COOLDOWN,
                                                1,
                                                Optional.of(Some.NOON),
                                                Optional.empty());
                                CircuitStore.write(
                                        tx,
                                        late,
                                        row == null ? StoredCircuit.NONE : row,
                                        open,
                                        Optional.of("x"));
                                written.countDown();
                                await(mayContinue);
                                return true;
                            }));
            written.await();
            open(); // begins later, ends earlier
            assertThat(other.of(id).state()).isEqualTo(CircuitState.OPEN);
            assertThat(other.of(late)).isEqualTo(CircuitBreaker.healthy());

            mayContinue.countDown();
            assertThat(slow.get()).isTrue();
            other.run();
            assertThat(other.of(late).state()).isEqualTo(CircuitState.OPEN);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void a_node_that_starts_knows_what_is_open() {
        open();

        assertThat(open(3).of(id)).isEqualTo(one.of(id));
    }

    @Test
    void after_it_closed_each_node_starts_with_one_attempt_and_widens() {
        open();
        assertThat(one.concurrencyLimit(destination)).as("nothing is sent anyway").isEqualTo(8);
        one.reached(destination);
        assertThat(one.concurrencyLimit(destination)).isEqualTo(1);
        one.run();
        other.run();
        assertThat(other.concurrencyLimit(destination)).isEqualTo(1);

        one.reached(destination);
        assertThat(one.concurrencyLimit(destination)).isEqualTo(2);
        one.reached(destination);
        one.reached(destination);
        assertThat(one.concurrencyLimit(destination)).isEqualTo(4);
        one.failed(id, one.of(id).generation(), "no");
        assertThat(one.concurrencyLimit(destination)).as("after a failure").isEqualTo(1);
        for (int i = 0; i < 7; i++) {
            one.reached(destination);
        }
        assertThat(one.concurrencyLimit(destination)).isEqualTo(8);
        one.failed(id, one.of(id).generation(), "no");
        assertThat(one.concurrencyLimit(destination)).as("it was over").isEqualTo(8);
        assertThat(other.concurrencyLimit(destination)).isEqualTo(1);
    }

    @Test
    void who_listens_hears_of_the_opening_and_the_closing_once_and_of_no_failed_probe() {
        record Opened(int failures, String error) {}
        record Closed(int failures) {}
        var heard = new ArrayList<Record>();
        var listener =
                new CircuitListener() {
                    @Override
                    public void opened(DestinationId at, CircuitBreaker circuit, String error) {
                        heard.add(new Opened(circuit.failures(), error));
                    }

                    @Override
                    public void closed(DestinationId at, CircuitBreaker before) {
                        heard.add(new Closed(before.failures()));
                    }
                };
        one.addListener(listener);
        other.addListener(listener);
        open();
        clock.advance(COOLDOWN);
        var probe = other.claimProbe(destination).orElseThrow();
        other.failed(id, probe.generation(), "again");
        other.run();
        one.run();
        one.reached(destination);
        one.run();
        other.run();

        assertThat(heard).containsExactly(new Opened(5, "Destination answered 503"), new Closed(6));
    }

    @Test
    void what_could_not_be_written_is_written_in_the_next_round() throws Exception {
        fail(one, 5);
        var locked = new CountDownLatch(1);
        var mayContinue = new CountDownLatch(1);
        db.run(tx -> CircuitStore.lock(tx, List.of(id)));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var holder =
                    threads.submit(() ->
                            db.call(tx -> {
                                CircuitStore.lock(tx, List.of(id));
                                locked.countDown();
                                await(mayContinue);
                                return true;
                            }));
            locked.await();
            assertThatThrownBy(one::run).isInstanceOf(DbException.class);
            assertThat(one.claimProbe(destination)).as("it does not wait").isEmpty();
            mayContinue.countDown();
            assertThat(holder.get()).isTrue();
        }
        assertThat(one.of(id).state()).isEqualTo(CircuitState.OPEN);
        one.reached(destination);
        one.run();
        assertThat(row())
                .hasValueSatisfying(row -> {
                    assertThat(row.state()).isEqualTo("open");
                    assertThat(row.failures()).isEqualTo(5);
                });
        one.run();

        assertThat(row())
                .hasValueSatisfying(row -> {
                    assertThat(row.state()).isEqualTo("closed");
                    assertThat(row.failures()).isEqualTo(0);
                });
    }

    @Test
    void the_circuit_of_a_deleted_destination_is_forgotten() {
        open();
        given.deleted(id);
        clock.advance(Duration.ofMinutes(1));
        one.run();
        other.run();

        assertThat(row()).isEmpty();
        assertThat(one.of(id)).isEqualTo(CircuitBreaker.healthy());
        assertThat(other.of(id)).isEqualTo(CircuitBreaker.healthy());
    }
}
