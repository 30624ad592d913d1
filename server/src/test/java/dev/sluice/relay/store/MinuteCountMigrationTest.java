package dev.sluice.relay.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.usage.LedgerStore;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// Tests migration `V004`: a database that counted by the hour counts by the minute, in its old
/// hours too.
class MinuteCountMigrationTest {

    private static final int NOON_HOUR = (int) (Some.NOON.getEpochSecond() / 3600);

    private static void event(Tx tx, UUID source, Instant at, int verification) {
        tx.update(
                """
                insert into event (id, source_id, method, verification, fanout, body_size, headers, body)
                values (?, ?, 'POST', ?, 0, 2, ''::bytea, '{}'::bytea)
                """,
                Some.eventId(at).value(),
                source,
                verification);
    }

    @Test
    void hours_that_were_folded_before_get_their_minutes_and_the_ledger_is_folded() {
        var source = Some.id();
        try (Db db = TestPostgres.open(TestPostgres.newDatabase())) {
            db.run(tx -> {
                tx.update("create schema older");
                tx.update("set local search_path to older");
                TestPostgres.migrate(tx, "V001__first_light.sql");
                tx.update(
                        "create table event_all partition of event for values from (minvalue) to"
                                + " (maxvalue)");
                event(tx, source, Some.NOON, 3);
                event(tx, source, Some.NOON.plusSeconds(61), 3);
                event(tx, source, Some.NOON.plusSeconds(119), 3);
                event(tx, source, Some.NOON.plusSeconds(120), 2);
                event(tx, source, Some.NOON.plus(Duration.ofMinutes(59)), 3); // not folded yet
                tx.update(
                        "insert into rollup_hour values (1, ?, ?, 3, 3, 6), (1, ?, ?, 2, 1, 2)",
                        source,
                        NOON_HOUR,
                        source,
                        NOON_HOUR);
                tx.update("insert into rollup_hour values (2, ?, ?, 3, 9, 0)", source, NOON_HOUR);
                tx.update(
                        "insert into ledger values (?, ?, '{1,3}', ?, ?, '{3,1}', '{1,2}',"
                                + " '{2,0}')",
                        Some.id(),
                        source,
                        List.of(source, source),
                        List.of(NOON_HOUR, NOON_HOUR));

                TestPostgres.migrate(tx, "V004__events_by_minute.sql");

                assertThat(hour(tx, 1, 3)).isEqualTo(new HourCount(4, Map.of(0, 1, 1, 2, 59, 1)));
                assertThat(hour(tx, 1, 2)).isEqualTo(new HourCount(1, Map.of(2, 1)));
                assertThat(hour(tx, 2, 3)).isEqualTo(new HourCount(9, Map.of()));
                assertThat(hour(tx, 3, 1)).isEqualTo(new HourCount(2, Map.of()));
                assertThat(tx.query("select batch from ledger", row -> row.uuid("batch")))
                        .isEmpty();

                tx.update(
                        "insert into ledger (batch, source_id, kinds, keys, hours, minutes, dims,"
                                + " counts, sizes) values (?, ?, '{1,1}', ?, ?, '{1,30}', '{3,3}',"
                                + " '{5,1}', '{1,1}')",
                        Some.id(),
                        source,
                        List.of(source, source),
                        List.of(NOON_HOUR, NOON_HOUR));
                LedgerStore.fold(tx);
                assertThat(hour(tx, 1, 3))
                        .isEqualTo(new HourCount(10, Map.of(0, 1, 1, 7, 30, 1, 59, 1)));
            });
        }
    }

    /// A server of the older version, storing an event meanwhile, locks events first too.
    @Test
    void an_event_that_is_being_stored_is_waited_for_and_not_deadlocked_with() throws Exception {
        var source = Some.id();
        try (Db db = TestPostgres.open(TestPostgres.newDatabase())) {
            db.run(tx -> {
                tx.update("create schema older");
                tx.update("set local search_path to older");
                TestPostgres.migrate(tx, "V001__first_light.sql");
                tx.update(
                        "create table event_all partition of event for values from (minvalue) to"
                                + " (maxvalue)");
            });
            var migrated = new CompletableFuture<Boolean>();
            db.run(tx -> {
                tx.update("set local search_path to older");
                event(tx, source, Some.NOON, 3);
                Thread.ofVirtual().start(() -> migrate(db, migrated));
                await().until(() -> isWaited(db));

                tx.update(
                        "insert into ledger values (?, ?, '{1}', ?, ?, '{3}', '{1}', '{2}')",
                        Some.id(), source, List.of(source), List.of(NOON_HOUR));
            });

            assertThat(migrated.get(30, TimeUnit.SECONDS)).isTrue();
            db.run(tx -> {
                tx.update("set local search_path to older");
                assertThat(hour(tx, 1, 3)).isEqualTo(new HourCount(1, Map.of(0, 1)));
            });
        }
    }

    private static void migrate(Db db, CompletableFuture<Boolean> migrated) {
        try {
            db.run(tx -> {
                tx.update("set local search_path to older");
                TestPostgres.migrate(tx, "V004__events_by_minute.sql");
            });
            migrated.complete(true);
        } catch (RuntimeException e) {
            migrated.completeExceptionally(e);
        }
    }

    private static boolean isWaited(Db db) {
        return db.call(tx ->
                tx.single(
                        """
                        select count(*) as n
                          from pg_locks
                         where not granted and database = (select oid from pg_database where datname = current_database())
                        """,
                        row -> row.number("n") > 0));
    }

    /// @param minutes counts other than 0, by minute of the hour
    private record HourCount(int n, Map<Integer, Integer> minutes) {}

    private static HourCount hour(Tx tx, int kind, int dim) {
        return tx.single(
                "select n, minutes from rollup_hour where kind = ? and hour = ? and dim = ?",
                row -> new HourCount(row.integer("n"), byMinute(row.integers("minutes"))),
                kind,
                NOON_HOUR,
                dim);
    }

    private static Map<Integer, Integer> byMinute(List<Integer> minutes) {
        var counts = new HashMap<Integer, Integer>();
        for (int minute = 0; minute < minutes.size(); minute++) {
            if (minutes.get(minute) > 0) {
                counts.put(minute, minutes.get(minute));
            }
        }
        return counts;
    }
}
