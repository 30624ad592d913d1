package dev.sluice.cli.profile;

/// Shortens API keys for display, so that the secret is not shown.
final class ApiKeys {

    /// The maximum number of characters shown. The server stores the same number of characters for
    /// display.
    private static final int PREFIX_LENGTH = 12;

    private ApiKeys() {}

    static String prefix(String key) {
        return key.substring(0, Math.min(PREFIX_LENGTH, key.length() / 2)) + "…";
    }
}
