package dev.sluice.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

class CpuUsageTest {

    @Test
    void a_process_counts_itself_and_its_children_that_have_ended() {
        var times =
                ProcessTimes.parse(
                        "712 (postgres: a) b) S 700 712 712 0 -1 4194560 5 0 0 0 30 12 400 8 20 0"
                                + " 1");

        assertThat(times).isEqualTo(new ProcessTimes(712, 700, 450));
    }

    @Test
    void the_machine_is_busy_with_all_but_idling_and_waiting() {
        assertThat(CpuSnapshot.busyTicks("cpu  100 20 30 9000 500 4 5 6 0 0")).isEqualTo(165);
    }

    @Test
    void a_role_is_all_below_its_process_but_not_another_role() {
        var all =
                List.of(
                        new ProcessTimes(10, 1, 1),
                        new ProcessTimes(20, 10, 2),
                        new ProcessTimes(30, 20, 4),
                        new ProcessTimes(31, 30, 8),
                        new ProcessTimes(40, 31, 16),
                        new ProcessTimes(50, 1, 32));

        var ticks =
                CpuSnapshot.ticksByRole(
                        Map.of(ProcessRole.RELAY, 10L, ProcessRole.POSTGRES, 30L), all);

        assertThat(ticks)
                .containsOnly(
                        Map.entry(ProcessRole.RELAY, 3L), Map.entry(ProcessRole.POSTGRES, 28L));
    }

    @Test
    void what_the_machine_did_beyond_us_is_foreign() {
        var before = new CpuSnapshot(Map.of(ProcessRole.RELAY, 100L), 1_000, 0);
        var after = new CpuSnapshot(Map.of(ProcessRole.RELAY, 250L), 1_200, 2_000_000_000L);

        var usage = CpuUsage.between(before, after);

        assertThat(usage.foreignCores()).isCloseTo(0.25, within(1e-9));
        assertThat(usage.microsPerEvent(10_000, ProcessRole.RELAY).orElseThrow())
                .isCloseTo(150, within(1e-9));
        assertThat(usage.microsPerEvent(10_000, ProcessRole.POSTGRES))
                .isEqualTo(OptionalDouble.empty());
    }
}
