package dev.sluice.platform.secret;

/// A value that must not be shown. `toString` is the mask, so it is safe in logs and messages.
///
/// @param reveal the real value, for the one place that needs it
public record Secret(String reveal) {

    /// What stands in an answer in place of a secret, and is refused when sent back.
    public static final String MASK = "***";

    @Override
    public String toString() {
        return MASK;
    }
}
