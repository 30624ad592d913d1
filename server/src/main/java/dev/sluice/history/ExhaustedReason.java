package dev.sluice.history;

/// Writes the sentence that the API shows for an exhausted delivery. A delivery is exhausted when
/// its last allowed attempt has failed.
final class ExhaustedReason {

    private ExhaustedReason() {}

    /// @param attempts the number of attempts made
    /// @param error the error message of the last attempt
    static String sentence(int attempts, String error) {
        return "Exhausted after "
                + attempts
                + " attempts: "
                + error
                + ". Resend it once the destination is fixed.";
    }
}
