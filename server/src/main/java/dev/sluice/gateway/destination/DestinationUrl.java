package dev.sluice.gateway.destination;

import dev.sluice.platform.net.AddressPolicy;
import dev.sluice.platform.net.Host;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// The URL to which deliveries are sent. It is absolute, with the scheme `http` or `https`.
///
/// The same code parses the URL when it is checked and when requests are sent, so the host that was
/// checked is the host that is contacted. The parser rewrites nothing: the path and query are sent
/// as the user wrote them. Immutable.
public final class DestinationUrl {

    private static final int MAX_LENGTH = 2048;

    /// Ports that browsers block for HTTP (see "port blocking" in the Fetch standard). The service
    /// on such a port might interpret an HTTP request as commands in its own protocol.
    private static final Set<Integer> BAD_PORTS =
            Set.of(
                    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87,
                    95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139,
                    143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548,
                    554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659,
                    4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
                    10080);

    /// ASCII characters that RFC 3986 forbids in paths and queries, except for those that
    /// [#checkCharacters] refuses. RFC 3986 also forbids square brackets, but they are allowed here
    /// because many queries contain them.
    private static final String FORBIDDEN_PATH_CHARACTERS = "\"<>^`{|}";

    private final String text;
    private final boolean isSecure;
    private final Host host;
    private final int port;
    private final String requestTarget;

    private DestinationUrl(String text, boolean isSecure, Host host, int port, String target) {
        this.text = text;
        this.isSecure = isSecure;
        this.host = host;
        this.port = port;
        this.requestTarget = target;
    }

    /// Parses a URL that a user sent. Does not resolve its host name.
    ///
    /// @throws InvalidDestinationUrlException if the text is not a valid URL, or if `policy`
    ///   refuses the URL's host
    public static DestinationUrl parse(String text, AddressPolicy policy) {
        var url = read(text);
        if (policy.refusal(url.host).isPresent()) {
            throw new InvalidDestinationUrlException(
                    AddressPolicy.REFUSAL_MESSAGE
                            + "; the operator of this server can allow it with "
                            + AddressPolicy.SETTING_NAME);
        }
        return url;
    }

    /// Parses a stored URL. Does not check whether the host is allowed: each attempt checks that,
    /// because the operator may change the allowed address ranges.
    ///
    /// If the text is not a valid URL, returns an object for which [#isReadable] returns false.
    public static DestinationUrl parseStored(String text) {
        try {
            return read(text);
        } catch (InvalidDestinationUrlException e) {
            return new DestinationUrl(text, false, new Host.HostName(""), 0, "");
        }
    }

    /// Whether the stored text is a valid URL. If not, no request can be sent, and only [#text] is
    /// meaningful.
    public boolean isReadable() {
        return !requestTarget.isEmpty();
    }

    /// Returns the URL as the user wrote it.
    public String text() {
        return text;
    }

    /// Returns `http` or `https`.
    public String scheme() {
        return isSecure ? "https" : "http";
    }

    public boolean isSecure() {
        return isSecure;
    }

    public Host host() {
        return host;
    }

    /// Returns the port to connect to: the port in the URL or, if the URL has none, the scheme's
    /// default port.
    public int port() {
        return port;
    }

    /// Returns the host and port as in a `Host` header, which omits the default port.
    public String authority() {
        return port == defaultPort(isSecure) ? host.text() : host.text() + ":" + port;
    }

    /// Returns the path and query as the user wrote them. An empty path becomes `/`.
    public String requestTarget() {
        return requestTarget;
    }

    /// Returns the first of scheme, host and port in which this URL differs from `before`, or empty
    /// if requests to both go to the same place. Host names are compared in the form that DNS uses,
    /// so neither case, a trailing dot, a Unicode form nor a written default port makes a
    /// difference. Nobody knows where an unreadable URL led, so it differs from every other.
    Optional<String> differenceFrom(DestinationUrl before) {
        if (equals(before)) {
            return Optional.empty();
        }
        if (!before.isReadable() || !host.equals(before.host)) {
            return Optional.of("host");
        }
        if (isSecure != before.isSecure) {
            return Optional.of("scheme");
        }
        return port == before.port ? Optional.empty() : Optional.of("port");
    }

    private static DestinationUrl read(String text) {
        checkCharacters(text);
        int colon = text.indexOf(':');
        String scheme = colon < 0 ? "" : text.substring(0, colon).toLowerCase(Locale.ROOT);
        boolean isSecure = scheme.equals("https");
        if (!(isSecure || scheme.equals("http")) || !text.startsWith("//", colon + 1)) {
            throw new InvalidDestinationUrlException(
                    "must be absolute and start with http:// or https://");
        }
        int start = colon + 3;
        int end = endOfAuthority(text, start);
        String authority = text.substring(start, end);
        if (authority.indexOf('@') >= 0) {
            throw new InvalidDestinationUrlException(
                    "must not carry a user name or password; use basic_auth instead");
        }
        int port = portColon(authority);
        return new DestinationUrl(
                text,
                isSecure,
                host(port < 0 ? authority : authority.substring(0, port)),
                port < 0 ? defaultPort(isSecure) : port(authority.substring(port + 1)),
                requestTarget(text.substring(end)));
    }

    private static void checkCharacters(String text) {
        if (text.length() > MAX_LENGTH) {
            throw new InvalidDestinationUrlException(
                    "must not be longer than " + MAX_LENGTH + " characters");
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ' || (c >= 0x7f && c <= 0xa0)) {
                throw new InvalidDestinationUrlException(
                        "must not contain spaces or control characters");
            }
            if (c == '\\') {
                throw new InvalidDestinationUrlException("must not contain a backslash");
            }
            if (c == '#') {
                throw new InvalidDestinationUrlException("must not have a fragment (#)");
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

    /// Returns the index of the colon before the port, or -1 if there is none. Colons inside
    /// brackets belong to an IPv6 address.
    private static int portColon(String authority) {
        int colon = authority.lastIndexOf(':');
        return colon > authority.lastIndexOf(']') ? colon : -1;
    }

    private static Host host(String written) {
        try {
            return Host.parse(written);
        } catch (IllegalArgumentException e) {
            throw new InvalidDestinationUrlException(String.valueOf(e.getMessage()));
        }
    }

    private static int port(String digits) {
        boolean isNumber =
                !digits.isEmpty()
                        && digits.length() <= 5
                        && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        int port = isNumber ? Integer.parseInt(digits) : 0;
        if (port < 1 || port > 65535) {
            throw new InvalidDestinationUrlException("must have a port from 1 to 65535, or none");
        }
        if (BAD_PORTS.contains(port)) {
            throw new InvalidDestinationUrlException(
                    "must not use port " + port + ", which is not for HTTP");
        }
        return port;
    }

    private static int defaultPort(boolean isSecure) {
        return isSecure ? 443 : 80;
    }

    private static String requestTarget(String written) {
        for (int i = 0; i < written.length(); i++) {
            int c = written.codePointAt(i);
            if (c > 0x7e || FORBIDDEN_PATH_CHARACTERS.indexOf(c) >= 0) {
                throw new InvalidDestinationUrlException(
                        "must percent-encode '"
                                + (isSurrogate(c) ? "\ufffd" : Character.toString(c))
                                + "' in its path and query");
            }
            if (c == '%' && !isPercentEscape(written, i)) {
                throw new InvalidDestinationUrlException(
                        "must have two hexadecimal digits after each %");
            }
        }
        if (written.isEmpty()) {
            return "/";
        }
        return written.startsWith("?") ? "/" + written : written;
    }

    private static boolean isSurrogate(int c) {
        return c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
    }

    private static boolean isPercentEscape(String text, int percent) {
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
