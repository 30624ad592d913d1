package dev.sluice.engine.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.GivenRows.UsageRow;
import dev.sluice.testkit.LogRecorder;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

class LedgerFolderTest {

    private static final Duration ROUND_DURATION = Duration.ofMillis(100);

    @AutoClose private final Db db = TestPostgres.open(TestPostgres.newDatabase());

    /// A clock that advances by the duration of a slow round at each reading.
    private final AtomicLong now = new AtomicLong();

    private final LedgerFolder ledgerFolder =
            new LedgerFolder(db, () -> now.addAndGet(ROUND_DURATION.toNanos()));

    private void count() {
        var source = Some.sourceId();
        var usage = UsageRow.event(source, Some.NOON, VerificationStatus.SKIPPED, 1);
        db.run(tx -> GivenRows.insertLedger(tx, source.value(), List.of(usage)));
    }

    private long unfolded() {
        return db.call(tx -> tx.single("select count(*) as n from ledger", row -> row.number("n")));
    }

    @Test
    void a_round_that_took_long_is_followed_by_a_rest_a_hundred_times_as_long() {
        count();
        ledgerFolder.run();
        assertThat(unfolded()).isZero();

        count();
        ledgerFolder.run();
        assertThat(unfolded()).as("while it rests").isEqualTo(1);
        now.addAndGet(ROUND_DURATION.multipliedBy(100).toNanos());
        ledgerFolder.run();

        assertThat(unfolded()).isZero();
    }

    @Test
    void a_batch_that_cannot_be_folded_keeps_no_other_from_it() {
        count();
        var source = Some.sourceId();
        var usage = UsageRow.event(source, Some.NOON, VerificationStatus.SKIPPED, 1);
        var huge = usage.times(Integer.MAX_VALUE); // twice that is more than a column can hold
        db.run(tx -> GivenRows.insertLedger(tx, source.value(), List.of(huge, huge)));
        count();
        try (var log = LogRecorder.of(LedgerFolder.class)) {
            ledgerFolder.run();

            assertThat(unfolded()).isEqualTo(1);
            now.addAndGet(Duration.ofMinutes(1).toNanos());
            ledgerFolder.run();
            assertThat(unfolded()).as("it can be read, so it is kept").isEqualTo(1);
            assertThat(log.values("ledger.fold_failed", "discarded"))
                    .containsExactly("false", "false");
        }
        db.run(tx -> tx.update("delete from ledger"));
    }

    @Test
    void it_rests_for_half_a_minute_at_most() {
        now.addAndGet(Duration.ofMinutes(-10).toNanos());
        var slow = new LedgerFolder(db, () -> now.addAndGet(Duration.ofSeconds(10).toNanos()));
        slow.run();
        count();

        now.addAndGet(Duration.ofSeconds(20).toNanos());
        slow.run();

        assertThat(unfolded()).isZero();
    }
}
