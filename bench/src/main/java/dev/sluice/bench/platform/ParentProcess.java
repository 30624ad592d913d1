package dev.sluice.bench.platform;

import java.io.IOException;
import java.io.OutputStream;

/// The process that started this one, seen through standard input.
public final class ParentProcess {

    private ParentProcess() {}

    /// Runs `stop` once standard input ends, on a thread that does not keep the machine alive.
    public static void onExit(Runnable stop) {
        Thread.ofPlatform()
                .daemon()
                .name("parent")
                .start(() -> {
                    try {
                        System.in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException closed) {
                        // Unreadable is as gone as ended.
                    }
                    stop.run();
                });
    }
}
