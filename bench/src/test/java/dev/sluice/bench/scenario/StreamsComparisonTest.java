package dev.sluice.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.scenario.StreamsComparison.StreamsPair;
import dev.sluice.bench.scenario.StreamsComparison.StreamsWindow;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

class StreamsComparisonTest {

    private static final int STUCK = 50;
    private static final StreamsWindow WITHOUT = new StreamsWindow(1, 4_000, 4_000, 8);

    private static boolean isGood(StreamsPair... pairs) {
        var report = new BenchReport("streams");
        new StreamsComparison(List.of(pairs)).addTo(report, STUCK);
        return report.isGood();
    }

    private static StreamsPair beside(
            double share, double answered, double delivered, double p99Ms) {
        return new StreamsPair(
                WITHOUT, new StreamsWindow(share, answered, delivered, p99Ms), STUCK);
    }

    @Test
    void streams_may_take_a_twentieth_and_twenty_milliseconds() {
        assertThat(isGood(beside(0.96, 3_850, 3_850, 27))).isTrue();
        assertThat(isGood(beside(1, 3_700, 4_000, 8))).isFalse();
        assertThat(isGood(beside(1, 4_000, 3_700, 8))).isFalse();
        assertThat(isGood(beside(1, 4_000, 4_000, 29))).isFalse();
    }

    @Test
    void requests_that_were_due_and_not_sent_count_as_not_answered() {
        assertThat(isGood(beside(0.9, 4_000, 4_000, 8))).isFalse();
    }

    @Test
    void one_bad_pair_of_three_decides_nothing() {
        var good = beside(1, 4_000, 4_000, 10);

        assertThat(isGood(good, beside(0.5, 2_000, 2_000, 500), good)).isTrue();
    }

    @Test
    void each_client_that_never_reads_must_be_cut_off_in_each_pair() {
        var good = beside(1, 4_000, 4_000, 10);

        assertThat(isGood(good, new StreamsPair(WITHOUT, WITHOUT, STUCK - 1), good)).isFalse();
    }

    @Test
    void a_window_is_long_enough_for_the_relay_to_cut_off_who_never_reads() {
        var scenario = StreamsScenario.from(CommandLineOptions.parse(List.of()));

        assertThat(scenario.load().measured()).isGreaterThanOrEqualTo(Duration.ofSeconds(60));
    }
}
