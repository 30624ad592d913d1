package dev.sluice.bench.measure;

/// A description of the hardware, kernel and JDK that the benchmark ran on. It contains no host
/// names or paths.
public record MachineDescription(
        String processor, int cores, String memory, String kernel, String jdk) {

    public static MachineDescription here() {
        double gibibytes =
                Double.parseDouble(field("/proc/meminfo", "MemTotal").replaceAll("[^0-9]", ""))
                        / (1024 * 1024);
        return new MachineDescription(
                field("/proc/cpuinfo", "model name"),
                Runtime.getRuntime().availableProcessors(),
                Math.round(gibibytes * 10) / 10.0 + " GiB",
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                System.getProperty("java.vendor") + " " + Runtime.version());
    }

    private static String field(String file, String name) {
        return ProcFile.field(file, name).orElse("0 (unknown)");
    }
}
