package dev.sluice.engine.accept;

import static dev.sluice.engine.accept.Refusals.NO_REFUSAL;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.account.plan.Plan;
import dev.sluice.account.plan.Retention;
import dev.sluice.engine.EventId;
import dev.sluice.engine.EventVerification;
import dev.sluice.engine.VerificationReason;
import dev.sluice.engine.commit.AcceptedEvent;
import dev.sluice.engine.commit.Receipt;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;

class MonthlyQuotaTest {

    private static final int QUOTA_EXCEEDED_STATUS = 402;
    private static final int NOT_STORED_STATUS = 500;
    private static final Database DATABASE = TestPostgres.newDatabase();

    private final Db db = TestPostgres.open(DATABASE);
    private final ManualClock clock = new ManualClock(Some.NOON);
    private final AtomicReference<OptionalLong> cap = new AtomicReference<>(OptionalLong.empty());
    private final Source source = source();
    private final MonthlyQuota quota = node();

    @AfterEach
    void close() {
        db.close();
    }

    /// A source in a workspace of its own.
    private static Source source() {
        return Some.route(Some.sourceId()).source();
    }

    private MonthlyQuota node() {
        return node(db, Duration.ofSeconds(10));
    }

    private MonthlyQuota node(Db its, Duration databaseTimeout) {
        return new MonthlyQuota(
                its, _ -> limits(cap.get()), this::sourceOf, databaseTimeout, clock);
    }

    private Optional<Source> sourceOf(SourceId id) {
        return Optional.of(source).filter(known -> known.id().equals(id));
    }

    private static Plan.PlanLimits limits(OptionalLong eventsPerMonth) {
        var none = OptionalInt.empty();
        return new Plan.PlanLimits(
                none,
                none,
                eventsPerMonth,
                none,
                none,
                Plan.MAX_CONNECTIONS_PER_SOURCE,
                none,
                new Plan.StorageLimits(OptionalLong.empty(), Retention.ofDays(30)));
    }

    private void cap(long events) {
        cap.set(OptionalLong.of(events));
    }

    private int spend(MonthlyQuota node) {
        return Refusals.status(() -> node.spend(source, Some.eventId(clock.instant())));
    }

    /// Spends until the quota refuses, and returns the number of events.
    private int spendAll(MonthlyQuota node) {
        int spent = 0;
        while (spend(node) == NO_REFUSAL) {
            spent++;
        }
        assertThat(spend(node)).isEqualTo(QUOTA_EXCEEDED_STATUS);
        return spent;
    }

    /// Runs as many idle checks as about a minute has.
    private static void runIdleChecks(MonthlyQuota node) {
        for (int check = 0; check < QuotaLease.IDLE_CHECKS; check++) {
            node.run();
        }
    }

    private void idle(MonthlyQuota node) {
        runIdleChecks(node);
        node.run();
        clock.advance(Duration.ofSeconds(1)); // past the time that an empty quota is cached
    }

    private long taken(int month) {
        return db.call(tx ->
                tx.single(
                        """
                        select coalesce(sum(taken), -1) as taken
                          from quota
                         where workspace_id = ? and month = ?
                        """,
                        row -> row.number("taken"),
                        source.workspace().value(),
                        month));
    }

    private AcceptedEvent event(EventId id, EventVerification verification) {
        return new AcceptedEvent(
                id,
                source,
                "POST",
                Optional.empty(),
                verification,
                Some.payload("{}"),
                new AcceptedEvent.DeliveryPlan(List.of(), List.of()),
                new Receipt(System.nanoTime()));
    }

    @Test
    void nodes_together_never_exceed_the_number_however_many_events_come_at_once()
            throws Exception {
        cap(2_000);
        var other = node();
        var tasks = new ArrayList<Callable<Integer>>();
        for (int i = 0; i < 16; i++) {
            var node = i % 2 == 0 ? quota : other;
            tasks.add(() -> {
                int spent = 0;
                for (int n = 0; n < 200; n++) {
                    spent += spend(node) == NO_REFUSAL ? 1 : 0;
                }
                return spent;
            });
        }
        int spent = 0;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var result : threads.invokeAll(tasks)) {
                spent += result.get();
            }
        }
        assertThat(spent).isBetween(1_900, 2_000);

        idle(quota);
        idle(other);
        assertThat(taken(202603)).isEqualTo(spent);
        assertThat(spent + spendAll(other)).isEqualTo(2_000);
        assertThat(spend(quota)).isEqualTo(QUOTA_EXCEEDED_STATUS);
    }

    @Test
    void the_last_events_can_be_taken_by_any_node() {
        cap(100);
        var other = node();
        int spent = 0;
        for (int i = 0; i < 60; i++) {
            spent += spend(quota) == NO_REFUSAL ? 1 : 0;
            spent += spend(other) == NO_REFUSAL ? 1 : 0;
        }

        assertThat(spent).isEqualTo(100);
        assertThat(spend(quota)).isEqualTo(QUOTA_EXCEEDED_STATUS);
        assertThat(spend(other)).isEqualTo(QUOTA_EXCEEDED_STATUS);
    }

    @Test
    void a_crash_loses_at_most_a_hundredth() {
        cap(5_000);
        var crashed = node();
        assertThat(spend(crashed)).isEqualTo(NO_REFUSAL);

        assertThat(spendAll(quota)).isBetween(4_999 - 50, 4_999);
        assertThat(taken(202603)).isEqualTo(5_000);
    }

    @Test
    void a_stop_gives_back_what_is_left() {
        cap(5_000);
        for (int i = 0; i < 60; i++) {
            spend(quota);
        }
        assertThat(taken(202603)).isEqualTo(100);

        quota.returnUnused();

        assertThat(taken(202603)).isEqualTo(60);
    }

    @Test
    void what_an_idle_workspace_holds_is_given_back() {
        cap(5_000);
        spend(quota);
        runIdleChecks(quota);
        assertThat(taken(202603)).as("used a minute ago").isEqualTo(50);

        quota.run();

        assertThat(taken(202603)).isEqualTo(1);
        assertThat(spend(quota)).isEqualTo(NO_REFUSAL);
    }

    @Test
    void what_the_database_refuses_to_take_back_can_still_be_spent() {
        cap(5_000);
        spend(quota);
        runIdleChecks(quota);
        db.run(tx -> tx.update("alter table quota rename to elsewhere"));
        quota.run();
        db.run(tx -> tx.update("alter table elsewhere rename to quota"));

        assertThat(spend(quota)).isEqualTo(NO_REFUSAL);
        assertThat(taken(202603)).as("of those it had").isEqualTo(50);
        quota.returnUnused();
        assertThat(taken(202603)).isEqualTo(2);
    }

    @Test
    void an_event_that_was_not_stored_gives_its_token_back() {
        cap(1);
        var id = Some.eventId(clock.instant());
        quota.spend(source, id);
        assertThat(spend(quota)).isEqualTo(QUOTA_EXCEEDED_STATUS);

        quota.refundDropped(
                event(id, EventVerification.failed(VerificationReason.SIGNATURE_MISSING)));
        assertThat(spend(quota)).as("a failed one took none").isEqualTo(QUOTA_EXCEEDED_STATUS);

        quota.refundDropped(event(id, EventVerification.SKIPPED));
        assertThat(spend(quota)).isEqualTo(NO_REFUSAL);
        assertThat(spend(quota)).isEqualTo(QUOTA_EXCEEDED_STATUS);
    }

    @Test
    void months_are_those_of_the_year_in_utc() {
        clock.advance(Duration.between(clock.instant(), Instant.parse("2026-03-31T23:59:59.999Z")));
        cap(1);
        assertThat(spendAll(quota)).isEqualTo(1);

        clock.advance(Duration.ofMillis(1));

        assertThat(spendAll(quota)).isEqualTo(1);
        assertThat(taken(202603)).isEqualTo(1);
        assertThat(taken(202604)).isEqualTo(1);
    }

    @Test
    void what_is_left_of_a_month_goes_back_to_it() {
        clock.advance(Duration.ofDays(30));
        cap(5_000);
        spend(quota);
        assertThat(taken(202603)).isEqualTo(50);

        clock.advance(Duration.ofDays(1));
        quota.run();
        assertThat(taken(202603)).as("at once, for it is over").isEqualTo(1);

        spend(quota);
        idle(quota);

        assertThat(taken(202603)).isEqualTo(1);
        assertThat(taken(202604)).isEqualTo(1);
    }

    @Test
    void another_plan_counts_at_once() {
        cap(1);
        assertThat(spendAll(quota)).isEqualTo(1);

        cap(3);
        assertThat(spendAll(quota)).isEqualTo(2);

        cap.set(OptionalLong.empty());
        assertThat(spend(quota)).isEqualTo(NO_REFUSAL);

        cap(2);
        assertThat(spend(quota)).isEqualTo(QUOTA_EXCEEDED_STATUS);
    }

    @Test
    void the_first_quota_of_a_month_counts_the_events_already_stored_in_it() {
        var day = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        insertSource();
        db.run(tx -> {
            insertSum(tx, day, VerificationStatus.VERIFIED);
            insertSum(tx, day, VerificationStatus.SKIPPED);
            insertSum(tx, day, VerificationStatus.FAILED);
            insertSum(tx, day.withDayOfMonth(1).minusDays(1), VerificationStatus.SKIPPED);
        });
        cap(5);

        assertThat(spendAll(quota)).as("two are stored").isEqualTo(3);
        assertThat(taken(202603)).isEqualTo(5);
    }

    @Test
    void events_stored_while_a_plan_had_no_quota_count_when_it_has_one_again() {
        insertSource();
        cap(10);
        assertThat(spend(quota)).isEqualTo(NO_REFUSAL);
        cap.set(OptionalLong.empty());
        var day = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
        db.run(tx -> insertSum(tx, day, VerificationStatus.SKIPPED, 8)); // one of them took a token

        cap(10);

        assertThat(spendAll(quota)).isEqualTo(2);
        assertThat(taken(202603)).isEqualTo(10);

        cap.set(OptionalLong.empty());
        db.run(tx -> insertSum(tx, day, VerificationStatus.VERIFIED, 1_000));
        clock.advance(Duration.ofSeconds(2)); // past the time that an empty quota is cached
        cap(1_010);

        assertThat(spendAll(quota)).as("1 008 are stored").isEqualTo(2);
    }

    private void insertSource() {
        db.run(tx -> {
            Given.insertWorkspace(tx, source.workspace(), "Team", "open", clock.instant());
            Given.insertSource(tx, source.id(), source.workspace(), clock.instant());
        });
    }

    private void insertSum(Tx tx, LocalDate day, VerificationStatus status) {
        insertSum(tx, day, status, 1);
    }

    private void insertSum(Tx tx, LocalDate day, VerificationStatus status, int events) {
        var noon = day.atTime(12, 0).toInstant(ZoneOffset.UTC);
        GivenRows.addToDay(
                tx, GivenRows.UsageRow.event(source.id(), noon, status, 0).times(events));
    }

    @Test
    void tokens_taken_under_a_larger_plan_are_not_spent_under_a_smaller_one() {
        cap(5_000);
        assertThat(spend(quota)).isEqualTo(NO_REFUSAL);

        cap(1);

        assertThat(spend(quota)).isEqualTo(QUOTA_EXCEEDED_STATUS);
    }

    @Test
    void no_events_at_all_may_be_a_plan() {
        cap(0);

        assertThat(spend(quota)).isEqualTo(QUOTA_EXCEEDED_STATUS);
    }

    @Test
    void without_a_number_the_database_is_not_asked() {
        var closed = TestPostgres.open(DATABASE);
        closed.close();
        var unasked = node(closed, Duration.ofSeconds(10));

        assertThat(spend(unasked)).isEqualTo(NO_REFUSAL);
        unasked.run();
        unasked.returnUnused();
        assertThat(taken(202603)).isEqualTo(-1);
    }

    @Test
    void a_database_that_is_slow_or_gone_is_a_500_soon_for_this_workspace_alone() {
        cap(100);
        spend(quota);
        var impatient = node(db, Duration.ofMillis(200));
        var others = source();

        db.run(tx -> {
            tx.update(
                    "update quota set taken = taken where workspace_id = ?",
                    source.workspace().value());
            assertThat(spend(impatient)).isEqualTo(NOT_STORED_STATUS);
            assertThat(spend(impatient)).isEqualTo(NOT_STORED_STATUS);
            assertThat(Refusals.status(() -> quota.spend(others, Some.eventId(clock.instant()))))
                    .isEqualTo(NO_REFUSAL);
        });

        var gone = TestPostgres.open(DATABASE);
        gone.close();
        assertThatThrownBy(() ->
                        node(gone, Duration.ofSeconds(10))
                                .spend(source, Some.eventId(clock.instant())))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.reply().status()).isEqualTo(NOT_STORED_STATUS))
                .hasMessageContaining("safe to send it again");
        assertThat(spend(quota)).isEqualTo(NO_REFUSAL);
    }
}
