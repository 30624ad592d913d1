package dev.sluice.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.gateway.routing.Route;
import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.LogRecorder;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.PostgresProxy;
import dev.sluice.testkit.Some;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

@ResourceLock(StoreFixture.RESOURCE_LOCK)
class ResultJournalTest {

    private static final long EPOCH = 7;
    private static final int ROUNDS = Integer.getInteger("sluice.rounds", 8);

    private final StoreFixture fixture = new StoreFixture();
    private final PostgresProxy proxy = PostgresProxy.to(fixture.database);
    private final ManualClock clock = new ManualClock(StoreFixture.NOON);
    private final List<DeliveryResult> written = new CopyOnWriteArrayList<>();
    private final Route route = Some.route(Some.sourceId());
    private final ResultJournal resultJournal = results();

    private ResultJournal results() {
        var made =
                new ResultJournal(
                        new DedicatedConnection(proxy.database(), "results"),
                        fixture.partitions,
                        () -> EPOCH,
                        new Uuid7(clock, new Random(5)),
                        clock);
        made.start((batch, _) -> written.addAll(batch));
        return made;
    }

    @AfterEach
    void close() {
        proxy.bringUp();
        resultJournal.close();
        proxy.close();
        fixture.db.run(tx -> {
            tx.update("drop function if exists refuse cascade");
            tx.update("drop sequence if exists tried");
        });
        fixture.close();
    }

    private static ConditionFactory soon() {
        return await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2));
    }

    @ParameterizedTest
    @EnumSource(PostgresProxy.CommitCut.class)
    void a_connection_that_breaks_around_the_commit_leaves_each_result_written_once(
            PostgresProxy.CommitCut cut) throws InterruptedException {
        for (int round = 1; round <= ROUNDS; round++) {
            var done = fixture.owned(EPOCH, route);
            var again = fixture.owned(EPOCH, route);
            proxy.cutNextCommit(cut);

            resultJournal.add(StoreFixture.finished(done, DeliveryStatus.SUCCEEDED), true);
            resultJournal.add(StoreFixture.retried(again, StoreFixture.NOON.plusSeconds(30)), true);
            int all = 2 * round;
            soon().until(() -> written.size() == all);

            assertThat(proxy.isCutPending()).isFalse();
            assertThat(fixture.status(done)).contains(DeliveryStatus.SUCCEEDED);
            assertThat(fixture.workState(done)).isEmpty();
            assertThat(fixture.workState(again))
                    .contains(
                            StoreFixture.WorkRowState.waiting(
                                    StoreFixture.NOON.plusSeconds(30), 1));
            assertThat(fixture.attempts(again)).containsExactly(1);
        }
        assertThat(fixture.ledger(route.connection().id().value()))
                .containsEntry(StoreFixture.UsageCount.outcomes(DeliveryStatus.SUCCEEDED), ROUNDS)
                .containsEntry(StoreFixture.UsageCount.deliveries(Trigger.INGEST), 2 * ROUNDS);
    }

    @Test
    void results_are_kept_while_the_database_is_away() throws InterruptedException {
        var delivery = fixture.owned(EPOCH, route);
        proxy.takeDown();
        resultJournal.add(StoreFixture.finished(delivery, DeliveryStatus.SUCCEEDED), true);
        assertThat(fixture.workState(delivery)).contains(StoreFixture.WorkRowState.ownedBy(EPOCH));

        proxy.bringUp();
        soon().until(() -> written.size() == 1);

        assertThat(fixture.status(delivery)).contains(DeliveryStatus.SUCCEEDED);
    }

    @Test
    void a_result_is_written_on_the_day_of_its_delivery_whatever_day_it_is()
            throws InterruptedException {
        var delivery = fixture.owned(EPOCH, route);
        fixture.db.run(tx -> {
            for (var table : List.of("delivery", "attempt")) {
                tx.update("drop table " + table + "_20260301");
            }
        });
        clock.advance(Duration.ofDays(100));

        resultJournal.add(StoreFixture.finished(delivery, DeliveryStatus.SUCCEEDED), true);
        soon().until(() -> written.size() == 1);

        assertThat(fixture.status(delivery)).contains(DeliveryStatus.SUCCEEDED);
    }

    @Test
    void results_of_a_day_that_cannot_be_made_are_set_aside_together_and_written_later()
            throws InterruptedException {
        var homeless = new ArrayList<UnfinishedDelivery>();
        for (int i = 0; i < 100; i++) {
            homeless.add(fixture.owned(EPOCH, route));
        }
        // the name is taken by a table that is no partition, so the day cannot be made
        String bounds =
                fixture.db.call(tx ->
                        tx.single(
                                """
                                select pg_get_expr(relpartbound, oid) as bounds from pg_class
                                 where relname = 'delivery_20260301'
                                """,
                                row -> row.text("bounds")));
        fixture.db.run(tx -> tx.update("alter table delivery detach partition delivery_20260301"));
        try (var log = LogRecorder.of(ResultBatch.class)) {
            for (var delivery : homeless) {
                resultJournal.add(StoreFixture.finished(delivery, DeliveryStatus.SUCCEEDED), false);
            }
            soon().until(resultJournal::isFailing);
            soon().until(() -> resultJournal.queued() == 0);
            assertThat(written).isEmpty();

            fixture.db.run(tx ->
                    tx.update("alter table delivery attach partition delivery_20260301 " + bounds));
            await().until(() -> written.size() == 100);
            assertThat(log.count("results.commit_failed")).isLessThanOrEqualTo(20);
        }
        assertThat(resultJournal.isFailing()).isFalse();
    }

    /// Makes every insert into `delivery` fail, or those of one delivery.
    private void refuse(String state, Optional<UnfinishedDelivery> only) {
        fixture.db.run(tx -> {
            tx.update("create sequence tried");
            tx.update(
                    """
                    create function refuse() returns trigger language plpgsql as $$
                    begin
                      if %s then
                        perform nextval('tried');
                        raise exception 'refused' using errcode = '%s';
                      end if;
                      return new;
                    end $$
                    """
                            .formatted(
                                    only.map(one -> "new.id = '" + one.id().value() + "'")
                                            .orElse("true"),
                                    state));
            tx.update(
                    "create trigger refusal before insert on delivery for each row execute"
                            + " function refuse()");
        });
    }

    private void stopRefusing() {
        fixture.db.run(tx -> tx.update("drop trigger refusal on delivery"));
    }

    private int tries() {
        return fixture.db.call(tx ->
                tx.single("select last_value::integer as n from tried", row -> row.integer("n")));
    }

    private List<UnfinishedDelivery> owned(int number) {
        return Stream.generate(() -> fixture.owned(EPOCH, route)).limit(number).toList();
    }

    private void addSuccesses(List<UnfinishedDelivery> deliveries) throws InterruptedException {
        for (var delivery : deliveries) {
            resultJournal.add(StoreFixture.finished(delivery, DeliveryStatus.SUCCEEDED), true);
        }
    }

    /// Disk full, out of memory, cancelled by the statement timeout, lock timeout, deadlock,
    /// serialisation failure, disk error, read-only.
    @ParameterizedTest
    @ValueSource(strings = {"53100", "53200", "57014", "55P03", "40P01", "40001", "58030", "25006"})
    void a_refusal_that_passes_is_waited_out_and_loses_nothing(String state)
            throws InterruptedException {
        refuse(state, Optional.empty());
        var deliveries = owned(3);
        addSuccesses(deliveries);
        soon().until(() -> tries() >= 4);
        assertThat(written).isEmpty();

        stopRefusing();
        soon().until(() -> written.size() == 3);

        assertThat(deliveries)
                .allMatch(one -> fixture.status(one).equals(Optional.of(DeliveryStatus.SUCCEEDED)));
    }

    @Test
    void a_database_that_is_read_only_for_a_while_gets_all_results_on_a_new_connection()
            throws InterruptedException {
        try (var log = LogRecorder.of(ResultBatch.class)) {
            addSuccesses(owned(1));
            soon().until(() -> written.size() == 1);
            var deliveries = owned(200);
            fixture.readOnly(true);
            fixture.endSessions("sluice results");
            addSuccesses(deliveries);
            soon().until(() -> log.count("results.commit_failed") >= 4);
            assertThat(written).hasSize(1);

            fixture.readOnly(false); // sessions that are open stay read-only
            soon().until(() -> written.size() == 201);

            assertThat(fixture.count("delivery")).isEqualTo(201);
            assertThat(log.values("results.lost", "delivery_id"))
                    .doesNotContainAnyElementsOf(
                            deliveries.stream().map(one -> one.id().toString()).toList());
        }
    }

    @Test
    void connections_that_are_ended_again_and_again_lose_nothing() throws InterruptedException {
        for (int round = 1; round <= ROUNDS; round++) {
            addSuccesses(owned(20));
            fixture.endSessions("sluice results");
        }
        soon().until(() -> written.size() == 20 * ROUNDS);

        assertThat(fixture.count("delivery")).isEqualTo(20L * ROUNDS);
    }

    @Test
    void only_the_result_that_breaks_a_rule_is_given_up() throws InterruptedException {
        try (var log = LogRecorder.of(ResultBatch.class)) {
            var bad = fixture.owned(EPOCH, route);
            refuse("23502", Optional.of(bad));
            addSuccesses(owned(50));
            resultJournal.add(StoreFixture.finished(bad, DeliveryStatus.SUCCEEDED), true);
            addSuccesses(owned(50));
            soon().until(() -> written.size() == 101);

            assertThat(fixture.count("delivery")).isEqualTo(100);
            assertThat(fixture.workState(bad)).contains(StoreFixture.WorkRowState.ownedBy(EPOCH));
            assertThat(log.values("results.lost", "delivery_id")).contains(bad.id().toString());
            stopRefusing();
        }
    }

    @Test
    void a_result_that_is_refused_for_an_unknown_reason_rests_while_others_are_written()
            throws InterruptedException {
        try (var log = LogRecorder.of(ResultBatch.class)) {
            var bad = fixture.owned(EPOCH, route);
            refuse("P0001", Optional.of(bad));
            resultJournal.add(StoreFixture.finished(bad, DeliveryStatus.SUCCEEDED), true);
            addSuccesses(owned(20));
            soon().until(() -> written.size() == 20);
            addSuccesses(owned(20));
            soon().until(() -> written.size() == 40);

            stopRefusing();
            soon().until(() -> written.size() == 41);

            assertThat(fixture.status(bad)).contains(DeliveryStatus.SUCCEEDED);
            assertThat(log.values("results.lost", "delivery_id"))
                    .doesNotContain(bad.id().toString());
        }
    }
}
