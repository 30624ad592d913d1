package dev.sluice.cli.server;

import dev.sluice.cli.shell.CommandException;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// The base URL of a server, without a slash at the end. It can have a path, for a server behind a
/// proxy.
public record ServerAddress(URI uri) {

    public static final ServerAddress LOCAL =
            new ServerAddress(URI.create("http://localhost:8080"));

    private static final Set<String> LOOPBACK_HOSTS = Set.of("localhost", "127.0.0.1", "[::1]");

    /// Parses an address that a user typed. If the scheme is missing, uses `http` for `localhost`,
    /// `127.0.0.1` and `[::1]`, and `https` for any other host.
    ///
    /// @throws CommandException if the text is not the address of a server
    public static ServerAddress parse(String text) {
        String stripped = text.strip();
        String typed = stripped.contains("://") ? stripped : schemeFor(stripped) + "://" + stripped;
        try {
            var uri = new URI(typed.replaceAll("/+$", ""));
            String scheme =
                    Optional.ofNullable(uri.getScheme()).orElse("").toLowerCase(Locale.ROOT);
            if (!Set.of("http", "https").contains(scheme)) {
                throw refused(text, "the scheme must be http or https");
            }
            if (uri.getHost() == null) {
                throw refused(text, "it has no host");
            }
            if (uri.getUserInfo() != null || uri.getQuery() != null || uri.getFragment() != null) {
                throw refused(text, "it must have no user name, query or fragment");
            }
            return new ServerAddress(uri);
        } catch (URISyntaxException e) {
            throw refused(text, "it is not a URL");
        }
    }

    private static String schemeFor(String hostAndMore) {
        String host = hostAndMore.replaceAll("(:\\d+)?(/.*)?$", "");
        return LOOPBACK_HOSTS.contains(host.toLowerCase(Locale.ROOT)) ? "http" : "https";
    }

    private static CommandException refused(String text, String why) {
        return CommandException.usage(
                "'" + text + "' is not the address of a server: " + why + ".",
                "Give one such as https://relay.example.com.");
    }

    /// @param path an absolute path, to be appended to the base URL
    public URI at(String path) {
        return URI.create(uri + path);
    }

    public boolean isLoopback() {
        return LOOPBACK_HOSTS.contains(uri.getHost().toLowerCase(Locale.ROOT));
    }

    public boolean isEncrypted() {
        return "https".equalsIgnoreCase(uri.getScheme());
    }

    @Override
    public String toString() {
        return uri.toString();
    }
}
