package dev.sluice.gateway.filter;

/// Searches for a substring in time proportional to the length of the text, whatever the substring
/// is.
///
/// A naive search can take time proportional to the length of the text times the length of the
/// substring, which untrusted users could exploit. Except for short substrings, this class
/// therefore uses the Knuth-Morris-Pratt algorithm (1977). Immutable.
final class SubstringSearch {

    /// The maximum length, in characters, of substrings that are searched for with
    /// `String.contains`, which is fast enough for short substrings.
    private static final int MAX_JDK_SEARCH_LENGTH = 8;

    private final String part;

    /// For each prefix of `part`, the length of the prefix's longest proper prefix that is also its
    /// suffix. The array index is the index of the prefix's last character. Empty if
    /// `String.contains` is used.
    private final int[] borders;

    private SubstringSearch(String part) {
        this.part = part;
        this.borders = part.length() <= MAX_JDK_SEARCH_LENGTH ? new int[0] : borders(part);
    }

    static SubstringSearch of(String part) {
        return new SubstringSearch(part);
    }

    /// Returns the effort needed to search a string of `length` characters.
    long effort(int length) {
        return borders.length == 0 ? (2L + part.length()) * length : 6L * length;
    }

    boolean isIn(String text) {
        return borders.length == 0 ? text.contains(part) : searchLinear(text);
    }

    private boolean searchLinear(String text) {
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
