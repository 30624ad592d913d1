package dev.sluice.platform.secret;

/// A value that must not be shown. `toString` returns a mask, so a secret can be logged safely.
///
/// @param reveal the real value, to be read only where it is needed
public record Secret(String reveal) {

    /// The text that is shown in place of every secret. The API refuses this text as the value of a
    /// secret.
    public static final String MASK = "***";

    @Override
    public String toString() {
        return MASK;
    }
}
