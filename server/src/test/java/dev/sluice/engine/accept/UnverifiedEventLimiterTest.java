package dev.sluice.engine.accept;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class UnverifiedEventLimiterTest {

    private static final long MIB = 1 << 20;

    private final ManualClock clock = new ManualClock(Some.NOON);
    private final UnverifiedEventLimiter limiter = new UnverifiedEventLimiter(clock);
    private final SourceId source = Some.sourceId();

    private int acquireAll(SourceId from, long size) {
        int acquired = 0;
        while (limiter.tryAcquire(from, size)) {
            acquired++;
        }
        return acquired;
    }

    @Test
    void a_source_stores_a_hundred_in_an_hour_of_the_clock() {
        clock.advance(Duration.ofSeconds(3_599));
        assertThat(acquireAll(source, 10)).isEqualTo(100);
        assertThat(limiter.tryAcquire(source, 0)).isFalse();

        clock.advance(Duration.ofSeconds(1));
        assertThat(acquireAll(source, 10)).isEqualTo(100);
    }

    @Test
    void a_source_stores_ten_mebibytes_in_an_hour_and_a_small_event_still_fits_after_a_large_one() {
        assertThat(acquireAll(source, MIB + 10)).isEqualTo(9);
        assertThat(limiter.tryAcquire(source, MIB - 90)).isTrue();
        assertThat(limiter.tryAcquire(source, 1)).isFalse();
    }

    @Test
    void each_source_has_limits_of_its_own() {
        acquireAll(source, MIB);

        assertThat(acquireAll(Some.sourceId(), 1)).isEqualTo(100);
    }

    @Test
    void a_clock_that_was_set_back_begins_another_hour() {
        acquireAll(source, 1);
        clock.advance(Duration.ofDays(-1));

        assertThat(limiter.tryAcquire(source, 1)).isTrue();
    }
}
