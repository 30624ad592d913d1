package dev.sluice.platform.http;

import java.io.IOException;
import java.util.Properties;

/// The version of this server, which the build writes into `sluice.properties`.
public final class ServerVersion {

    /// The version, or `unknown` if the build wrote none.
    public static final String VERSION = read();

    /// How the server names itself in requests that it sends for others.
    public static final String USER_AGENT = "Sluice/" + VERSION;

    private ServerVersion() {}

    private static String read() {
        var properties = new Properties();
        try (var in = ServerVersion.class.getResourceAsStream("/sluice.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            // The version stays unknown.
        }
        return properties.getProperty("version", "unknown");
    }
}
