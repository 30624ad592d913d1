package dev.sluice.engine.share;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PermitLimitTest {

    @ParameterizedTest
    @CsvSource({
        "512,   1048576, 2048",
        "1024,  1048576, 2048",
        "2048,  1048576, 4096",
        "9000,  1048576, 16384",
        "9000,  20000,   3333",
        "512,   65536,   2048",
        "512,   4096,    682",
        "512,   1024,    170",
        "512,   2,       1",
    })
    void as_many_as_heap_and_files_bear(long heapMebibytes, long openFiles, int permits) {
        assertThat(PermitLimit.of(heapMebibytes << 20, openFiles)).isEqualTo(permits);
    }

    @ParameterizedTest
    @CsvSource({
        "512,   1048576, 2048",
        "1024,  1048576, 4096",
        "2048,  1048576, 8192",
        "6144,  1048576, 8192",
        "9000,  1048576, 8192",
        "2048,  20000,   3334",
        "512,   65536,   2048",
        "512,   4096,    684",
        "512,   1024,    172",
        "512,   6,       1",
    })
    void slow_ones_have_what_the_others_leave(long heapMebibytes, long openFiles, int permits) {
        long heap = heapMebibytes << 20;

        assertThat(PermitLimit.slow(heap, openFiles, PermitLimit.of(heap, openFiles)))
                .isEqualTo(permits);
    }
}
