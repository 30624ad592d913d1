package dev.sluice.features.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryStatus;
import dev.sluice.platform.db.Tx;
import dev.sluice.testkit.FinishedEvents;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/// Tests with PostgreSQL's own counters that a replay reads only the rows of its selection.
@ResourceLock(ReplayFixture.RESOURCE_LOCK)
class SelectionQueryPlanTest {

    private static final int OTHER_EVENTS = 8_000;

    /// For 30 dead letters, each read a few times.
    private static final long MAX_ROWS_READ = 600;

    private ReplayFixture fixture;

    @BeforeEach
    void fill() {
        fixture = new ReplayFixture();
        for (int i = 1; i <= 4; i++) {
            fixture.ended(
                    DeliveryStatus.SUCCEEDED,
                    fixture.clock.instant().minus(Duration.ofMinutes(2L * i)),
                    OTHER_EVENTS / 4);
        }
        fixture.ended(DeliveryStatus.FAILED, 30);
        var elsewhere = fixture.given.source();
        FinishedEvents.insert(
                fixture.db,
                elsewhere,
                fixture.given.connection(elsewhere, fixture.destination),
                DeliveryStatus.FAILED,
                fixture.clock.instant().minusSeconds(60),
                OTHER_EVENTS / 4);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_few_dead_letters_among_many_others_are_found_in_their_index(boolean isAnalyzed) {
        if (isAnalyzed) {
            fixture.db.run(tx -> tx.update("analyze"));
        }
        var job = fixture.job(30, DeliveryStatus.FAILED);
        var worker = fixture.worker(new ReplayWorker.ReplayLimits(10, 1_000));

        long before = rowsRead();
        for (int round = 0; round < 4; round++) {
            worker.run();
        }

        assertThat(fixture.reload(job).state().status()).isEqualTo(Replay.ReplayStatus.COMPLETED);
        assertThat(fixture.reload(job).progress().created()).isEqualTo(30);
        assertThat(rowsRead() - before).isLessThan(MAX_ROWS_READ);
    }

    @Test
    void what_succeeded_is_stepped_over_in_stretches() {
        var selection = fixture.job(1, DeliveryStatus.SUCCEEDED).selection();
        int seen = 0;
        int meant = 0;
        for (var next = Optional.of(selection.after()); next.isPresent(); ) {
            var from = selection.startingAfter(next.get());
            var page =
                    fixture.db.call(
                            tx -> prepared(tx, () -> SelectionQueries.page(tx, from, 1_000)));
            long before = rowsRead();
            meant +=
                    (int)
                            fixture
                                    .db
                                    .call(tx ->
                                            prepared(
                                                    tx,
                                                    () ->
                                                            SelectionQueries.candidates(
                                                                    tx, from, page.events())))
                                    .stream()
                                    .filter(ResendCandidate::hasSelectedStatus)
                                    .count();
            assertThat(rowsRead() - before).isLessThan(2_500);
            assertThat(page.events()).hasSizeLessThanOrEqualTo(1_000);
            seen += page.events().size();
            next = page.next();
        }
        assertThat(seen).isEqualTo(OTHER_EVENTS + 30);
        assertThat(meant).isEqualTo(OTHER_EVENTS);
    }

    private static <T> T prepared(Tx tx, Supplier<T> work) {
        SelectionQueries.forceIndexScan(tx);
        return work.get();
    }

    /// Rows read from events and deliveries, unfinished ones included, by any kind of scan. Flushes
    /// the counters of every connection first.
    private long rowsRead() {
        fixture.db.run(tx -> tx.query("select pg_stat_force_next_flush()", _ -> true));
        return fixture.db.call(tx ->
                tx.single(
                        """
                        select (sum(seq_tup_read) + sum(coalesce(idx_tup_fetch, 0)))::bigint as n
                          from pg_stat_user_tables
                         where relname like 'event\\_2%' or relname like 'delivery\\_2%'
                            or relname = 'delivery_work'
                        """,
                        row -> row.number("n")));
    }
}
