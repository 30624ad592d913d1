package dev.sluice.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class HeavyRestTest {

    private static final long BEGUN = Long.MAX_VALUE - 5; // nanoTime may overflow

    private final HeavyRest rest = new HeavyRest();

    private static long millis(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }

    @Test
    void without_light_events_there_is_no_rest() {
        rest.wroteHeavy(BEGUN, BEGUN + millis(30));

        assertThat(rest.left(BEGUN + millis(30))).isZero();
    }

    @Test
    void while_light_events_come_the_rest_is_twice_the_time_of_the_commit() {
        rest.wroteLight(BEGUN);
        rest.wroteHeavy(BEGUN, BEGUN + millis(30));

        assertThat(rest.left(BEGUN + millis(30))).isEqualTo(millis(60));
        assertThat(rest.left(BEGUN + millis(89))).isEqualTo(millis(1));
        assertThat(rest.left(BEGUN + millis(90))).isZero();
        assertThat(rest.left(BEGUN + millis(5_000))).isZero();
    }

    @Test
    void without_light_events_shortly_before_there_is_no_rest() {
        rest.wroteLight(BEGUN);
        rest.wroteHeavy(BEGUN + millis(200), BEGUN + millis(230));

        assertThat(rest.left(BEGUN + millis(230))).isZero();
    }

    @Test
    void a_commit_that_takes_long_is_followed_by_a_short_rest() {
        rest.wroteLight(BEGUN);
        rest.wroteHeavy(BEGUN, BEGUN + millis(8_001));

        assertThat(rest.left(BEGUN + millis(8_001))).isEqualTo(HeavyRest.MAX_REST.toNanos());
    }

    @Test
    void at_the_end_nothing_rests() {
        rest.wroteLight(BEGUN);
        rest.wroteHeavy(BEGUN, BEGUN + millis(30));

        rest.end();

        assertThat(rest.left(BEGUN + millis(30))).isZero();
    }
}
