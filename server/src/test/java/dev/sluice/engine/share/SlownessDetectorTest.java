package dev.sluice.engine.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;

class SlownessDetectorTest {

    private static final Duration PROMPT = SlownessDetector.PROMPT;

    private final SlownessDetector slowness = new SlownessDetector();
    private Instant now = Some.NOON;

    private void attempt(Duration latency) {
        var run = slowness.began(now);
        now = now.plus(latency);
        slowness.ended(run, latency);
    }

    private boolean isProven() {
        return slowness.standing(now) == Standing.PROVEN;
    }

    @Test
    void who_was_never_tried_is_unproven() {
        assertThat(isProven()).isFalse();
        slowness.began(now);
        assertThat(isProven()).isFalse();
    }

    @Test
    void it_is_proven_when_the_latest_attempt_ended_within_a_second() {
        attempt(PROMPT);
        assertThat(isProven()).isTrue();

        attempt(PROMPT.plusMillis(1));
        assertThat(isProven()).isFalse();

        attempt(Duration.ofMillis(3));
        assertThat(isProven()).isTrue();
    }

    @Test
    void it_stays_proven_however_long_nothing_is_sent() {
        attempt(PROMPT);
        now = now.plus(Duration.ofDays(9));
        assertThat(isProven()).isTrue();
    }

    @Test
    void it_is_unproven_while_any_attempt_takes_more_than_a_second() {
        attempt(PROMPT);
        var hanging = slowness.began(now);
        now = now.plusMillis(500);
        slowness.began(now);
        now = now.plusMillis(500);
        assertThat(isProven()).isTrue();

        now = now.plusMillis(1);
        assertThat(isProven()).isFalse();
        attempt(Duration.ofMillis(3));
        assertThat(isProven()).as("another one ended promptly").isFalse();

        slowness.withdrawn(hanging);
        assertThat(isProven()).isTrue();
    }

    @Test
    void an_attempt_that_was_not_made_says_nothing() {
        slowness.withdrawn(slowness.began(now));
        assertThat(isProven()).isFalse();

        attempt(PROMPT);
        slowness.withdrawn(slowness.began(now));
        assertThat(isProven()).isTrue();
    }
}
