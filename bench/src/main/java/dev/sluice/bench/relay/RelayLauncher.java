package dev.sluice.bench.relay;

import static dev.sluice.bench.platform.UncheckedCalls.unchecked;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Starts a benchmark relay. Each start uses the same settings, so a relay that is started again
/// opens its existing data.
///
/// @param name the name of the relay's data directory and log, which are in `directory` beside the
///   scenario's ledgers
/// @param settings settings that extend or override the defaults of every benchmark relay
record RelayLauncher(
        Path launcher,
        Path directory,
        String name,
        int port,
        String key,
        Map<String, String> settings) {

    /// The plans that the relay offers. By default, the first workspace has the plan `business`,
    /// which has no limits that could affect a measurement. The plan `counted` has limits that no
    /// measurement reaches, but the relay must count requests and events to enforce them.
    private static final String PLANS_JSON =
            """
            {"items": [{"name": "business", "price_monthly_usd": 0, "features": [],
                        "limits": {"retention_days": 30}},
                       {"name": "counted", "price_monthly_usd": 0, "features": [],
                        "limits": {"api_requests_per_minute": 100000000,
                                   "ingest_per_minute_per_source": 100000000,
                                   "events_per_month": 2000000000,
                                   "retention_days": 30}}]}
            """;

    RelayLauncher {
        settings = Map.copyOf(settings);
    }

    Process start() {
        return start(log(), Map.of(), "serve");
    }

    /// Starts another launcher command with the relay's settings. The command's output is appended
    /// to `output`.
    ///
    /// @param more settings that override the relay's
    Process start(Path output, Map<String, String> more, String... command) {
        var words = new ArrayList<>(List.of(launcher.toString()));
        words.addAll(List.of(command));
        var builder = new ProcessBuilder(words);
        var environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("SLUICE_"));
        environment.put("SLUICE_PORT", Integer.toString(port));
        environment.put("SLUICE_MESSENGER_API_URL", "http://messenger.invalid"); // never resolves
        environment.put("SLUICE_DATA_DIR", data().toString());
        environment.put("SLUICE_ALLOW_PRIVATE_DESTINATIONS", "127.0.0.0/8");
        environment.put("SLUICE_ADMIN_API_KEY", key);
        environment.put("SLUICE_ADMIN_EMAIL", RelayApi.OWNER_EMAIL);
        environment.put("SLUICE_ADMIN_PASSWORD", RelayApi.OWNER_PASSWORD);
        environment.put("SLUICE_PLANS_FILE", plans().toString());
        environment.putAll(settings);
        environment.putAll(more);
        return unchecked(() ->
                builder.redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                        .start());
    }

    /// Returns a launcher for another relay that uses this relay's database.
    ///
    /// @param more settings that override this relay's
    RelayLauncher beside(
            String other, int otherPort, DatabaseAddress database, Map<String, String> more) {
        return unchecked(() -> {
            var all = new HashMap<String, String>(settings);
            all.putAll(databaseSettings(database));
            all.putAll(more);
            return new RelayLauncher(launcher, directory, other, otherPort, key, all);
        });
    }

    /// Returns the settings that make another relay use `database` and this relay's master key.
    Map<String, String> databaseSettings(DatabaseAddress database) {
        return unchecked(() ->
                Map.of(
                        "SLUICE_DATABASE_URL",
                        database.url(),
                        "SLUICE_MASTER_KEY",
                        Files.readString(data().resolve("master.key")).strip()));
    }

    private Path plans() {
        return unchecked(() -> Files.writeString(directory.resolve("plans.json"), PLANS_JSON));
    }

    Path data() {
        return directory.resolve(name);
    }

    /// Returns the end of the relay's output.
    String logTail() {
        return tail(log());
    }

    String tail(Path file) {
        try {
            String text = Files.readString(file);
            return text.substring(Math.max(0, text.length() - 4000));
        } catch (IOException e) {
            return "(nothing: " + e.getMessage() + ")";
        }
    }

    Path log() {
        return directory.resolve(name + ".log");
    }
}
