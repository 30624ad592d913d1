package dev.sluice.cli.forward;

import dev.sluice.cli.shell.CommandException;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// The address that events are forwarded to. This is usually a service on this machine.
public record ForwardTarget(URI uri) {

    private static final InetAddress IPV4_LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
    private static final InetAddress IPV6_LOOPBACK = InetAddress.ofLiteral("::1");

    /// Parses an address that is given as a port with an optional path, as `host:port/path`, or as
    /// a URL.
    ///
    /// @throws CommandException if the text is none of these
    public static ForwardTarget parse(String text) {
        return find(text)
                .orElseThrow(() ->
                        CommandException.usage(
                                "'" + text + "' is not an address to forward to.",
                                "Give a port such as 3000, localhost:3000/hook, or a URL."));
    }

    /// Like [#parse], but returns empty if the text is not an address.
    static Optional<ForwardTarget> find(String text) {
        String typed = text.strip();
        if (typed.matches("[0-9]{1,5}(/.*)?")) {
            typed = "localhost:" + typed;
        }
        try {
            var uri = new URI(typed.contains("://") ? typed : "http://" + typed);
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            boolean isPortGood =
                    uri.getPort() == -1 || (uri.getPort() > 0 && uri.getPort() < 65_536);
            if (uri.getHost() != null
                    && isPortGood
                    && (scheme.equals("http") || scheme.equals("https"))) {
                return Optional.of(new ForwardTarget(uri));
            }
        } catch (URISyntaxException e) {
            // The text is not an address.
        }
        return Optional.empty();
    }

    boolean isEncrypted() {
        return "https".equalsIgnoreCase(uri.getScheme());
    }

    int port() {
        if (uri.getPort() > 0) {
            return uri.getPort();
        }
        return isEncrypted() ? 443 : 80;
    }

    /// Returns the path and query for the request line.
    String pathAndQuery() {
        var ascii = URI.create(uri.toASCIIString());
        String path =
                ascii.getRawPath() == null || ascii.getRawPath().isEmpty()
                        ? "/"
                        : ascii.getRawPath();
        return ascii.getRawQuery() == null ? path : path + "?" + ascii.getRawQuery();
    }

    /// Returns the IP addresses of the host, in the order in which to try them. For `localhost`,
    /// these are both loopback addresses, because some development servers listen only on `::1` and
    /// others only on `127.0.0.1`.
    List<InetAddress> addresses() throws UnknownHostException {
        if (uri.getHost().equalsIgnoreCase("localhost")) {
            return List.of(IPV4_LOOPBACK, IPV6_LOOPBACK);
        }
        return Stream.of(InetAddress.getAllByName(uri.getHost().replaceAll("[\\[\\]]", "")))
                .toList();
    }

    /// Returns whether the host is on this machine or in a private network, that is, whether all
    /// its IP addresses are loopback, link-local or site-local. Returns false if the host is
    /// unknown.
    public boolean isNear() {
        try {
            return addresses().stream()
                    .allMatch(address ->
                            address.isLoopbackAddress()
                                    || address.isSiteLocalAddress()
                                    || address.isLinkLocalAddress());
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /// Returns whether every IP address of the host is a loopback address. Returns false if the
    /// host is unknown.
    public boolean isLoopback() {
        try {
            return addresses().stream().allMatch(InetAddress::isLoopbackAddress);
        } catch (UnknownHostException e) {
            return false;
        }
    }

    @Override
    public String toString() {
        return uri.toString();
    }
}
