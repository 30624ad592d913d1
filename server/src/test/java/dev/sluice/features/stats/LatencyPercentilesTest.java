package dev.sluice.features.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.engine.LatencyBuckets;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Arrays;
import java.util.Random;

class LatencyPercentilesTest {

    private static final double[] SHARES = {0.01, 0.5, 0.95, 0.99, 1};

    private final LatencyPercentiles percentiles = new LatencyPercentiles();

    private void add(long millis) {
        percentiles.add(LatencyBuckets.indexOf(Duration.ofMillis(millis)), 1);
    }

    @Test
    void nothing_measured_has_no_percentile() {
        assertThat(percentiles.percentile(0.5)).isEmpty();
        assertThat(percentiles.json()).isEmpty();
    }

    @Test
    void small_latencies_are_exact() {
        for (int millis : new int[] {1, 2, 2, 3, 5}) {
            add(millis);
        }

        assertThat(percentiles.percentile(0.5)).contains(2L);
        assertThat(percentiles.percentile(0.8)).contains(3L);
        assertThat(percentiles.percentile(1)).contains(5L);
    }

    @Test
    void a_percentile_is_in_the_bucket_of_the_exact_one() {
        var random = new Random(4);
        var latencies = new long[5_000];
        for (int i = 0; i < latencies.length; i++) {
            latencies[i] = Math.round(Math.exp(random.nextGaussian() * 1.3 + 4.5));
            add(latencies[i]);
        }
        Arrays.sort(latencies);

        for (double share : SHARES) {
            long exact = latencies[(int) Math.ceil(share * latencies.length) - 1];
            // The bucket is right, so the distance is at most its width.
            assertThat(percentiles.percentile(share).orElseThrow())
                    .as("share " + share)
                    .isCloseTo(exact, within(exact / 4 + 1));
        }
    }

    @Test
    void histograms_add_up() {
        var other = new LatencyPercentiles();
        add(10);
        other.add(LatencyBuckets.indexOf(Duration.ofSeconds(5)), 3);

        percentiles.addAll(other);

        assertThat(percentiles.percentile(0.25).orElseThrow()).isBetween(10L, 11L);
        assertThat(percentiles.percentile(0.5).orElseThrow()).isBetween(4_096L, 5_119L);
    }
}
