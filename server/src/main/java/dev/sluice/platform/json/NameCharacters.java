package dev.sluice.platform.json;

import java.util.OptionalInt;

/// Decides which characters a name or a description may have.
///
/// People see names in lists, logs, mails and terminals. A name must not end their line, steer
/// their terminal, or turn the direction of the text around it. Joiners and variation selectors are
/// allowed, because emoji and many scripts are written with them. Tag characters are not: they hide
/// text in a name. That also refuses the flags of regions, such as Scotland, which consist of them.
final class NameCharacters {

    private NameCharacters() {}

    /// Returns the first character of a name that is refused, or empty if there is none.
    static OptionalInt firstRefused(String name) {
        return name.codePoints().filter(NameCharacters::isRefused).findFirst();
    }

    /// Returns the first character of a description that is refused, or empty if there is none.
    /// Unlike a name, a description may have several lines and tabs.
    static OptionalInt firstRefusedInLines(String description) {
        return description
                .codePoints()
                .filter(c -> c != '\n' && c != '\t' && isRefused(c))
                .findFirst();
    }

    private static boolean isRefused(int c) {
        return Character.isISOControl(c)
                || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)
                || c == 0x2028 // line separator
                || c == 0x2029 // paragraph separator
                || c == 0xfeff // byte order mark
                || isDirectional(c)
                || (c >= 0xe0000 && c <= 0xe007f); // tags
    }

    /// Whether the character changes the direction of the text around it.
    private static boolean isDirectional(int c) {
        return c == 0x061c
                || c == 0x200e
                || c == 0x200f
                || (c >= 0x202a && c <= 0x202e)
                || (c >= 0x2066 && c <= 0x2069);
    }
}
