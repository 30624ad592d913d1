package dev.sluice.platform.db;

import dev.sluice.platform.secret.Secret;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/// Which database, and who we are there.
public record Database(
        String host, int port, String name, String user, Secret password, String parameters) {

    /// Where our tables stand, so that a shared database stays tidy.
    public static final String SCHEMA = "sluice";

    /// Reads `postgresql://user:pass@host:port/db`, with the driver's parameters after a `?` if
    /// any.
    ///
    /// @throws IllegalArgumentException with a message that does not show the password
    public static Database parse(String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(shape(), e.getCause());
        }
        boolean known = "postgresql".equals(uri.getScheme()) || "postgres".equals(uri.getScheme());
        String path = uri.getPath();
        String user = uri.getRawUserInfo();
        if (!known || uri.getHost() == null || path == null || path.length() < 2 || user == null) {
            throw new IllegalArgumentException(shape());
        }
        String[] credentials = user.split(":", 2);
        return new Database(
                uri.getHost(),
                uri.getPort() < 0 ? 5432 : uri.getPort(),
                path.substring(1),
                decode(credentials[0]),
                new Secret(credentials.length > 1 ? decode(credentials[1]) : ""),
                uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
    }

    private static String shape() {
        return "must be postgresql://user:password@host:port/database";
    }

    private static String decode(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    String jdbcUrl() {
        return "jdbc:postgresql://" + host + ":" + port + "/" + name + parameters;
    }

    /// A fresh copy each time: callers add to it.
    Properties properties() {
        var properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password.reveal());
        properties.setProperty("ApplicationName", "sluice");
        properties.setProperty("currentSchema", SCHEMA);
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty(
                "logServerErrorDetail", "false"); // it quotes rows, and rows hold secrets
        return properties;
    }
}
