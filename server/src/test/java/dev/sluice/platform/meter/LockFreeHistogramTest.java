package dev.sluice.platform.meter;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class LockFreeHistogramTest {

    @Test
    void a_value_counts_in_the_first_bucket_that_reaches_it() {
        var sizes = LockFreeHistogram.ofSizes();
        for (int size : new int[] {1, 2, 3, 4, 512, 513}) {
            sizes.record(size);
        }

        var state = sizes.state();

        assertThat(state.bounds()).startsWith(1.0, 2.0, 4.0).endsWith(Double.POSITIVE_INFINITY);
        assertThat(state.counts()).containsExactly(1L, 1L, 2L, 0L, 0L, 0L, 0L, 0L, 0L, 1L, 1L);
        assertThat(state.sum()).isEqualTo(1 + 2 + 3 + 4 + 512 + 513);
    }

    @Test
    void durations_are_in_seconds() {
        var durations = LockFreeHistogram.ofDurations();
        durations.record(Duration.ofMillis(1));
        durations.record(Duration.ofMillis(1_500));
        durations.record(Duration.ofHours(1));

        var state = durations.state();

        assertThat(state.counts().getFirst()).isEqualTo(1);
        assertThat(state.counts().get(state.bounds().indexOf(2.5))).isEqualTo(1);
        assertThat(state.counts().getLast()).isEqualTo(1);
        assertThat(state.sum()).isEqualTo(3_601.501);
    }
}
