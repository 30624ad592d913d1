package dev.sluice;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.account.workspace.Workspace;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.json.FieldReader;

import java.io.IOException;
import java.io.PrintStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The command `sluice tenants top [--metrics URL]`: prints which workspaces hold the most of what
/// all share, as the metrics of a running server say.
final class TenantsCommand {

    private static final int EXIT_DONE = 0;
    private static final int EXIT_ERROR = 2;

    private static final Duration METRICS_TIMEOUT = Duration.ofSeconds(10);
    private static final int MAX_METRICS_BYTES = 16 << 20;

    private static final String USAGE =
            "Usage: sluice tenants top [--metrics URL]. URL is that of a node's metrics; without"
                    + " it, those of this machine's server are read.";

    private TenantsCommand() {}

    /// Runs the command.
    ///
    /// @param config the settings of the server
    /// @param arguments the arguments after `tenants`
    /// @return the exit status
    static int run(Config config, List<String> arguments, PrintStream out, PrintStream err) {
        if (arguments.equals(List.of("--help")) || arguments.equals(List.of("top", "--help"))) {
            out.println(USAGE);
            return EXIT_DONE;
        }
        boolean hasUrl = arguments.size() == 3 && arguments.get(1).equals("--metrics");
        if (arguments.isEmpty()
                || !arguments.getFirst().equals("top")
                || (arguments.size() != 1 && !hasUrl)) {
            err.println(USAGE);
            return EXIT_ERROR;
        }
        var url = hasUrl ? Optional.of(arguments.get(2)) : metricsUrl(config);
        if (url.isEmpty()) {
            err.println(
                    "The server shows no metrics: SLUICE_METRICS_PORT is not set to a port. Set it"
                            + " and restart the server, or name a node's metrics with --metrics"
                            + " URL.");
            return EXIT_ERROR;
        }
        try {
            var holdings = WorkspaceHoldings.parse(metrics(url.get()));
            holdings.table(names(config, holdings, err)).forEach(out::println);
            return EXIT_DONE;
        } catch (IOException | IllegalArgumentException e) {
            err.println("The metrics at " + url.get() + " could not be read: " + e.getMessage());
            return EXIT_ERROR;
        }
    }

    private static Optional<String> metricsUrl(Config config) {
        return config.metrics()
                .filter(metrics -> metrics.port() != 0)
                .map(metrics ->
                        "http://" + reachable(metrics.host()) + ":" + metrics.port() + "/metrics");
    }

    /// Returns the address at which this machine reaches a server that listens on `host`.
    private static String reachable(String host) {
        return switch (host) {
            case "0.0.0.0" -> "127.0.0.1";
            case "::" -> "[::1]";
            default -> host.contains(":") ? "[" + host + "]" : host;
        };
    }

    private static String metrics(String url) throws IOException {
        if (!(URI.create(url).toURL().openConnection() instanceof HttpURLConnection connection)) {
            throw new IOException("it is no http or https URL");
        }
        connection.setInstanceFollowRedirects(false);
        connection.setConnectTimeout((int) METRICS_TIMEOUT.toMillis());
        connection.setReadTimeout((int) METRICS_TIMEOUT.toMillis());
        if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
            throw new IOException("the answer is " + connection.getResponseCode());
        }
        try (var in = connection.getInputStream()) {
            return new String(in.readNBytes(MAX_METRICS_BYTES), UTF_8);
        }
    }

    /// Returns the names of the workspaces. Without the database there are none, and the table has
    /// only ids.
    private static Map<String, String> names(
            Config config, WorkspaceHoldings holdings, PrintStream err) {
        try {
            return CommandDatabase.use(
                    config,
                    "tenants",
                    db -> {
                        Map<String, String> names = new HashMap<>();
                        for (String id : holdings.workspaces()) {
                            if (!id.equals(WorkspaceHoldings.OTHERS)) {
                                var workspace = new WorkspaceId(FieldReader.parseUuid(id));
                                db.call(tx -> WorkspaceStore.find(tx, workspace))
                                        .map(Workspace::name)
                                        .ifPresent(name -> names.put(id, name));
                            }
                        }
                        return names;
                    });
        } catch (RuntimeException e) {
            err.println("The names could not be read: " + CommandFailure.reason(e));
            return Map.of();
        }
    }
}
