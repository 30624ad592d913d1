package dev.sluice.relay.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.db.Db;
import dev.sluice.testkit.TestCluster;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

class FoldingTest {

    private static final Duration ROUND = Duration.ofMillis(100);

    @AutoClose private final Db db = TestCluster.open(TestCluster.newDatabase());

    /// Each look at the clock takes as long as a slow round.
    private final AtomicLong now = new AtomicLong();

    private final Folding folding = new Folding(db, () -> now.addAndGet(ROUND.toNanos()));

    private void count() {
        db.run(tx ->
                tx.update(
                        """
                        insert into ledger (batch, source_id, kinds, keys, hours, minutes, dims, counts, sizes)
                        select id, id, '{1}', array[id], '{1}', '{1}', '{3}', '{1}', '{1}'
                          from gen_random_uuid() as id
                        """));
    }

    private long unfolded() {
        return db.call(tx -> tx.single("select count(*) as n from ledger", row -> row.number("n")));
    }

    @Test
    void a_round_that_took_long_is_followed_by_a_rest_a_hundred_times_as_long() {
        count();
        folding.run();
        assertThat(unfolded()).isZero();

        count();
        folding.run();
        assertThat(unfolded()).as("it rests").isEqualTo(1);
        now.addAndGet(ROUND.multipliedBy(100).toNanos());
        folding.run();

        assertThat(unfolded()).isZero();
    }

    @Test
    void it_rests_for_half_a_minute_at_most() {
        now.addAndGet(Duration.ofMinutes(-10).toNanos());
        var slow = new Folding(db, () -> now.addAndGet(Duration.ofSeconds(10).toNanos()));
        slow.run();
        count();

        now.addAndGet(Duration.ofSeconds(20).toNanos());
        slow.run();

        assertThat(unfolded()).isZero();
    }
}
