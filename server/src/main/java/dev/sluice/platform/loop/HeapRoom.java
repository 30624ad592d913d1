package dev.sluice.platform.loop;

import com.sun.management.HotSpotDiagnosticMXBean;

import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/// Sets how much of the heap may stay free after a garbage collection. While the process is idle
/// ([Activity]), only a little may stay free: the JVM then returns memory to the operating system.
/// While it is busy, more may stay free. If the idle values were used under load, G1 would shrink
/// the heap after each cycle, and would collect eight times as often as with the busy values.
///
/// If the heap has grown while the process was busy, it is also collected once when the process
/// becomes idle. G1's own periodic collection comes up to a minute later.
///
/// Changes two JVM options, which apply to the whole process. A JVM that does not allow this keeps
/// the values from its command line.
public final class HeapRoom implements Loop.Step {

    /// The minimum and maximum share of the heap that may be free after a collection, in percent.
    private record FreeRatio(int min, int max) {}

    /// The JVM's own defaults.
    private static final FreeRatio BUSY = new FreeRatio(40, 70);

    /// `bin/sluice` starts the JVM with the same values. They apply until the first round.
    private static final FreeRatio IDLE = new FreeRatio(10, 25);

    /// A smaller heap is not collected: a rare webhook must not cost a collection each time.
    static final long GROWN_BYTES = 128L << 20;

    /// Nor is one that has grown by less than this factor. With a very large configuration, even a
    /// collected heap is larger than [#GROWN_BYTES].
    private static final double GROWTH = 1.25;

    private final Activity activity;
    private final LongSupplier committedBytes;
    private final Runnable collect;
    private FreeRatio current = IDLE;
    private boolean isSupported = true;

    /// The size of the heap when the process became busy.
    private long idleBytes;

    public HeapRoom(Activity activity) {
        this(activity, Runtime.getRuntime()::totalMemory, System::gc);
    }

    /// @param committedBytes returns the current size of the heap
    /// @param collect collects the whole heap and shrinks it
    HeapRoom(Activity activity, LongSupplier committedBytes, Runnable collect) {
        this.activity = activity;
        this.committedBytes = committedBytes;
        this.collect = collect;
    }

    @Override
    public boolean run() {
        var wanted = activity.isIdle() ? IDLE : BUSY;
        if (isSupported && !wanted.equals(current)) {
            set(wanted);
            current = wanted;
            if (wanted.equals(BUSY)) {
                idleBytes = committedBytes.getAsLong();
            } else if (hasGrown()) {
                collect.run();
            }
        }
        return false;
    }

    private boolean hasGrown() {
        return committedBytes.getAsLong() > Math.max(GROWN_BYTES, GROWTH * idleBytes);
    }

    private void set(FreeRatio wanted) {
        var jvm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        try {
            // The minimum must never be above the maximum.
            if (wanted.min() > current.max()) {
                setMax(jvm, wanted);
                setMin(jvm, wanted);
            } else {
                setMin(jvm, wanted);
                setMax(jvm, wanted);
            }
        } catch (IllegalArgumentException _) {
            isSupported = false; // this JVM does not allow changing the options
        }
    }

    private static void setMin(HotSpotDiagnosticMXBean jvm, FreeRatio wanted) {
        jvm.setVMOption("MinHeapFreeRatio", String.valueOf(wanted.min()));
    }

    private static void setMax(HotSpotDiagnosticMXBean jvm, FreeRatio wanted) {
        jvm.setVMOption("MaxHeapFreeRatio", String.valueOf(wanted.max()));
    }
}
