package dev.sluice.engine.accept;

import static dev.sluice.engine.accept.Refusals.NO_REFUSAL;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.plan.Plan;
import dev.sluice.account.plan.Retention;
import dev.sluice.gateway.source.Source;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/// Tests four nodes that spend one workspace's limits at the same time, against one database.
class QuotaRaceTest {

    private static final int NODES = 4;
    private static final int QUOTA = 10_000;
    private static final int OFFERED = 20_000;

    /// The most that a node reserves at once, which is all that its death can lose.
    private static final int MAX_CHUNK = QUOTA / 100;

    private static final int THREADS_PER_NODE = 4;
    private static final int PER_MINUTE = 100;

    @AutoClose private static final Db db = TestPostgres.open(TestPostgres.newDatabase());

    private final ManualClock clock = new ManualClock(Some.NOON);
    private final Source source = Some.route(Some.sourceId()).source();
    private final AtomicInteger accepted = new AtomicInteger();
    private final List<MonthlyQuota> nodes = Stream.generate(this::node).limit(NODES).toList();

    @BeforeEach
    void clear() {
        db.run(tx -> {
            tx.update("delete from quota");
            tx.update("delete from ingest_use");
        });
    }

    private MonthlyQuota node() {
        return new MonthlyQuota(
                db, _ -> limits(), _ -> Optional.of(source), Duration.ofSeconds(60), clock);
    }

    private static Plan.PlanLimits limits() {
        var none = OptionalInt.empty();
        return new Plan.PlanLimits(
                none,
                OptionalInt.of(PER_MINUTE),
                OptionalLong.of(QUOTA),
                none,
                none,
                Plan.MAX_CONNECTIONS_PER_SOURCE,
                none,
                new Plan.StorageLimits(OptionalLong.empty(), Retention.ofDays(30)));
    }

    private boolean offer(MonthlyQuota node) {
        boolean isAccepted =
                Refusals.status(() -> node.spend(source, Some.eventId(clock.instant())))
                        == NO_REFUSAL;
        if (isAccepted) {
            assertThat(accepted.incrementAndGet()).isLessThanOrEqualTo(QUOTA);
        }
        return isAccepted;
    }

    /// Offers events to these nodes at the same time, to each the same number.
    private void offer(List<MonthlyQuota> to, int events) throws Exception {
        int perThread = events / to.size() / THREADS_PER_NODE;
        var tasks = new ArrayList<Callable<Integer>>();
        for (int i = 0; i < to.size() * THREADS_PER_NODE; i++) {
            var node = to.get(i % to.size());
            tasks.add(() -> {
                int count = 0;
                for (int n = 0; n < perThread; n++) {
                    count += offer(node) ? 1 : 0;
                }
                return count;
            });
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var result : threads.invokeAll(tasks)) {
                var _ = result.get();
            }
        }
    }

    /// Lets the nodes give back what they hold, as after a quiet minute, and offers until all
    /// refuse.
    private void offerTheRest(List<MonthlyQuota> to) {
        for (int check = 0; check <= QuotaLease.IDLE_CHECKS; check++) {
            to.forEach(MonthlyQuota::run);
        }
        clock.advance(Duration.ofSeconds(2)); // past the time that an empty quota is cached
        for (var node : to) {
            while (offer(node)) {
                // spends what is left
            }
        }
    }

    private long taken() {
        return db.call(tx -> tx.single("select taken from quota", row -> row.number("taken")));
    }

    @Test
    void of_twice_the_quota_four_nodes_accept_exactly_the_quota_and_never_more() throws Exception {
        offer(nodes, OFFERED);
        assertThat(accepted.get()).isBetween(QUOTA - NODES * MAX_CHUNK, QUOTA);

        offerTheRest(nodes);

        assertThat(accepted).hasValue(QUOTA);
        assertThat(taken()).isEqualTo(QUOTA);
    }

    @Test
    void a_node_that_dies_loses_at_most_a_hundredth_and_the_others_accept_all_else()
            throws Exception {
        var survivors = nodes.subList(1, NODES);
        offer(nodes, OFFERED / 4);
        assertThat(offer(nodes.getFirst())).isTrue(); // holds tokens, and is never heard of again

        offer(survivors, OFFERED);
        offerTheRest(survivors);

        assertThat(accepted.get()).isBetween(QUOTA - MAX_CHUNK, QUOTA);
        assertThat(taken()).as("its tokens stay taken").isEqualTo(QUOTA);
    }

    @Test
    void a_minutes_requests_exceed_the_limit_by_what_the_others_accept_in_two_rounds() {
        int perRound = 5;
        var limiters =
                Stream.generate(() -> new IngestRateLimiter(db, _ -> limits(), Some.id(), clock))
                        .limit(NODES)
                        .toList();
        int passed = 0;
        for (int round = 0; round < PER_MINUTE; round++) {
            for (var limiter : limiters) {
                for (int n = 0; n < perRound; n++) {
                    passed += Refusals.status(() -> limiter.acquire(source)) == NO_REFUSAL ? 1 : 0;
                }
            }
            limiters.forEach(IngestRateLimiter::run);
        }

        assertThat(passed).isBetween(PER_MINUTE, PER_MINUTE + (NODES - 1) * 2 * perRound);
    }
}
