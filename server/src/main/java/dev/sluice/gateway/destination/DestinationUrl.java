package dev.sluice.gateway.destination;

import dev.sluice.platform.net.AddressPolicy;
import dev.sluice.platform.net.Host;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.Set;

/// Where deliveries are sent: an absolute `http` or `https` URL.
///
/// Read in one place for checking and for sending, so that both see the same host. Nothing in it is
/// rewritten: the path and query go out as they were given. Immutable.
public final class DestinationUrl {

    private static final int LONGEST = 2048;

    /// Ports that browsers do not speak HTTP to, because what listens there would take a request
    /// for a command of its own protocol (the fetch standard, "port blocking").
    private static final Set<Integer> BAD_PORTS =
            Set.of(
                    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87,
                    95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139,
                    143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548,
                    554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659,
                    4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
                    10080);

    /// What RFC 3986 leaves out of paths and queries. Square brackets belong there too, but stand
    /// in so many queries that they pass.
    private static final String NOT_IN_PATHS = "\"<>^`{|}";

    private final String text;
    private final boolean isSecure;
    private final Host host;
    private final int port;
    private final String target;

    private DestinationUrl(String text, boolean isSecure, Host host, int port, String target) {
        this.text = text;
        this.isSecure = isSecure;
        this.host = host;
        this.port = port;
        this.target = target;
    }

    /// Reads what a user gave. Names are not looked up.
    ///
    /// @throws UrlRefused when it cannot be a destination, or is a private one
    public static DestinationUrl parse(String text, AddressPolicy policy) {
        var url = read(text);
        if (policy.refusal(url.host).isPresent()) {
            throw new UrlRefused(
                    AddressPolicy.REFUSAL
                            + "; whoever runs this server can open some with "
                            + AddressPolicy.SETTING);
        }
        return url;
    }

    /// Reads what [#parse] let in before. Addresses are judged when they are sent to, not here: the
    /// operator may have opened or closed some since.
    public static DestinationUrl stored(String text) {
        return read(text);
    }

    /// As it was given.
    public String text() {
        return text;
    }

    /// `http` or `https`.
    public String scheme() {
        return isSecure ? "https" : "http";
    }

    public boolean isSecure() {
        return isSecure;
    }

    public Host host() {
        return host;
    }

    /// The port to connect to: the scheme's own unless one was given.
    public int port() {
        return port;
    }

    /// Host and port as in a `Host` header: without the port where it is the scheme's own.
    public String authority() {
        return port == usualPort(isSecure) ? host.text() : host.text() + ":" + port;
    }

    /// Path and query exactly as they were given; `/` for none.
    public String target() {
        return target;
    }

    private static DestinationUrl read(String text) {
        checkCharacters(text);
        int colon = text.indexOf(':');
        String scheme = colon < 0 ? "" : text.substring(0, colon).toLowerCase(Locale.ROOT);
        boolean isSecure = scheme.equals("https");
        if (!(isSecure || scheme.equals("http")) || !text.startsWith("//", colon + 1)) {
            throw new UrlRefused("must be absolute and start with http:// or https://");
        }
        int start = colon + 3;
        int end = endOfAuthority(text, start);
        String authority = text.substring(start, end);
        if (authority.indexOf('@') >= 0) {
            throw new UrlRefused("must not carry a user name or password; use basic_auth instead");
        }
        int port = startOfPort(authority);
        return new DestinationUrl(
                text,
                isSecure,
                host(port < 0 ? authority : authority.substring(0, port)),
                port < 0 ? usualPort(isSecure) : port(authority.substring(port + 1)),
                target(text.substring(end)));
    }

    private static void checkCharacters(String text) {
        if (text.length() > LONGEST) {
            throw new UrlRefused("must not be longer than " + LONGEST + " characters");
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ' || (c >= 0x7f && c <= 0xa0)) {
                throw new UrlRefused("must not contain spaces or control characters");
            }
            if (c == '\\') {
                throw new UrlRefused("must not contain a backslash");
            }
            if (c == '#') {
                throw new UrlRefused("must not have a fragment (#)");
            }
        }
    }

    private static int endOfAuthority(String text, int start) {
        for (int i = start; i < text.length(); i++) {
            if (text.charAt(i) == '/' || text.charAt(i) == '?') {
                return i;
            }
        }
        return text.length();
    }

    /// Where the colon before the port is; those inside of brackets are the address's.
    private static int startOfPort(String authority) {
        int colon = authority.lastIndexOf(':');
        return colon > authority.lastIndexOf(']') ? colon : -1;
    }

    private static Host host(String written) {
        try {
            return Host.parse(written);
        } catch (IllegalArgumentException e) {
            throw new UrlRefused(String.valueOf(e.getMessage()));
        }
    }

    private static int port(String digits) {
        boolean isNumber =
                !digits.isEmpty()
                        && digits.length() <= 5
                        && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        int port = isNumber ? Integer.parseInt(digits) : 0;
        if (port < 1 || port > 65535) {
            throw new UrlRefused("must have a port from 1 to 65535, or none");
        }
        if (BAD_PORTS.contains(port)) {
            throw new UrlRefused("must not use port " + port + ", which is not for HTTP");
        }
        return port;
    }

    private static int usualPort(boolean isSecure) {
        return isSecure ? 443 : 80;
    }

    private static String target(String written) {
        for (int i = 0; i < written.length(); i++) {
            char c = written.charAt(i);
            if (c > 0x7e || NOT_IN_PATHS.indexOf(c) >= 0) {
                throw new UrlRefused("must percent-encode '" + c + "' in its path and query");
            }
            if (c == '%' && !isEscape(written, i)) {
                throw new UrlRefused("must have two hexadecimal digits after each %");
            }
        }
        if (written.isEmpty()) {
            return "/";
        }
        return written.startsWith("?") ? "/" + written : written;
    }

    private static boolean isEscape(String text, int percent) {
        return percent + 2 < text.length()
                && Character.digit(text.charAt(percent + 1), 16) >= 0
                && Character.digit(text.charAt(percent + 2), 16) >= 0;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DestinationUrl url && url.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
