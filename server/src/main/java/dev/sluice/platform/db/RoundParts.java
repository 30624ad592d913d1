package dev.sluice.platform.db;

import org.jspecify.annotations.Nullable;

/// Runs the independent parts of one round of a loop, so that a failed part does not prevent the
/// rest from running. The round itself still fails when [#end] is called. Not thread-safe.
public final class RoundParts {

    private @Nullable RuntimeException failure;

    /// Runs one part. If the part throws an exception, records it and returns normally. Rethrows
    /// the exception only if the database connection was lost, because the remaining parts could
    /// not run either.
    public void run(Runnable part) {
        try {
            part.run();
        } catch (RuntimeException e) {
            if (e instanceof DbException lost && lost.isConnectionLost()) {
                throw e;
            }
            failed(e);
        }
    }

    /// Records the failure of a part that ran elsewhere.
    public void failed(RuntimeException e) {
        if (failure == null) {
            failure = e;
        } else {
            failure.addSuppressed(e);
        }
    }

    public boolean isFailed() {
        return failure != null;
    }

    /// Throws the first failure, with the later ones as suppressed exceptions. Does nothing if no
    /// part failed.
    public void end() {
        if (failure != null) {
            throw failure;
        }
    }
}
