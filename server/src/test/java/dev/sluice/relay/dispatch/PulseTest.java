package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;

class PulseTest {

    private static final Duration QUICK = Duration.ofSeconds(2);
    private static final Duration SLOW = Duration.ofMillis(2_001);

    private final Pulse pulse = new Pulse();
    private Instant now = Some.NOON;

    private void attempts(int number, Duration latency) {
        for (int i = 0; i < number; i++) {
            pulse.began(now);
            now = now.plus(latency);
            pulse.ended(now, latency, false);
        }
    }

    private void timeOut(Duration after) {
        pulse.began(now);
        now = now.plus(after);
        pulse.ended(now, after, true);
    }

    @Test
    void one_that_was_never_tried_is_quick() {
        assertThat(pulse.isSlow(now)).isFalse();
    }

    @Test
    void it_is_slow_when_most_of_the_last_nine_attempts_took_more_than_2_s() {
        attempts(9, QUICK);
        attempts(4, SLOW);
        assertThat(pulse.isSlow(now)).isFalse();

        attempts(1, SLOW);
        assertThat(pulse.isSlow(now)).isTrue();
    }

    @Test
    void it_is_quick_again_when_most_of_them_were_quick() {
        attempts(20, SLOW);
        attempts(4, QUICK);
        assertThat(pulse.isSlow(now)).isTrue();

        attempts(1, QUICK);
        assertThat(pulse.isSlow(now)).isFalse();
    }

    @Test
    void a_first_attempt_that_is_slow_says_enough() {
        attempts(1, SLOW);
        assertThat(pulse.isSlow(now)).isTrue();
        attempts(1, QUICK);
        assertThat(pulse.isSlow(now)).isFalse();
    }

    @Test
    void three_that_timed_out_one_after_the_other_make_it_slow_however_short_its_timeout_is() {
        attempts(9, Duration.ofMillis(5));
        timeOut(Duration.ofMillis(50));
        timeOut(Duration.ofMillis(50));
        assertThat(pulse.isSlow(now)).isFalse();
        timeOut(Duration.ofMillis(50));
        assertThat(pulse.isSlow(now)).isTrue();

        attempts(1, Duration.ofMillis(5));
        assertThat(pulse.isSlow(now)).isFalse();
    }

    @Test
    void it_is_slow_while_attempts_are_under_way_and_none_ends_for_2_s() {
        attempts(9, QUICK);
        now = now.plusSeconds(600);
        pulse.began(now);
        now = now.plusSeconds(1);
        pulse.began(now);
        assertThat(pulse.isSlow(now.plusMillis(1_000))).isFalse();
        assertThat(pulse.isSlow(now.plusMillis(1_001))).isTrue();

        now = now.plusSeconds(5);
        pulse.ended(now, Duration.ofSeconds(6), false);
        assertThat(pulse.isSlow(now)).as("a sign of life").isFalse();
        pulse.withdrawn();
        assertThat(pulse.isSlow(now.plusSeconds(60))).as("nothing is under way").isFalse();
    }

    @Test
    void its_width_doubles_with_each_round_of_answers_and_follows_what_it_is_used_to() {
        assertThat(pulse.width()).isEqualTo(2);
        answers(2, 2);
        assertThat(pulse.width()).isEqualTo(4);
        answers(4, 4);
        assertThat(pulse.width()).isEqualTo(8);
        answers(100, 16);
        assertThat(pulse.width()).as("twice what there ever was").isEqualTo(32);

        attempts(100, QUICK);
        assertThat(pulse.width()).as("one at a time").isEqualTo(7);
    }

    /// While so many are under way at once.
    private void answers(int number, int atOnce) {
        for (int i = 0; i < atOnce; i++) {
            pulse.began(now);
        }
        for (int i = 0; i < number; i++) {
            pulse.ended(now, Duration.ofMillis(5), false);
            pulse.began(now);
        }
        for (int i = 0; i < atOnce; i++) {
            pulse.withdrawn();
        }
    }

    @Test
    void a_timeout_takes_its_width() {
        answers(100, 16);
        timeOut(Duration.ofSeconds(10));

        assertThat(pulse.width()).isEqualTo(Pulse.LEAST_WIDTH);
    }
}
