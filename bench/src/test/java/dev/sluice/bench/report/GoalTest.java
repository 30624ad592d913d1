package dev.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GoalTest {

    private static final Goal IDLE = new Goal("idle, %", 0.8, 1.0);
    private static final Goal COLD = new Goal("cold / warm", 0.8, 0.7);

    @Test
    void a_goal_that_is_reached_is_remarked() {
        assertThat(judged(IDLE, 0.8))
                .contains("idle, %: 0.80, the goal is at most 0.8.\n", "passed");
        assertThat(judged(COLD, 0.9)).contains("cold / warm: 0.90, the goal is at least 0.8.");
    }

    @Test
    void a_goal_that_is_missed_by_less_than_the_least_passes() {
        assertThat(judged(IDLE, 0.9)).contains("missed", "passed");
        assertThat(judged(COLD, 0.75)).contains("missed", "passed");
    }

    @Test
    void less_than_the_least_fails_and_so_does_no_number() {
        assertThat(judged(IDLE, 1.1)).contains("FAILED").contains("the least at most 1\n");
        assertThat(judged(COLD, 0.6)).contains("FAILED").contains("the least at least 0.7");
        assertThat(judged(IDLE, Double.NaN)).contains("FAILED");
        assertThat(judged(COLD, Double.NaN)).contains("FAILED");
        assertThat(judged(Goal.atMost("CPU", 28), 28.5)).contains("FAILED");
    }

    private static String judged(Goal goal, double seen) {
        var report = new BenchReport("test");
        goal.judge(seen, report);
        return report.toText();
    }
}
