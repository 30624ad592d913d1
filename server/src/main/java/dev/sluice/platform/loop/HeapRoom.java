package dev.sluice.platform.loop;

import com.sun.management.HotSpotDiagnosticMXBean;

import java.lang.management.ManagementFactory;

/// Decides how much of the heap may stay free after a collection: little while the process is idle
/// ([Activity]), so that memory goes back to the system, and much while it is busy. With little
/// room under load, G1 shrinks the heap after each cycle and then collects eight times as often.
///
/// Sets two options of the JVM, which are those of the whole process. A JVM in which they cannot be
/// changed keeps what its command line says.
public final class HeapRoom implements Loop.Step {

    /// The bounds of the free part of the heap after a collection, in percent.
    private record FreeRatio(int min, int max) {}

    /// The JVM's own defaults.
    private static final FreeRatio BUSY = new FreeRatio(40, 70);

    /// Also in `bin/sluice`, for the time until the first round.
    private static final FreeRatio IDLE = new FreeRatio(10, 25);

    private final Activity activity;
    private FreeRatio current = IDLE;
    private boolean isSupported = true;

    public HeapRoom(Activity activity) {
        this.activity = activity;
    }

    @Override
    public boolean run() {
        var wanted = activity.isIdle() ? IDLE : BUSY;
        if (isSupported && !wanted.equals(current)) {
            set(wanted);
            current = wanted;
        }
        return false;
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
            isSupported = false; // another JVM, in which the options cannot be changed
        }
    }

    private static void setMin(HotSpotDiagnosticMXBean jvm, FreeRatio wanted) {
        jvm.setVMOption("MinHeapFreeRatio", String.valueOf(wanted.min()));
    }

    private static void setMax(HotSpotDiagnosticMXBean jvm, FreeRatio wanted) {
        jvm.setVMOption("MaxHeapFreeRatio", String.valueOf(wanted.max()));
    }
}
