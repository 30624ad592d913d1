package dev.sluice.platform.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;

class PauseTest {

    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    @Test
    void it_is_over_when_it_has_passed() {
        var pause = Pause.of(NOON, Duration.ofMinutes(1));

        assertThat(pause.isOver(NOON)).isFalse();
        assertThat(pause.isOver(NOON.plusMillis(59_999))).isFalse();
        assertThat(pause.isOver(NOON.plusSeconds(60))).isTrue();
        assertThat(Pause.NONE.isOver(NOON)).isTrue();
    }

    @Test
    void it_is_over_when_the_clock_is_set_back() {
        var pause = Pause.of(NOON.plus(Duration.ofDays(10)), Duration.ofMinutes(1));

        assertThat(pause.isOver(NOON)).isTrue();
    }
}
