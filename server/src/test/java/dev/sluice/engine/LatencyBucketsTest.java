package dev.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;

class LatencyBucketsTest {

    private static final int LONGEST_TIMEOUT_MILLIS = 300_000;

    /// They stand in stored rows.
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1, 1",
        "3, 3",
        "4, 4",
        "7, 7",
        "8, 8",
        "9, 8",
        "10, 9",
        "15, 11",
        "16, 12",
        "100, 22",
        "1000, 35",
        "10000, 48",
        "300000, 68",
        "524287, 71",
        "900000, 71",
        "-5, 0"
    })
    void a_latency_keeps_its_bucket(long millis, int bucket) {
        assertThat(LatencyBuckets.indexOf(Duration.ofMillis(millis))).isEqualTo(bucket);
    }

    @Test
    void each_latency_is_within_its_bucket_and_the_buckets_are_narrow() {
        int previous = 0;
        for (int millis = 0; millis <= LONGEST_TIMEOUT_MILLIS; millis++) {
            int bucket = LatencyBuckets.indexOf(Duration.ofMillis(millis));
            assertThat(bucket).isBetween(previous, previous + 1);
            assertThat(millis)
                    .isBetween(LatencyBuckets.lowest(bucket), LatencyBuckets.highest(bucket));
            previous = bucket;
        }
        for (int bucket = 0; bucket < LatencyBuckets.COUNT; bucket++) {
            int width = LatencyBuckets.highest(bucket) - LatencyBuckets.lowest(bucket);
            assertThat(width).isLessThan(Math.max(1, LatencyBuckets.lowest(bucket) / 4 + 1));
        }
    }
}
