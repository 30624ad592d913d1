package dev.sluice.cli.profile;

/// Showing API keys without their secret.
final class ApiKeys {

    /// As many characters as the server keeps for display.
    private static final int PREFIX_LENGTH = 12;

    private ApiKeys() {}

    static String prefix(String key) {
        return key.substring(0, Math.min(PREFIX_LENGTH, key.length() / 2)) + "…";
    }
}
