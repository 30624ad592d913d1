package dev.sluice.bench.sink;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Random;
import java.util.stream.IntStream;

class SinkBehaviourTest {

    private final Random random = new Random(1);

    @Test
    void a_flaky_sink_fails_its_share() {
        var flaky = new SinkBehaviour.FlakyAnswers(50, Duration.ZERO);
        long failed =
                IntStream.range(0, 10_000).filter(_ -> flaky.status(0, random) == 503).count();
        assertThat(failed).isBetween(400L, 600L);
    }

    @Test
    void waves_are_calm_then_stormy_then_calm() {
        var waves = new SinkBehaviour.AlternatingFailures(Duration.ofSeconds(10), 100);
        assertThat(waves.status(seconds(9), random)).isEqualTo(200);
        assertThat(waves.status(seconds(11), random)).isIn(SinkBehaviour.FAILURE_STATUSES);
        assertThat(waves.status(seconds(21), random)).isEqualTo(200);
    }

    @Test
    void one_by_one_each_waits_for_the_one_before() {
        var sink = new SinkBehaviour.SerialAnswers(Duration.ofNanos(20));
        assertThat(sink.answerAt(100, 0)).isEqualTo(120);
        assertThat(sink.answerAt(105, 120)).isEqualTo(140);
        assertThat(sink.answerAt(300, 140)).isEqualTo(320);
    }

    private static long seconds(int seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }
}
