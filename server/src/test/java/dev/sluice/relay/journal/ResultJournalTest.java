package dev.sluice.relay.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.gateway.routing.Route;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.store.DeliveryResult;
import dev.sluice.relay.store.StoreFixture;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.PostgresProxy;
import dev.sluice.testkit.Some;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

@ResourceLock(StoreFixture.RESOURCE_LOCK)
class ResultJournalTest {

    private static final long EPOCH = 7;
    private static final int ROUNDS = Integer.getInteger("sluice.rounds", 8);

    private final StoreFixture fixture = new StoreFixture();
    private final PostgresProxy proxy =
            PostgresProxy.to(fixture.database.host(), fixture.database.port());
    private final ManualClock clock = new ManualClock(StoreFixture.NOON);
    private final List<DeliveryResult> written = new CopyOnWriteArrayList<>();
    private final Route route = Some.route(Some.sourceId());
    private final ResultJournal resultJournal = results();

    private ResultJournal results() {
        var database = fixture.database;
        var proxied =
                new Database(
                        "127.0.0.1",
                        proxy.port(),
                        database.name(),
                        database.user(),
                        database.password(),
                        "");
        var made =
                new ResultJournal(
                        new DedicatedConnection(proxied, "results"),
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

            resultJournal.add(StoreFixture.finished(done, DeliveryStatus.SUCCEEDED));
            resultJournal.add(StoreFixture.retried(again, StoreFixture.NOON.plusSeconds(30)));
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
        resultJournal.add(StoreFixture.finished(delivery, DeliveryStatus.SUCCEEDED));
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

        resultJournal.add(StoreFixture.finished(delivery, DeliveryStatus.SUCCEEDED));
        soon().until(() -> written.size() == 1);

        assertThat(fixture.status(delivery)).contains(DeliveryStatus.SUCCEEDED);
    }

    @Test
    void results_are_kept_while_the_disk_is_full() throws InterruptedException {
        fixture.db.run(tx -> {
            tx.update("create sequence tried");
            tx.update(
                    """
                    create function be_full() returns trigger language plpgsql as $$
                    begin
                      perform nextval('tried');
                      raise exception 'could not extend file: No space left on device' using errcode = '53100';
                    end $$
                    """);
            tx.update(
                    "create trigger full_disk before insert on delivery for each row execute"
                            + " function be_full()");
        });
        var delivery = fixture.owned(EPOCH, route);
        resultJournal.add(StoreFixture.finished(delivery, DeliveryStatus.SUCCEEDED));
        soon().until(() -> tries() >= 4);
        assertThat(written).isEmpty();
        assertThat(fixture.workState(delivery)).contains(StoreFixture.WorkRowState.ownedBy(EPOCH));

        fixture.db.run(tx -> tx.update("drop trigger full_disk on delivery"));
        soon().until(() -> written.size() == 1);

        assertThat(fixture.status(delivery)).contains(DeliveryStatus.SUCCEEDED);
    }

    private int tries() {
        return fixture.db.call(tx ->
                tx.single("select last_value::integer as n from tried", row -> row.integer("n")));
    }
}
