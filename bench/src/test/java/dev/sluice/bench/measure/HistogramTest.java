package dev.sluice.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HistogramTest {

    @ParameterizedTest
    @CsvSource({"0.5, 5000000", "0.9, 9000000", "0.99, 9900000", "0.999, 9990000"})
    void a_percentile_is_right_within_one_percent(double share, long nanos) {
        var histogram = new Histogram();
        for (int value = 1; value <= 10_000; value++) {
            histogram.record(value * 1_000L);
        }

        assertThat(histogram.percentile(share) / (double) nanos).isCloseTo(1, within(0.01));
    }

    @Test
    void the_highest_percentile_is_the_highest_value() {
        var histogram = new Histogram();
        histogram.record(3);
        histogram.record(123_456_789_012_345L);

        assertThat(histogram.percentile(1)).isEqualTo(123_456_789_012_345L);
        assertThat(histogram.percentile(0.5)).isEqualTo(3);
    }

    @Test
    void the_longest_duration_there_is_has_a_bucket() {
        var histogram = new Histogram();
        histogram.record(Long.MAX_VALUE);

        assertThat(histogram.percentile(0.5)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void nothing_recorded_reads_as_nothing() {
        assertThat(new Histogram().summary()).isEqualTo(new LatencySummary(0, 0, 0, 0, 0));
    }

    @Test
    void a_negative_duration_counts_as_none() {
        var histogram = new Histogram();
        histogram.record(-5);

        assertThat(histogram.count()).isEqualTo(1);
        assertThat(histogram.percentile(0.5)).isZero();
    }
}
