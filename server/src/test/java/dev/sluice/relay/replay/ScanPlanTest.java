package dev.sluice.relay.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.db.Tx;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.testkit.Ended;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/// What a replay reads, by PostgreSQL's own counters: what it is about, and not what else there is.
@ResourceLock(Jobs.ROOM)
class ScanPlanTest {

    private static final int OTHERS = 8_000;

    /// Of 30 dead letters, each looked at a few times.
    private static final long FEW = 600;

    private Jobs jobs;

    @BeforeEach
    void fill() {
        jobs = new Jobs();
        for (int i = 1; i <= 4; i++) {
            jobs.ended(
                    DeliveryStatus.SUCCEEDED,
                    jobs.clock.instant().minus(Duration.ofMinutes(2L * i)),
                    OTHERS / 4);
        }
        jobs.ended(DeliveryStatus.FAILED, 30);
        var elsewhere = jobs.given.source();
        Ended.events(
                jobs.db,
                elsewhere,
                jobs.given.connection(elsewhere, jobs.destination),
                DeliveryStatus.FAILED,
                jobs.clock.instant().minusSeconds(60),
                OTHERS / 4);
    }

    @AfterEach
    void close() {
        jobs.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_few_dead_letters_among_many_others_are_found_in_their_index(boolean isAnalyzed) {
        if (isAnalyzed) {
            jobs.db.run(tx -> tx.update("analyze"));
        }
        var job = jobs.job(30, DeliveryStatus.FAILED);
        var process = jobs.process(new Replaying.Sizes(10, 1_000));

        long before = rowsRead();
        for (int round = 0; round < 4; round++) {
            process.run();
        }

        assertThat(jobs.now(job).status()).isEqualTo(Replay.Status.COMPLETED);
        assertThat(jobs.now(job).created()).isEqualTo(30);
        assertThat(rowsRead() - before).isLessThan(FEW);
    }

    @Test
    void what_succeeded_is_stepped_over_in_stretches() {
        var selection = jobs.job(1, DeliveryStatus.SUCCEEDED).selection();
        int seen = 0;
        int meant = 0;
        for (var next = Optional.of(selection.after()); next.isPresent(); ) {
            var from = selection.from(next.get());
            var scan = jobs.db.call(tx -> prepared(tx, () -> Scan.read(tx, from, 1_000)));
            long before = rowsRead();
            meant +=
                    (int)
                            jobs
                                    .db
                                    .call(tx ->
                                            prepared(
                                                    tx,
                                                    () -> Candidate.of(tx, from, scan.events())))
                                    .stream()
                                    .filter(Candidate::isMeant)
                                    .count();
            assertThat(rowsRead() - before).isLessThan(2_500);
            assertThat(scan.events()).hasSizeLessThanOrEqualTo(1_000);
            seen += scan.events().size();
            next = scan.next();
        }
        assertThat(seen).isEqualTo(OTHERS + 30);
        assertThat(meant).isEqualTo(OTHERS);
    }

    private static <T> T prepared(Tx tx, Supplier<T> work) {
        Chunk.prepare(tx);
        return work.get();
    }

    /// Of events and deliveries, unfinished ones too, in any way. The counters of every connection
    /// are flushed first.
    private long rowsRead() {
        jobs.db.run(tx -> tx.query("select pg_stat_force_next_flush()", _ -> true));
        return jobs.db.call(tx ->
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
