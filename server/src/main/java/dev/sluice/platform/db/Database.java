package dev.sluice.platform.db;

import dev.sluice.platform.secret.Secret;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/// The address of a PostgreSQL database and the credentials to log in with.
///
/// @param parameters additional parameters for the JDBC driver, starting with `?`, or empty
public record Database(
        String host, int port, String name, String user, Secret password, String parameters) {

    /// The PostgreSQL schema that contains all of Sluice's tables, separate from other tables in a
    /// shared database.
    public static final String SCHEMA = "sluice";

    /// Parses `postgresql://user:pass@host:port/db`, optionally followed by `?` and parameters for
    /// the JDBC driver. The password and the port are optional, and the scheme can also be
    /// `postgres`.
    ///
    /// @throws IllegalArgumentException if the URL is invalid; the message does not show the
    ///   password
    public static Database parse(String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(expectedFormat(), e.getCause());
        }
        boolean known = "postgresql".equals(uri.getScheme()) || "postgres".equals(uri.getScheme());
        String path = uri.getPath();
        String user = uri.getRawUserInfo();
        if (!known || uri.getHost() == null || path == null || path.length() < 2 || user == null) {
            throw new IllegalArgumentException(expectedFormat());
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

    private static String expectedFormat() {
        return "must be postgresql://user:password@host:port/database";
    }

    private static String decode(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    String jdbcUrl() {
        return "jdbc:postgresql://" + host + ":" + port + "/" + name + parameters;
    }

    /// Returns the properties for the JDBC driver. Each call returns a new object, because callers
    /// add properties to it.
    Properties properties() {
        var properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password.reveal());
        properties.setProperty("ApplicationName", "sluice");
        properties.setProperty("currentSchema", SCHEMA);
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty(
                "logServerErrorDetail",
                "false"); // the detail quotes rows, which may contain secrets
        return properties;
    }
}
