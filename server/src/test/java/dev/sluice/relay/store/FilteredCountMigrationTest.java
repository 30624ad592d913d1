package dev.sluice.relay.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/// Tests migration `V012`: a database that did not count filtered deliveries counts them, in its
/// old hours too.
class FilteredCountMigrationTest {

    private static final int NOON_HOUR = (int) (Some.NOON.getEpochSecond() / 3600);

    private static void event(Tx tx, Instant at, List<UUID> filtered) {
        tx.update(
                """
                insert into event (id, source_id, method, verification, fanout, body_size, filtered, headers, body)
                values (?, ?, 'POST', 3, ?, 2, ?, ''::bytea, '{}'::bytea)
                """,
                Some.eventId(at).value(),
                Some.id(),
                filtered.size(),
                filtered.isEmpty() ? null : filtered);
    }

    @Test
    void what_filters_kept_back_before_is_counted_by_hour_day_and_in_all() {
        var one = Some.id();
        var other = Some.id();
        try (Db db = TestPostgres.open(TestPostgres.newDatabase())) {
            db.run(tx -> {
                tx.update("create schema older");
                tx.update("set local search_path to older");
                TestPostgres.migrate(tx, "V001__first_light.sql");
                tx.update(
                        "create table event_all partition of event for values from (minvalue) to"
                                + " (maxvalue)");
                event(tx, Some.NOON, List.of(one, other));
                event(tx, Some.NOON.plusSeconds(90), List.of(one));
                event(tx, Some.NOON.plus(Duration.ofHours(1)), List.of(one));
                event(tx, Some.NOON, List.of());
                tx.update("insert into rollup_hour values (2, ?, ?, 3, 9, 0)", one, NOON_HOUR);

                TestPostgres.migrate(tx, "V012__filtered_deliveries.sql");

                assertThat(sums(tx, "rollup_hour", "hour", one))
                        .containsExactly(
                                new UsageSum(NOON_HOUR, 2), new UsageSum(NOON_HOUR + 1, 1));
                assertThat(sums(tx, "rollup_hour", "hour", other))
                        .containsExactly(new UsageSum(NOON_HOUR, 1));
                assertThat(sums(tx, "rollup_day", "day", one))
                        .containsExactly(new UsageSum(NOON_HOUR / 24, 3));
                assertThat(sums(tx, "total", "0", one)).containsExactly(new UsageSum(0, 3));
            });
        }
    }

    /// @param period hour or day since 1970; 0 for all time
    private record UsageSum(int period, int n) {}

    private static List<UsageSum> sums(Tx tx, String table, String period, UUID connection) {
        return tx.query(
                "select "
                        + period
                        + " as period, n from "
                        + table
                        + " where kind = 2 and key = ? and dim = 6 order by 1",
                row -> new UsageSum(row.integer("period"), row.integer("n")),
                connection);
    }
}
