package dev.sluice.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

class ProcessMemoryTest {

    @Test
    void the_parts_of_the_proportional_size_are_not_taken_for_it() {
        var memory =
                ProcessMemory.parse(
                        List.of(
                                "55d758b88000-7ffe0cd04000 ---p 00000000 00:00 0   [rollup]",
                                "Rss:                4096 kB",
                                "Pss:                1024 kB",
                                "Pss_Dirty:           112 kB"));

        assertThat(memory).isEqualTo(new ProcessMemory(1, 4));
    }

    @Test
    void this_process_occupies_memory() {
        var roots = Map.of(ProcessRole.BENCH, ProcessHandle.current().pid());

        var memory = ProcessMemory.of(roots, ProcessRole.BENCH);

        assertThat(memory.proportionalMb()).isPositive().isLessThanOrEqualTo(memory.residentMb());
    }
}
