package dev.sluice.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Random;

/// Tests when a body that arrives slowly is given up.
class BodyDeadlineTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long PATIENCE = 10 * SECOND;
    private static final HttpTimeouts TIMEOUTS = HttpTimeouts.DEFAULT_TIMEOUTS;

    private record Arrival(long at, long bytesBefore) {}

    @Test
    void a_body_of_which_nothing_arrives_has_ten_seconds() {
        assertThat(TIMEOUTS.bodyDeadline(5)).isEqualTo(5 + PATIENCE);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1024, 512 * 1024 + 1, 1 << 20})
    void a_body_that_stalls_has_ten_seconds_whatever_came_before(int bytes) {
        long deadline = TIMEOUTS.bodyDeadline(0);

        deadline = TIMEOUTS.extendBodyDeadline(deadline, bytes, SECOND);

        assertThat(deadline).isLessThanOrEqualTo(SECOND + PATIENCE);
    }

    @Test
    void a_byte_from_time_to_time_saves_nobody() {
        long deadline = TIMEOUTS.bodyDeadline(0);
        long now = 0;
        for (; now <= deadline; now += 9 * SECOND) {
            deadline = TIMEOUTS.extendBodyDeadline(deadline, 1, now);
        }
        assertThat(now).isLessThan(2 * PATIENCE);
    }

    @Test
    void a_body_at_the_minimum_rate_arrives_in_pieces_of_any_size_up_to_ten_seconds() {
        for (int seconds = 1; seconds <= 9; seconds++) {
            long deadline = TIMEOUTS.bodyDeadline(0);
            for (long now = seconds * SECOND; now < 1000 * SECOND; now += seconds * SECOND) {
                assertThat(now).isLessThan(deadline);
                deadline = TIMEOUTS.extendBodyDeadline(deadline, 1024 * seconds, now);
            }
        }
    }

    /// However a body arrives, within any period of its life it falls at most ten seconds behind.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void in_any_period_the_rate_is_at_least_the_minimum_but_for_ten_seconds(long seed) {
        var random = new Random(seed);
        for (int body = 0; body < 200; body++) {
            var arrivals = new ArrayList<Arrival>();
            long deadline = TIMEOUTS.bodyDeadline(0);
            long bytes = 0;
            for (long now = 0; now < deadline && arrivals.size() < 100; ) {
                arrivals.add(new Arrival(now, bytes));
                int more = random.nextInt(1 << random.nextInt(1, 16));
                deadline = TIMEOUTS.extendBodyDeadline(deadline, more, now);
                assertThat(deadline - now).isLessThanOrEqualTo(PATIENCE);
                bytes += more;
                now += random.nextLong(1 + (long) (0.5 * PATIENCE * random.nextDouble()));
            }
            for (var from : arrivals) {
                for (var to : arrivals.subList(arrivals.indexOf(from), arrivals.size())) {
                    double seconds = (to.at() - from.at()) / (double) SECOND;
                    assertThat(to.bytesBefore() - from.bytesBefore() + 1.0)
                            .isGreaterThan(1024 * (seconds - 10));
                }
            }
        }
    }
}
