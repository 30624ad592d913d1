package dev.sluice.engine.accept;

import static dev.sluice.engine.accept.Refusals.NO_REFUSAL;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.account.plan.Plan;
import dev.sluice.account.plan.Retention;
import dev.sluice.gateway.source.Source;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

class IngestRateLimiterTest {

    private static final int RATE_LIMITED_STATUS = 429;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Database DATABASE = TestPostgres.newDatabase();

    private final Db db = TestPostgres.open(DATABASE);
    private final ManualClock clock = new ManualClock(Some.NOON);
    private final AtomicReference<OptionalInt> limit = new AtomicReference<>(OptionalInt.of(3));
    private final Source source = source();
    private final IngestRateLimiter ingestRateLimiter = node(db);

    @AfterEach
    void close() {
        db.run(tx -> tx.update("delete from ingest_use"));
        db.close();
    }

    private static Source source() {
        return Some.route(Some.sourceId()).source();
    }

    private IngestRateLimiter node(Db its) {
        var none = OptionalInt.empty();
        return new IngestRateLimiter(
                its,
                _ ->
                        new Plan.PlanLimits(
                                none,
                                limit.get(),
                                OptionalLong.empty(),
                                none,
                                none,
                                Plan.MAX_CONNECTIONS_PER_SOURCE,
                                none,
                                new Plan.StorageLimits(OptionalLong.empty(), Retention.ofDays(30))),
                Some.id(),
                clock);
    }

    private int spend(IngestRateLimiter node) {
        return Refusals.status(() -> node.acquire(source));
    }

    private int spendAll(IngestRateLimiter node) {
        int spent = 0;
        while (spend(node) == NO_REFUSAL) {
            spent++;
        }
        assertThat(spend(node)).isEqualTo(RATE_LIMITED_STATUS);
        return spent;
    }

    private long rows() {
        return db.call(
                tx -> tx.single("select count(*) as n from ingest_use", row -> row.number("n")));
    }

    @Test
    void a_source_takes_as_many_as_its_plan_says_in_a_minute_of_the_clock() {
        clock.advance(Duration.ofSeconds(59));
        assertThat(spendAll(ingestRateLimiter)).isEqualTo(3);

        clock.advance(Duration.ofSeconds(1));

        assertThat(spendAll(ingestRateLimiter)).isEqualTo(3);
        ingestRateLimiter.run();
        assertThat(spend(ingestRateLimiter)).isEqualTo(RATE_LIMITED_STATUS);
    }

    @Test
    void each_source_has_a_budget_of_its_own() {
        spendAll(ingestRateLimiter);

        assertThat(Refusals.status(() -> ingestRateLimiter.acquire(source())))
                .isEqualTo(NO_REFUSAL);
    }

    @Test
    void one_node_is_exact_however_many_requests_come_at_once() throws Exception {
        limit.set(OptionalInt.of(500));
        Callable<Integer> some =
                () -> {
                    int spent = 0;
                    for (int i = 0; i < 100; i++) {
                        spent += spend(ingestRateLimiter) == NO_REFUSAL ? 1 : 0;
                        if (i % 30 == 0) {
                            ingestRateLimiter.run();
                        }
                    }
                    return spent;
                };
        int spent = 0;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = threads.submit(some); // the only thread that runs rounds
            var others =
                    threads.invokeAll(
                            Stream.generate(() ->
                                            (Callable<Integer>)
                                                    () -> {
                                                        int n = 0;
                                                        for (int i = 0; i < 100; i++) {
                                                            n +=
                                                                    spend(ingestRateLimiter)
                                                                                    == NO_REFUSAL
                                                                            ? 1
                                                                            : 0;
                                                        }
                                                        return n;
                                                    })
                                    .limit(9)
                                    .toList());
            for (var other : others) {
                spent += other.get();
            }
            spent += first.get();
        }

        assertThat(spent).isEqualTo(500);
    }

    @Test
    void nodes_tell_each_other_what_they_took() {
        limit.set(OptionalInt.of(5));
        var other = node(db);
        spend(ingestRateLimiter);
        spend(ingestRateLimiter);
        spend(ingestRateLimiter);
        ingestRateLimiter.run();
        spend(other);
        other.run();

        assertThat(spendAll(other)).as("3 of 5 are gone there, one here").isEqualTo(1);
        other.run();
        ingestRateLimiter.run();
        assertThat(spend(ingestRateLimiter)).isEqualTo(RATE_LIMITED_STATUS);

        clock.advance(MINUTE);
        assertThat(spendAll(ingestRateLimiter))
                .as("a new minute knows of no other node")
                .isEqualTo(5);
    }

    @Test
    void the_minutes_before_are_removed() {
        spend(ingestRateLimiter);
        ingestRateLimiter.run();
        assertThat(rows()).isEqualTo(1);

        clock.advance(MINUTE);
        spend(ingestRateLimiter);
        ingestRateLimiter.run();

        assertThat(rows()).isEqualTo(1);
        assertThat(spendAll(ingestRateLimiter)).isEqualTo(2);
    }

    @Test
    void another_plan_counts_at_once() {
        assertThat(spendAll(ingestRateLimiter)).isEqualTo(3);

        limit.set(OptionalInt.of(5));
        assertThat(spendAll(ingestRateLimiter)).isEqualTo(2);

        limit.set(OptionalInt.empty());
        assertThat(spend(ingestRateLimiter)).isEqualTo(NO_REFUSAL);

        limit.set(OptionalInt.of(0));
        assertThat(spend(ingestRateLimiter)).isEqualTo(RATE_LIMITED_STATUS);
    }

    @Test
    void without_a_limit_the_database_is_not_asked() {
        limit.set(OptionalInt.empty());
        var closed = TestPostgres.open(DATABASE);
        closed.close();
        var unasked = node(closed);

        assertThat(spend(unasked)).isEqualTo(NO_REFUSAL);
        assertThat(unasked.run()).isFalse();
    }

    @Test
    void without_the_database_each_node_counts_for_itself() {
        var closed = TestPostgres.open(DATABASE);
        closed.close();
        var alone = node(closed);
        spend(alone);

        assertThatThrownBy(alone::run).isInstanceOf(DbException.class);

        assertThat(spendAll(alone)).isEqualTo(2);
    }
}
