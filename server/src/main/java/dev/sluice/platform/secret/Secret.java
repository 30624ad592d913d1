package dev.sluice.platform.secret;

/// A value that must not be shown. `toString` returns a mask, so a secret can be logged safely.
///
/// @param reveal the real value, to be read only where it is needed
public record Secret(String reveal) {

    /// The text shown in place of any secret. The API refuses it when a client sends it back as a
    /// value.
    public static final String MASK = "***";

    @Override
    public String toString() {
        return MASK;
    }
}
