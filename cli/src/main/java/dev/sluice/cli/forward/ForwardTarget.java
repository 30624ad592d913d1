package dev.sluice.cli.forward;

import dev.sluice.cli.shell.CommandException;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// An address on or near this machine that events are sent to.
public record ForwardTarget(URI uri) {

    private static final InetAddress IPV4_LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
    private static final InetAddress IPV6_LOOPBACK = InetAddress.ofLiteral("::1");

    /// Reads a port, `host:port/path`, or a URL.
    public static ForwardTarget parse(String text) {
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
                return new ForwardTarget(uri);
            }
        } catch (URISyntaxException e) {
            // The message below says what is right.
        }
        throw CommandException.usage(
                "'" + text + "' is no address to forward to.",
                "Give a port such as 3000, localhost:3000/hook, or a URL.");
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

    /// What the request line asks for.
    String pathAndQuery() {
        String path =
                uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
    }

    /// The addresses to try in turn. Some development servers listen on `::1` only, others on
    /// `127.0.0.1` only.
    List<InetAddress> addresses() throws UnknownHostException {
        if (uri.getHost().equalsIgnoreCase("localhost")) {
            return List.of(IPV4_LOOPBACK, IPV6_LOOPBACK);
        }
        return Stream.of(InetAddress.getAllByName(uri.getHost().replaceAll("[\\[\\]]", "")))
                .toList();
    }

    /// Whether every address is on this machine or in a private network.
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

    @Override
    public String toString() {
        return uri.toString();
    }
}
