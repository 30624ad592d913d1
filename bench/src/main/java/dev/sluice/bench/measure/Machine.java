package dev.sluice.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// What the numbers were taken on. Names neither the host nor a place on it.
public record Machine(String processor, int cores, String memory, String kernel, String jdk) {

    public static Machine here() {
        double gibibytes =
                Double.parseDouble(field("/proc/meminfo", "MemTotal").replaceAll("[^0-9]", ""))
                        / (1024 * 1024);
        return new Machine(
                field("/proc/cpuinfo", "model name"),
                Runtime.getRuntime().availableProcessors(),
                Math.round(gibibytes * 10) / 10.0 + " GiB",
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                System.getProperty("java.vendor") + " " + Runtime.version());
    }

    private static String field(String file, String name) {
        try {
            for (String line : Files.readAllLines(Path.of(file))) {
                if (line.startsWith(name)) {
                    return line.substring(line.indexOf(':') + 1).strip();
                }
            }
            return "0 (unknown)";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
