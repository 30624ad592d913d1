package dev.sluice.platform.json;

import java.util.Set;

/// Decides whether a string has a visible character. A name or secret without one is a mistake:
/// nobody could tell two blank names apart, and anybody could guess a blank secret.
public final class VisibleText {

    /// Letters and symbols whose glyph is blank: the Hangul fillers, the empty Braille pattern and
    /// the musical null notehead.
    private static final Set<Integer> BLANK_GLYPHS =
            Set.of(0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0, 0x1D159);

    private VisibleText() {}

    /// Whether at least one character is visible on its own. Spaces, control characters, format
    /// characters, lone surrogates and blank glyphs are not visible. Non-spacing and enclosing
    /// marks are visible only together with another character.
    public static boolean isVisible(String text) {
        return text.codePoints().anyMatch(VisibleText::isVisible);
    }

    private static boolean isVisible(int c) {
        return switch (Character.getType(c)) {
            case Character.SPACE_SEPARATOR,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.NON_SPACING_MARK,
                    Character.ENCLOSING_MARK ->
                    false;
            default -> !BLANK_GLYPHS.contains(c);
        };
    }
}
