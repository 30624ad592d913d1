package dev.sluice.relay.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.gateway.routing.Route;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Line;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TcpProxy;

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

@ResourceLock(Stored.ROOM)
class ResultsTest {

    private static final long EPOCH = 7;
    private static final int ROUNDS = Integer.getInteger("sluice.rounds", 8);

    private final Stored stored = new Stored();
    private final TcpProxy proxy = TcpProxy.to(stored.database.host(), stored.database.port());
    private final ManualClock clock = new ManualClock(Stored.NOON);
    private final List<Settled> told = new CopyOnWriteArrayList<>();
    private final Route route = Some.route(Some.sourceId());
    private final Results results = results();

    private Results results() {
        var database = stored.database;
        var proxied =
                new Database(
                        "127.0.0.1",
                        proxy.port(),
                        database.name(),
                        database.user(),
                        database.password(),
                        "");
        var made =
                new Results(
                        new Line(proxied, "results"),
                        stored.partitions,
                        () -> EPOCH,
                        new Uuid7(clock, new Random(5)),
                        clock);
        made.start((batch, _) -> told.addAll(batch));
        return made;
    }

    @AfterEach
    void close() {
        proxy.comeBack();
        results.close();
        proxy.close();
        stored.close();
    }

    private static ConditionFactory soon() {
        return await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2));
    }

    @ParameterizedTest
    @EnumSource(TcpProxy.Cut.class)
    void a_connection_that_breaks_around_the_commit_leaves_each_result_written_once(
            TcpProxy.Cut cut) throws InterruptedException {
        for (int round = 1; round <= ROUNDS; round++) {
            var done = stored.owned(EPOCH, route);
            var again = stored.owned(EPOCH, route);
            proxy.cutNextCommit(cut);

            results.add(Stored.finished(done, DeliveryStatus.SUCCEEDED));
            results.add(Stored.retried(again, Stored.NOON.plusSeconds(30)));
            int all = 2 * round;
            soon().until(() -> told.size() == all);

            assertThat(proxy.isCutPending()).isFalse();
            assertThat(stored.status(done)).contains(DeliveryStatus.SUCCEEDED);
            assertThat(stored.standing(done)).isEmpty();
            assertThat(stored.standing(again))
                    .contains(Stored.Standing.waiting(Stored.NOON.plusSeconds(30), 1));
            assertThat(stored.attempts(again)).containsExactly(1);
        }
        assertThat(stored.ledger(route.connection().id().value()))
                .containsEntry("2/3", ROUNDS)
                .containsEntry("3/1", 2 * ROUNDS);
    }

    @Test
    void results_are_kept_while_the_database_is_away() throws InterruptedException {
        var work = stored.owned(EPOCH, route);
        proxy.goAway();
        results.add(Stored.finished(work, DeliveryStatus.SUCCEEDED));
        assertThat(stored.standing(work)).contains(Stored.Standing.ownedBy(EPOCH));

        proxy.comeBack();
        soon().until(() -> told.size() == 1);

        assertThat(stored.status(work)).contains(DeliveryStatus.SUCCEEDED);
    }

    @Test
    void results_are_kept_while_the_disk_is_full() throws InterruptedException {
        stored.db.run(tx -> {
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
        var work = stored.owned(EPOCH, route);
        results.add(Stored.finished(work, DeliveryStatus.SUCCEEDED));
        soon().until(() -> tries() >= 4);
        assertThat(told).isEmpty();
        assertThat(stored.standing(work)).contains(Stored.Standing.ownedBy(EPOCH));

        stored.db.run(tx -> tx.update("drop trigger full_disk on delivery"));
        soon().until(() -> told.size() == 1);

        assertThat(stored.status(work)).contains(DeliveryStatus.SUCCEEDED);
    }

    private int tries() {
        return stored.db.call(tx ->
                tx.single("select last_value::integer as n from tried", row -> row.integer("n")));
    }
}
