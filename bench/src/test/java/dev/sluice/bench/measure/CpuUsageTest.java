package dev.sluice.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

class CpuUsageTest {

    private static final Offset<Double> EXACTLY = within(1e-9);

    @Test
    void a_process_counts_its_own_time_apart_from_its_children_that_have_ended() {
        var times =
                ProcessTimes.parse(
                        "712 (postgres: a) b) S 700 712 712 0 -1 4194560 5 0 0 0 30 12 400 8 20 0"
                                + " 1");

        assertThat(times).isEqualTo(new ProcessTimes(712, 700, 42, 408));
    }

    @Test
    void a_thread_has_its_nanoseconds_and_its_switches_in_schedstat() {
        assertThat(ThreadTimes.parse(7, "journal", "1341210363 4135136597 18607\n"))
                .isEqualTo(new ThreadTimes(7, "journal", 1_341_210_363, 18_607));
    }

    @Test
    void this_process_uses_cpu_time_that_is_read_back() {
        var processes = Map.of(ProcessRole.BENCH, ProcessHandle.current().pid());
        var before = CpuSnapshot.now(processes);
        long until = System.nanoTime() + 50_000_000;
        while (System.nanoTime() < until) {
            Thread.onSpinWait();
        }

        var usage = CpuUsage.between(before, CpuSnapshot.now(processes));

        assertThat(usage.seconds().get(ProcessRole.BENCH)).isPositive();
        assertThat(usage.groups()).extracting(ThreadGroupUsage::group).contains("JVM");
    }

    @Test
    void the_machine_is_busy_with_all_but_idling_and_waiting() {
        assertThat(CpuSnapshot.busyTicks("cpu  100 20 30 9000 500 4 5 6 0 0")).isEqualTo(165);
    }

    @Test
    void a_role_is_all_below_its_process_but_not_another_role() {
        var relay = new ProcessTimes(10, 1, 0, 0);
        var tool = new ProcessTimes(20, 10, 0, 0);
        var postgres = new ProcessTimes(30, 20, 0, 0);
        var worker = new ProcessTimes(31, 30, 0, 0);
        var deeper = new ProcessTimes(40, 31, 0, 0);
        var other = new ProcessTimes(50, 1, 0, 0);

        var processes =
                CpuSnapshot.byRole(
                        Map.of(ProcessRole.RELAY, 10L, ProcessRole.POSTGRES, 30L),
                        List.of(relay, tool, postgres, worker, deeper, other));

        assertThat(processes)
                .containsOnly(
                        Map.entry(ProcessRole.RELAY, List.of(relay, tool)),
                        Map.entry(ProcessRole.POSTGRES, List.of(postgres, worker, deeper)));
    }

    @Test
    void threads_of_a_group_count_together_and_a_new_one_from_its_beginning() {
        var before =
                List.of(
                        process(
                                10,
                                100,
                                0,
                                new ThreadTimes(10, "http", 400_000_000, 5),
                                new ThreadTimes(11, "http", 600_000_000, 7)));
        var after =
                List.of(
                        process(
                                10,
                                250,
                                0,
                                new ThreadTimes(10, "http", 900_000_000, 15),
                                new ThreadTimes(11, "http", 1_100_000_000, 9),
                                new ThreadTimes(12, "journal", 500_000_000, 3)));

        var usage = relay(before, after);

        assertThat(usage.groups())
                .containsExactly(
                        new ThreadGroupUsage(ProcessRole.RELAY, "http", 1.0, 12),
                        new ThreadGroupUsage(ProcessRole.RELAY, "journal", 0.5, 3));
        assertThat(usage.seconds().get(ProcessRole.RELAY)).isCloseTo(1.5, EXACTLY);
        assertThat(usage.switches(ProcessRole.RELAY)).isEqualTo(15);
    }

    @Test
    void what_threads_used_that_have_ended_is_the_rest_of_their_process() {
        var before = List.of(process(10, 100, 0, new ThreadTimes(11, "http", 900_000_000, 7)));
        var after = List.of(process(10, 150, 0, new ThreadTimes(12, "http", 200_000_000, 2)));

        var usage = relay(before, after);

        assertThat(usage.groups())
                .containsExactly(
                        new ThreadGroupUsage(ProcessRole.RELAY, "http", 0.2, 2),
                        new ThreadGroupUsage(ProcessRole.RELAY, ThreadGroupUsage.ENDED, 0.3, 0));
    }

    @Test
    void a_difference_that_rounding_explains_is_nothing_that_ended() {
        var before = List.of(process(10, 100, 0, new ThreadTimes(10, "http", 1_000_000_000, 7)));
        var after = List.of(process(10, 112, 0, new ThreadTimes(10, "http", 1_100_000_000, 8)));

        assertThat(relay(before, after).groups())
                .extracting(ThreadGroupUsage::group)
                .containsExactly("http");
    }

    @Test
    void a_child_that_has_ended_counts_from_the_first_moment_only() {
        var parent = new ThreadTimes(10, "postmaster", 0, 0);
        var worker = new ThreadTimes(20, "autovacuum worker", 300_000_000, 4);
        var before = List.of(process(10, 0, 50, parent), process(20, 30, 0, worker));
        var after = List.of(process(10, 0, 100, parent)); // 30 ticks of those from before

        assertThat(relay(before, after).seconds().get(ProcessRole.RELAY)).isCloseTo(0.2, EXACTLY);
    }

    @Test
    void what_the_machine_did_beyond_us_is_foreign() {
        var before = snapshot(List.of(process(1, 0, 0)), 1_000, 0);
        var thread = new ThreadTimes(1, "http", 1_500_000_000, 1);
        var after = snapshot(List.of(process(1, 150, 0, thread)), 1_200, 2_000_000_000L);

        var usage = CpuUsage.between(before, after);

        assertThat(usage.foreignCores()).isCloseTo(0.25, EXACTLY);
        assertThat(usage.microsPerEvent(10_000, ProcessRole.RELAY).orElseThrow())
                .isCloseTo(150, EXACTLY);
        assertThat(usage.percentOfCore(ProcessRole.RELAY).orElseThrow()).isCloseTo(75, EXACTLY);
        assertThat(usage.microsPerEvent(10_000, ProcessRole.POSTGRES))
                .isEqualTo(OptionalDouble.empty());
        assertThat(usage.microsPerEvent(0, ProcessRole.RELAY)).isEqualTo(OptionalDouble.empty());
    }

    private static CpuUsage relay(List<ProcessSample> before, List<ProcessSample> after) {
        return CpuUsage.between(snapshot(before, 0, 0), snapshot(after, 0, 1_000_000_000));
    }

    private static CpuSnapshot snapshot(List<ProcessSample> relay, long machine, long nanos) {
        return new CpuSnapshot(Map.of(ProcessRole.RELAY, relay), machine, nanos);
    }

    private static ProcessSample process(
            long pid, long ticks, long childTicks, ThreadTimes... threads) {
        return new ProcessSample(new ProcessTimes(pid, 1, ticks, childTicks), List.of(threads));
    }
}
