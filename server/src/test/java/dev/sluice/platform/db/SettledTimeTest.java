package dev.sluice.platform.db;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;

class SettledTimeTest {

    private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");
    private static final Duration TEN_DAYS = Duration.ofDays(10);
    private static final Duration SYNC_INTERVAL = Duration.ofSeconds(30);

    private SettledTime settled = SettledTime.at(START, 0);
    private Duration passed = Duration.ZERO;

    /// Lets time pass with a sync every half minute.
    ///
    /// @param ahead by how much the database's clock is ahead of true time
    private void pass(Duration time, Duration ahead) {
        for (long syncs = time.dividedBy(SYNC_INTERVAL); syncs > 0; syncs--) {
            passed = passed.plus(SYNC_INTERVAL);
            settled = settled.afterReading(START.plus(passed).plus(ahead), passed.toNanos());
        }
    }

    private Instant now() {
        return settled.at(passed.toNanos());
    }

    private Instant trueTime() {
        return START.plus(passed);
    }

    @Test
    void it_goes_with_the_databases_clock() {
        pass(Duration.ofMinutes(5), Duration.ofSeconds(-3));
        assertThat(now()).isEqualTo(trueTime().minusSeconds(3));

        pass(Duration.ofMinutes(5), Duration.ofMinutes(9));
        assertThat(now()).isEqualTo(trueTime().plus(Duration.ofMinutes(9)));
    }

    @Test
    void a_leap_that_ends_within_the_hour_never_was() {
        pass(Duration.ofMinutes(59), TEN_DAYS);
        assertThat(now()).isEqualTo(trueTime());
        assertThat(settled.leap()).isPresent();

        pass(SYNC_INTERVAL, Duration.ZERO);
        assertThat(now()).isEqualTo(trueTime());
        assertThat(settled.leap()).isEmpty();
    }

    @Test
    void a_leap_that_has_lasted_for_an_hour_is_believed() {
        pass(SettledTime.SETTLE_TIME, TEN_DAYS);
        assertThat(now()).isEqualTo(trueTime());

        pass(SYNC_INTERVAL, TEN_DAYS);
        assertThat(now()).isEqualTo(trueTime().plus(TEN_DAYS));
        assertThat(settled.leap()).isEmpty();
    }

    @Test
    void a_leap_beyond_a_leap_has_an_hour_of_its_own() {
        pass(Duration.ofMinutes(59), TEN_DAYS);
        pass(Duration.ofMinutes(59), TEN_DAYS.multipliedBy(2));

        assertThat(now()).isEqualTo(trueTime());
    }

    @Test
    void a_clock_that_is_set_back_is_followed_at_once() {
        pass(Duration.ofHours(2), TEN_DAYS);

        pass(SYNC_INTERVAL, Duration.ZERO);

        assertThat(now()).isEqualTo(trueTime());
    }
}
