package dev.sluice.platform.http;

import java.util.Locale;
import java.util.Set;

/// What may stand in a header (RFC 9110, 5.1 and 5.5).
public final class HeaderSyntax {

    private static final String NAME_MARKS = "!#$%&'*+-.^_`|~";

    /// Headers that belong to one connection or frame one message, so nobody may set them.
    private static final Set<String> RESERVED =
            Set.of(
                    "host",
                    "content-length",
                    "transfer-encoding",
                    "connection",
                    "keep-alive",
                    "proxy-connection",
                    "proxy-authenticate",
                    "proxy-authorization",
                    "te",
                    "trailer",
                    "upgrade",
                    "expect",
                    "http2-settings");

    private HeaderSyntax() {}

    /// A token: at least one letter, digit or mark.
    public static boolean isName(String text) {
        return !text.isEmpty() && text.chars().allMatch(HeaderSyntax::isNameCharacter);
    }

    private static boolean isNameCharacter(int c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || NAME_MARKS.indexOf(c) >= 0;
    }

    /// Visible ASCII, spaces and tabs, with none at either end.
    public static boolean isValue(String text) {
        return text.equals(text.strip())
                && text.chars().allMatch(c -> (c >= ' ' && c < 0x7f) || c == '\t');
    }

    /// Text that may stand in a value as its UTF-8 bytes: no control characters but the tab.
    public static boolean isText(String text) {
        return text.chars().allMatch(c -> c == '\t' || !Character.isISOControl(c));
    }

    /// Whether the header is the connection's own, hop-by-hop ones included.
    public static boolean isReserved(String name) {
        return RESERVED.contains(name.toLowerCase(Locale.ROOT));
    }
}
