package dev.sluice.relay.ingest;

import dev.sluice.platform.http.ApiException;

/// What a request is answered by those who may refuse it.
final class Refusals {

    static final int NONE = 0;

    private Refusals() {}

    /// The status of the refusal; [#NONE] when there is none.
    static int status(Runnable step) {
        try {
            step.run();
            return NONE;
        } catch (ApiException e) {
            return e.reply().status();
        }
    }
}
