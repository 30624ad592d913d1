package dev.sluice.bench.measure;

import dev.sluice.bench.platform.SystemCommands;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Runs the JDK's `jcmd` on another JVM.
final class JvmDiagnostics {

    private JvmDiagnostics() {}

    /// Returns the output of `jcmd`.
    static String run(long pid, String... words) {
        var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        var command = new ArrayList<String>(List.of(jcmd, Long.toString(pid)));
        command.addAll(List.of(words));
        var result = SystemCommands.run(command.toArray(String[]::new));
        if (!result.isSuccess()) {
            throw new IllegalStateException("jcmd failed: " + result.output());
        }
        return result.output();
    }
}
