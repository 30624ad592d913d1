package dev.sluice.platform.db;

import org.jspecify.annotations.Nullable;

/// Runs the independent parts of a loop's round, so that a part that fails does not end the others.
/// The round itself still fails at its end. Used by one thread.
public final class RoundParts {

    private @Nullable RuntimeException failure;

    /// Runs one part. Throws only if the connection was lost, because the other parts would only
    /// wait for one too.
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

    /// Notes the failure of a part that was run elsewhere.
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

    /// Throws the first failure, with all others as suppressed ones.
    public void end() {
        if (failure != null) {
            throw failure;
        }
    }
}
