package dev.sluice.features.metrics;

import com.sun.management.UnixOperatingSystemMXBean;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.Map;
import java.util.TreeMap;

/// Collects the metrics about the JVM and its process. Except for those about garbage collection,
/// they have the same names as in Prometheus's client libraries.
final class JvmMetrics {

    private static final double MILLIS_PER_SECOND = 1e3;
    private static final double NANOS_PER_SECOND = 1e9;

    private JvmMetrics() {}

    static void addTo(MetricList metrics) {
        addMemory(metrics);
        addCollections(metrics);
        metrics.gauge(
                "jvm_threads_current",
                "Platform threads of the JVM.",
                ManagementFactory.getThreadMXBean().getThreadCount());
        metrics.gauge(
                "process_start_time_seconds",
                "When the process started, in seconds since 1970.",
                ManagementFactory.getRuntimeMXBean().getStartTime() / MILLIS_PER_SECOND);
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean os) {
            metrics.counter(
                    "process_cpu_seconds",
                    "CPU time that the process has used.",
                    os.getProcessCpuTime() / NANOS_PER_SECOND);
            metrics.gauge(
                    "process_open_fds",
                    "Files and sockets that the process has open.",
                    os.getOpenFileDescriptorCount());
            metrics.gauge(
                    "process_max_fds",
                    "Files and sockets that the process may have open.",
                    os.getMaxFileDescriptorCount());
        }
    }

    private static void addMemory(MetricList metrics) {
        var memory = ManagementFactory.getMemoryMXBean();
        var areas = new TreeMap<String, MemoryUsage>();
        areas.put("heap", memory.getHeapMemoryUsage());
        areas.put("nonheap", memory.getNonHeapMemoryUsage());
        Map<String, Long> used = new TreeMap<>();
        Map<String, Long> max = new TreeMap<>();
        areas.forEach((area, usage) -> {
            used.put(area, usage.getUsed());
            max.put(area, usage.getMax());
        });
        metrics.gauges("jvm_memory_used_bytes", "Memory that the JVM uses.", "area", used);
        metrics.gauges(
                "jvm_memory_max_bytes",
                "Memory that the JVM may use; -1 without a limit.",
                "area",
                max);
    }

    private static void addCollections(MetricList metrics) {
        Map<String, Long> counts = new TreeMap<>();
        Map<String, Double> seconds = new TreeMap<>();
        for (var collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            counts.put(collector.getName(), collector.getCollectionCount());
            seconds.put(collector.getName(), collector.getCollectionTime() / MILLIS_PER_SECOND);
        }
        metrics.counters("jvm_gc_collections", "Rounds of each garbage collector.", "gc", counts);
        metrics.counters("jvm_gc_pause_seconds", "Time that these rounds took.", "gc", seconds);
    }
}
