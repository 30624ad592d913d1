package dev.sluice.engine.accept;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicReference;

class DiskSpaceMonitorTest {

    private final AtomicReference<Double> free = new AtomicReference<>(0.5);
    private final DiskSpaceMonitor diskSpace = new DiskSpaceMonitor(free::get);

    @Test
    void below_twenty_percent_the_disk_is_low_until_there_is_room_again() {
        diskSpace.run();
        assertThat(diskSpace.isLow()).isFalse();

        free.set(0.199);
        diskSpace.run();
        assertThat(diskSpace.isLow()).isTrue();
        assertThat(diskSpace.isNearlyFull()).isFalse();

        free.set(0.201);
        diskSpace.run();
        assertThat(diskSpace.isLow()).isFalse();
    }

    @Test
    void below_eight_percent_the_disk_is_tight_until_there_is_room_again() {
        diskSpace.run();
        assertThat(diskSpace.isNearlyFull()).isFalse();

        free.set(0.079);
        diskSpace.run();
        assertThat(diskSpace.isNearlyFull()).isTrue();

        free.set(0.081);
        diskSpace.run();
        assertThat(diskSpace.isNearlyFull()).isFalse();
    }
}
