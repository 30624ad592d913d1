package dev.sluice.platform.http;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Set;
import java.util.TreeSet;

/// The rules for header names and values (RFC 9110, 5.1 and 5.5).
public final class HeaderSyntax {

    private static final String NAME_PUNCTUATION = "!#$%&'*+-.^_`|~";

    /// Compares names as CGI-style receivers do (RFC 3875, 4.1.18): ignores case and treats `_` as
    /// `-`. To these receivers, `X_Api_Key` and `X-Api-Key` are the same name.
    public static final Comparator<String> FOLDED_ORDER = HeaderSyntax::compareFolded;

    private HeaderSyntax() {}

    /// Whether the text is a valid header name: one or more letters, digits or certain punctuation
    /// marks (a token, RFC 9110, 5.6.2).
    public static boolean isName(String text) {
        return !text.isEmpty() && text.chars().allMatch(HeaderSyntax::isNameCharacter);
    }

    private static boolean isNameCharacter(int c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || NAME_PUNCTUATION.indexOf(c) >= 0;
    }

    /// Whether the text's UTF-8 bytes are allowed in a header value, which must not contain control
    /// characters except tab.
    public static boolean isText(String text) {
        return text.chars().allMatch(c -> c == '\t' || !Character.isISOControl(c));
    }

    /// Whether CGI-style receivers treat the two names as the same name. See [#FOLDED_ORDER].
    public static boolean isSameFolded(String one, String other) {
        return one.length() == other.length() && compareFolded(one, other) == 0;
    }

    /// Whether the name begins with the prefix, ignoring the differences that [#FOLDED_ORDER]
    /// ignores.
    public static boolean startsWithFolded(String name, String prefix) {
        return name.length() >= prefix.length()
                && compareFolded(name, prefix, prefix.length()) == 0;
    }

    /// Returns an unmodifiable set of the names. Its `contains` method compares names as
    /// [#FOLDED_ORDER] does.
    public static Set<String> foldedSet(Collection<String> names) {
        var set = new TreeSet<>(FOLDED_ORDER);
        set.addAll(names);
        return Collections.unmodifiableSet(set);
    }

    private static int compareFolded(String one, String other) {
        int difference = compareFolded(one, other, Math.min(one.length(), other.length()));
        return difference != 0 ? difference : one.length() - other.length();
    }

    private static int compareFolded(String one, String other, int length) {
        for (int i = 0; i < length; i++) {
            int difference = fold(one.charAt(i)) - fold(other.charAt(i));
            if (difference != 0) {
                return difference;
            }
        }
        return 0;
    }

    private static char fold(char c) {
        if (c == '_') {
            return '-';
        }
        return c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c;
    }
}
