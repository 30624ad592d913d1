package dev.sluice.bench.platform;

import java.io.IOException;
import java.io.OutputStream;

/// Detects that the parent process has ended: standard input ends at the same time.
public final class ParentProcess {

    private ParentProcess() {}

    /// Runs `stop` when standard input ends, on a thread that does not keep the JVM alive.
    public static void onExit(Runnable stop) {
        Thread.ofPlatform()
                .daemon()
                .name("parent")
                .start(() -> {
                    try {
                        System.in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException closed) {
                        // If standard input cannot be read, the parent is treated as ended.
                    }
                    stop.run();
                });
    }
}
