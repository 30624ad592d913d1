package dev.sluice.engine.accept;

import dev.sluice.platform.http.ApiException;

/// Turns a refusal into its HTTP status.
final class Refusals {

    static final int NO_REFUSAL = 0;

    private Refusals() {}

    /// Returns the status of the refusal, or [#NO_REFUSAL] when there is none.
    static int status(Runnable step) {
        try {
            step.run();
            return NO_REFUSAL;
        } catch (ApiException e) {
            return e.reply().status();
        }
    }
}
