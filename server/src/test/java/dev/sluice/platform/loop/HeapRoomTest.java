package dev.sluice.platform.loop;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// Changes the options of this test's own JVM, and sets them back.
class HeapRoomTest {

    private final HotSpotDiagnosticMXBean jvm =
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    private final String minBefore = option("MinHeapFreeRatio");
    private final String maxBefore = option("MaxHeapFreeRatio");

    private final AtomicLong nanos = new AtomicLong();
    private final Activity activity = new Activity(nanos::get);
    private final AtomicLong committedBytes = new AtomicLong(HeapRoom.GROWN_BYTES);
    private final AtomicInteger collections = new AtomicInteger();
    private final HeapRoom room =
            new HeapRoom(activity, committedBytes::get, collections::incrementAndGet);

    @AfterEach
    void restore() {
        jvm.setVMOption("MinHeapFreeRatio", "0");
        jvm.setVMOption("MaxHeapFreeRatio", maxBefore);
        jvm.setVMOption("MinHeapFreeRatio", minBefore);
    }

    private String option(String name) {
        return jvm.getVMOption(name).getValue();
    }

    @Test
    void a_heap_that_has_grown_is_collected_once_when_the_process_comes_to_rest() {
        room.run();
        nanos.addAndGet(Activity.IDLE_AFTER.toNanos());
        room.run();
        assertThat(collections).as("it has not grown").hasValue(0);

        activity.mark();
        room.run();
        committedBytes.set(2 * HeapRoom.GROWN_BYTES);
        room.run();
        assertThat(collections).as("while it is busy").hasValue(0);

        nanos.addAndGet(Activity.IDLE_AFTER.toNanos());
        room.run();
        room.run();
        assertThat(collections).hasValue(1);
    }

    /// A large configuration stays above the size from which a heap is collected.
    @Test
    void a_heap_that_stays_large_is_not_collected_each_time() {
        committedBytes.set(2 * HeapRoom.GROWN_BYTES);
        comeToRestWith(2 * HeapRoom.GROWN_BYTES);
        assertThat(collections).hasValue(0);

        comeToRestWith(3 * HeapRoom.GROWN_BYTES);
        assertThat(collections).hasValue(1);
    }

    private void comeToRestWith(long grownBytes) {
        activity.mark();
        room.run();
        committedBytes.set(grownBytes);
        nanos.addAndGet(Activity.IDLE_AFTER.toNanos());
        room.run();
    }

    @Test
    void the_heap_keeps_room_while_the_process_is_busy_and_gives_it_back_at_rest() {
        room.run();
        assertThat(option("MinHeapFreeRatio")).isEqualTo("40");
        assertThat(option("MaxHeapFreeRatio")).isEqualTo("70");

        nanos.addAndGet(Activity.IDLE_AFTER.toNanos());
        room.run();
        assertThat(option("MinHeapFreeRatio")).isEqualTo("10");
        assertThat(option("MaxHeapFreeRatio")).isEqualTo("25");

        activity.mark();
        room.run();
        assertThat(option("MinHeapFreeRatio")).isEqualTo("40");
        assertThat(option("MaxHeapFreeRatio")).isEqualTo("70");
    }
}
