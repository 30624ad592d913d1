package dev.sluice.gateway.filter;

/// Searches for a substring in time proportional to the sum of both lengths, not to their product.
///
/// The product could be too slow, because both the text and the substring come from untrusted
/// users. The algorithm is the one by Knuth, Morris and Pratt (1977).
final class SubstringSearch {

    /// The longest substring, in characters, for which the JDK's search is fast enough in any text.
    private static final int MAX_JDK_SEARCH_LENGTH = 32;

    private SubstringSearch() {}

    static boolean contains(String text, String part) {
        return part.length() <= MAX_JDK_SEARCH_LENGTH
                ? text.contains(part)
                : searchLinear(text, part);
    }

    private static boolean searchLinear(String text, String part) {
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

    /// Returns, for each prefix of the part, the length of its longest proper prefix that is also
    /// its suffix. The array index is the index of the prefix's last character.
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
