package dev.sluice.gateway.connection;

/// Whether a text has a part, in time that grows with their lengths and never with their product:
/// texts are strangers'. The algorithm of Knuth, Morris and Pratt.
final class Substring {

    /// For parts up to this length the JDK's search is fast enough, whatever the text.
    private static final int SHORT = 32;

    private Substring() {}

    static boolean isIn(String text, String part) {
        return part.length() <= SHORT ? text.contains(part) : search(text, part);
    }

    private static boolean search(String text, String part) {
        int[] borders = borders(part);
        int matched = 0;
        for (int at = 0; at < text.length(); at++) {
            char next = text.charAt(at);
            while (matched > 0 && part.charAt(matched) != next) {
                matched = borders[matched - 1];
            }
            if (part.charAt(matched) == next && ++matched == part.length()) {
                return true;
            }
        }
        return false;
    }

    /// For each beginning of the part, by its last character: how long the longest shorter
    /// beginning is that it ends with.
    private static int[] borders(String part) {
        int[] borders = new int[part.length()];
        int matched = 0;
        for (int at = 1; at < part.length(); at++) {
            while (matched > 0 && part.charAt(matched) != part.charAt(at)) {
                matched = borders[matched - 1];
            }
            if (part.charAt(matched) == part.charAt(at)) {
                matched++;
            }
            borders[at] = matched;
        }
        return borders;
    }
}
