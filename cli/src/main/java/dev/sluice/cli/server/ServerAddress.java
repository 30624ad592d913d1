package dev.sluice.cli.server;

import dev.sluice.cli.shell.CommandException;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// The base address of a server, without a slash at its end. It may have a path, behind a proxy.
public record ServerAddress(URI uri) {

    public static final ServerAddress LOCAL =
            new ServerAddress(URI.create("http://localhost:8080"));

    private static final Set<String> LOOPBACK_HOSTS = Set.of("localhost", "127.0.0.1", "[::1]");

    /// Reads what a person typed: without a scheme it is `http` for this machine, `https` for
    /// others.
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
                throw refused(text, "it names no host");
            }
            if (uri.getUserInfo() != null || uri.getQuery() != null || uri.getFragment() != null) {
                throw refused(text, "it must have no user name, query or fragment");
            }
            return new ServerAddress(uri);
        } catch (URISyntaxException e) {
            throw refused(text, "it is no URL");
        }
    }

    private static String schemeFor(String hostAndMore) {
        String host = hostAndMore.replaceAll("(:\\d+)?(/.*)?$", "");
        return LOOPBACK_HOSTS.contains(host.toLowerCase(Locale.ROOT)) ? "http" : "https";
    }

    private static CommandException refused(String text, String why) {
        return CommandException.usage(
                "'" + text + "' is no address of a server: " + why + ".",
                "Give one such as https://relay.example.com.");
    }

    /// @param path absolute, below the base address
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
