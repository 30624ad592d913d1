package dev.sluice.bench.platform;

import java.io.IOException;
import java.io.OutputStream;

/// The process that started this process, as seen through standard input.
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
                        // An unreadable input is treated like the end of the parent.
                    }
                    stop.run();
                });
    }
}
