package dev.sluice.platform.log;

/// Escapes text for a log, so that each log event stays on its own line and looks the same in every
/// terminal.
///
/// Messages and fields may contain what users and other servers chose: names, URLs, replies, error
/// messages. Control, format and line-separator characters are written as JSON writes them, such as
/// `\n` or `\u001b`. A lone surrogate becomes U+FFFD, because no strict JSON parser takes it.
final class EscapedText {

    private EscapedText() {}

    /// Returns `text` with the characters above escaped.
    static String of(String text) {
        return escape(text, false);
    }

    /// Returns `text` as [#of] does, and with `"` and `\` escaped too, for a value in quotes.
    static String quoted(String text) {
        return "\"" + escape(text, true) + "\"";
    }

    private static String escape(String text, boolean isQuoted) {
        var escaped = new StringBuilder(text.length() + 16);
        text.codePoints()
                .forEach(c -> {
                    switch (c) {
                        case '\n' -> escaped.append("\\n");
                        case '\r' -> escaped.append("\\r");
                        case '\t' -> escaped.append("\\t");
                        case '"', '\\' -> escaped.append(isQuoted ? "\\" : "").append((char) c);
                        default -> append(escaped, c);
                    }
                });
        return escaped.toString();
    }

    private static void append(StringBuilder escaped, int c) {
        if (isVisible(c)) {
            escaped.appendCodePoint(c);
            return;
        }
        if (Character.getType(c) == Character.SURROGATE) {
            escaped.append('\ufffd');
            return;
        }
        for (char unit : Character.toChars(c)) {
            escaped.append("\\u%04x".formatted((int) unit));
        }
    }

    private static boolean isVisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE ->
                    false;
            default -> true;
        };
    }
}
