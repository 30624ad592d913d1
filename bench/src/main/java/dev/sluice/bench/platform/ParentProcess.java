package dev.sluice.bench.platform;

import java.io.IOException;
import java.io.OutputStream;

/// Detects when the parent process ends, which also closes this process's standard input.
public final class ParentProcess {

    private ParentProcess() {}

    /// Runs `stop` when standard input is closed, on a thread that does not keep the JVM alive.
    public static void onExit(Runnable stop) {
        Thread.ofPlatform()
                .daemon()
                .name("parent")
                .start(() -> {
                    try {
                        System.in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException closed) {
                        // If standard input cannot be read, the parent is assumed to have ended.
                    }
                    stop.run();
                });
    }
}
