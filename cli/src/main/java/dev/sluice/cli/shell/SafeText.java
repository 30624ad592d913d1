package dev.sluice.cli.shell;

/// Text of strangers, made fit for a terminal: control characters could move the cursor or retitle
/// the window.
public final class SafeText {

    private SafeText() {}

    /// On one line, with each control character replaced.
    public static String line(String text) {
        var safe = new StringBuilder(text.length());
        text.codePoints().forEach(character -> safe.appendCodePoint(replacement(character)));
        return safe.toString();
    }

    private static int replacement(int character) {
        if (character == '\t' || character == '\n' || character == '\r') {
            return ' ';
        }
        boolean isDirectionControl =
                (character >= 0x202A && character <= 0x202E)
                        || (character >= 0x2066 && character <= 0x2069);
        return Character.isISOControl(character) || isDirectionControl ? '\uFFFD' : character;
    }
}
