package dev.sluice.relay.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicReference;

class FreeSpaceTest {

    private final AtomicReference<Double> free = new AtomicReference<>(0.5);
    private final FreeSpace space = new FreeSpace(free::get);

    @Test
    void below_eight_percent_the_disk_is_tight_until_there_is_room_again() {
        space.run();
        assertThat(space.isTight()).isFalse();

        free.set(0.079);
        space.run();
        assertThat(space.isTight()).isTrue();

        free.set(0.081);
        space.run();
        assertThat(space.isTight()).isFalse();
    }
}
