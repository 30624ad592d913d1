package dev.sluice.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Random;

/// How long the writer pauses between two batches.
class BatchLingerTest {

    private final BatchLinger linger = new BatchLinger();

    /// Pauses once. The last event arrives `lastArrival` after the beginning of the pause; a
    /// negative time means that none arrived within it.
    private void pause(Duration lastArrival) {
        linger.paused(0, lastArrival.toNanos());
    }

    @Test
    void it_is_useful_after_a_batch_of_several_unless_enough_waits_already() {
        assertThat(BatchLinger.isUseful(1, 0, 0)).as("came alone").isFalse();
        assertThat(BatchLinger.isUseful(7, 0, 0)).isFalse();
        assertThat(BatchLinger.isUseful(8, 0, 0)).as("more are likely").isTrue();
        assertThat(BatchLinger.isUseful(512, 63, 63_000)).isTrue();
        assertThat(BatchLinger.isUseful(512, 64, 64_000)).as("enough events").isFalse();
        assertThat(BatchLinger.isUseful(9, 2, 2 << 20)).as("enough bytes").isFalse();
    }

    @Test
    void it_ends_when_all_are_back_who_got_an_answer_or_were_waiting_already() {
        assertThat(BatchLinger.senders(12, 4)).isEqualTo(16);
    }

    @Test
    void it_is_as_short_as_senders_need_that_wait_for_their_answers() {
        var back = Duration.ofNanos(800_000);

        for (int i = 0; i < 100; i++) {
            pause(back);
        }

        assertThat(linger.length()).isBetween(Duration.ofMillis(1), Duration.ofNanos(1_800_000));
    }

    @Test
    void without_arrivals_it_is_short_but_not_zero() {
        for (int i = 0; i < 100; i++) {
            pause(Duration.ofSeconds(-1));
        }

        assertThat(linger.length()).isEqualTo(BatchLinger.MIN_LINGER);
    }

    @Test
    void while_events_keep_arriving_it_grows_back_to_its_limit() {
        for (int i = 0; i < 100; i++) {
            pause(Duration.ZERO);
        }
        for (int i = 0; i < 10; i++) {
            pause(linger.length());
        }

        assertThat(linger.length()).isEqualTo(BatchLinger.MAX_LINGER);
    }

    /// Events that arrive independently of the answers, at the lowest rate at which batches are
    /// large enough for a pause if a commit takes a millisecond.
    @Test
    void at_a_steady_rate_it_stays_near_its_limit() {
        var random = new Random(1);
        double meanGap = 370_000;
        long sum = 0;
        for (int i = 0; i < 1_000; i++) {
            long left = (long) (-meanGap * Math.log(1 - random.nextDouble()));
            pause(linger.length().minusNanos(left));
            sum += linger.length().toNanos();
        }

        assertThat(sum / 1_000).isGreaterThan(1_500_000);
    }
}
