package dev.sluice.engine.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.lanes.ProbeStore.ProbeCandidate;
import dev.sluice.engine.lanes.ProbeStore.ProbeLanes;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Tests how many rows the choice of a probe reads, with 1 000 lanes of one destination.
///
/// `-Dsluice.rows=1000000` makes a million deliveries that failed and are due. The log says how
/// long the choice took.
class ProbeStorePlanTest {

    private static final Logger log = LoggerFactory.getLogger(ProbeStorePlanTest.class);

    private static final int LANE_COUNT = 1_000;
    private static final int ROWS = Integer.getInteger("sluice.rows", 50_000);
    private static final long EPOCH = 7;
    private static final int RUNS = 15;

    /// Of each lane.
    private static final int ROWS_PER_STATEMENT = 20;

    private static final Db DB = TestPostgres.open(TestPostgres.newDatabase());
    private static final DestinationId DESTINATION = filled();

    @AfterAll
    static void close() {
        DB.close();
    }

    /// Fills the lanes with deliveries that failed once or more and are due.
    private static DestinationId filled() {
        var given = new Given(DB);
        var destination = given.destination("a.example", 4);
        given.connectedSources(destination, LANE_COUNT);
        DB.run(tx ->
                tx.update(
                        """
                        insert into lane (connection_id, trigger, source_id, wake_at)
                        select id, 1, source_id, 'infinity' from connection
                        """));
        int each = ROWS / LANE_COUNT;
        for (int first = 1; first <= each; first += ROWS_PER_STATEMENT) {
            int from = first;
            DB.run(tx ->
                    tx.update(
                            """
                            insert into delivery_work (id, source_id, connection_id, trigger, attempts, next_at)
                            select gen_random_uuid(), source_id, id, 1, 1 + n % 4, ?::timestamptz - n * interval '1 ms'
                              from generate_series(?, ?) as n, connection
                            """,
                            Some.NOON, from, Math.min(each, from + ROWS_PER_STATEMENT - 1)));
        }
        return destination;
    }

    /// What this session has read of `delivery_work` so far.
    private record Counters(long tableScans, long rows) {}

    private static Counters cost(boolean isNewest) {
        var nanos = new long[RUNS];
        var counters = new Counters(0, 0);
        for (int run = 0; run < RUNS; run++) {
            int now = run;
            counters =
                    DB.call(tx -> {
                        var before = counters(tx);
                        long begun = System.nanoTime();
                        var chosen = choose(tx, isNewest);
                        nanos[now] = System.nanoTime() - begun;
                        assertThat(chosen).isPresent();
                        var after = counters(tx);
                        tx.update("update lane set owner = null where owner is not null");
                        return new Counters(
                                after.tableScans() - before.tableScans(),
                                after.rows() - before.rows());
                    });
        }
        Arrays.sort(nanos);
        log.atInfo()
                .addKeyValue("rows", ROWS)
                .addKeyValue("newest", isNewest)
                .addKeyValue("rows_read", counters.rows())
                .addKeyValue("fastest_us", nanos[0] / 1_000)
                .addKeyValue("median_us", nanos[RUNS / 2] / 1_000)
                .log("probe.chosen");
        return counters;
    }

    private static Counters counters(Tx tx) {
        return tx.single(
                """
                select seq_scan, idx_tup_fetch from pg_stat_xact_user_tables
                 where relname = 'delivery_work'
                """,
                row -> new Counters(row.number("seq_scan"), row.number("idx_tup_fetch")));
    }

    private static Optional<ProbeCandidate> choose(Tx tx, boolean isNewest) {
        return ProbeStore.lease(
                tx, EPOCH, new ProbeLanes(DESTINATION, List.of()), isNewest, Some.NOON);
    }

    @Test
    void choice_reads_one_row_of_each_lane_if_all_have_failed() {
        var cost = cost(false);

        assertThat(cost.tableScans()).isZero();
        assertThat(cost.rows()).isLessThanOrEqualTo(LANE_COUNT + 10);
    }

    @Test
    void choice_reads_one_row_of_each_lane_that_has_untried_deliveries() {
        DB.run(tx ->
                tx.update(
                        """
                        insert into delivery_work (id, source_id, connection_id, trigger, next_at)
                        select gen_random_uuid(), source_id, id, 1, ?::timestamptz
                          from generate_series(1, 3), connection
                        """,
                        Some.NOON));
        try {
            for (boolean isNewest : new boolean[] {true, false}) {
                var cost = cost(isNewest);
                assertThat(cost.tableScans()).isZero();
                assertThat(cost.rows()).isLessThanOrEqualTo(LANE_COUNT + 10);
            }
        } finally {
            DB.run(tx -> tx.update("delete from delivery_work where attempts = 0"));
        }
    }

    /// Rows that a node has in memory, as every new delivery is at first, are in neither index.
    @Test
    void deliveries_in_memory_are_in_neither_index() {
        var indexes =
                DB.call(tx ->
                        tx.query(
                                """
                                select pg_get_expr(indpred, indrelid) as predicate
                                  from pg_index
                                 where indexrelid in ('delivery_work_untried'::regclass,
                                                      'delivery_work_tried'::regclass)
                                """,
                                row -> row.text("predicate")));

        assertThat(indexes).hasSize(2).allMatch(each -> each.contains("next_at IS NOT NULL"));
    }
}
