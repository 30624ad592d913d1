package dev.sluice.cli.shell;

/// Makes untrusted text safe to print on a terminal, where control characters could otherwise move
/// the cursor or change the window's title.
public final class SafeText {

    private SafeText() {}

    /// Returns the text on one line. Tabs and line breaks become spaces. Other control characters,
    /// and characters that change the direction of text, become U+FFFD.
    public static String line(String text) {
        var safe = new StringBuilder(text.length());
        text.codePoints().forEach(character -> safe.appendCodePoint(replacement(character)));
        return safe.toString();
    }

    /// Returns JSON with the characters that a terminal obeys escaped in JSON's way. Line breaks
    /// and tabs stay. The document means the same, because JSON has such characters only in
    /// strings.
    public static String json(String json) {
        var safe = new StringBuilder(json.length());
        json.codePoints()
                .forEach(character -> {
                    if (isObeyed(character)
                            && character != '\n'
                            && character != '\r'
                            && character != '\t') {
                        safe.append("\\u%04x".formatted(character));
                    } else {
                        safe.appendCodePoint(character);
                    }
                });
        return safe.toString();
    }

    private static int replacement(int character) {
        if (character == '\t' || character == '\n' || character == '\r') {
            return ' ';
        }
        return isObeyed(character) ? '\uFFFD' : character;
    }

    private static boolean isObeyed(int character) {
        boolean isDirectionControl =
                (character >= 0x202A && character <= 0x202E)
                        || (character >= 0x2066 && character <= 0x2069);
        return Character.isISOControl(character) || isDirectionControl;
    }
}
