package dev.sluice.bench.platform;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;

/// Runs code that may throw an [IOException] or be interrupted. If that happens, throws an
/// unchecked exception instead.
public final class UncheckedCalls {

    private UncheckedCalls() {}

    /// Code that returns a result.
    public interface IoCall<T> {

        T call() throws IOException, InterruptedException;
    }

    /// Code that returns nothing.
    public interface IoAction {

        void run() throws IOException, InterruptedException;
    }

    public static <T> T unchecked(IoCall<T> call) {
        try {
            return call.call();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting", e);
        }
    }

    public static void uncheckedRun(IoAction action) {
        var _ =
                unchecked(() -> {
                    action.run();
                    return true;
                });
    }

    /// Closes an object that is no longer needed. Ignores any [IOException] that closing it causes.
    public static void closeQuietly(Closeable closeable) {
        try {
            closeable.close();
        } catch (IOException broken) {
            return;
        }
    }
}
