package dev.sluice.bench.relay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/// How a relay of our own is started: the same each time, so that it finds its data again.
///
/// @param name of its data directory and its log, which stand in `directory` beside the scenario's
///   ledgers
/// @param settings beyond those that every relay here has
record Launch(
        Path launcher,
        Path directory,
        String name,
        int port,
        String key,
        Map<String, String> settings) {

    /// A workspace without limits: what is measured is never the plan.
    private static final String PLANS =
            """
            {"items": [{"name": "business", "price_monthly_usd": 0, "features": [],
                        "limits": {"retention_days": 30}}]}
            """;

    Launch {
        settings = Map.copyOf(settings);
    }

    Process start() {
        return start("serve", log());
    }

    /// Another command of the launcher, with the server's own settings; prints into `output`.
    Process start(String command, Path output) {
        var builder = new ProcessBuilder(launcher.toString(), command);
        var environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("SLUICE_"));
        environment.put("SLUICE_PORT", Integer.toString(port));
        environment.put("SLUICE_DATA_DIR", data().toString());
        environment.put("SLUICE_ALLOW_PRIVATE_DESTINATIONS", "127.0.0.0/8");
        environment.put("SLUICE_ADMIN_API_KEY", key);
        environment.put("SLUICE_PLANS_FILE", plans().toString());
        environment.putAll(settings);
        try {
            return builder.redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A second relay on the database that this one runs.
    Launch beside(int otherPort) {
        return beside("second", otherPort, DatabaseAddress.in(data()), Map.of());
    }

    /// Another relay on the database that this one has made.
    ///
    /// @param more settings, which win over this one's
    Launch beside(String other, int otherPort, DatabaseAddress database, Map<String, String> more) {
        try {
            var all = new HashMap<String, String>(settings);
            all.put("SLUICE_DATABASE_URL", database.url());
            all.put("SLUICE_MASTER_KEY", read("master.key"));
            all.putAll(more);
            return new Launch(launcher, directory, other, otherPort, key, all);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String read(String file) throws IOException {
        return Files.readString(data().resolve(file)).strip();
    }

    private Path plans() {
        try {
            return Files.writeString(directory.resolve("plans.json"), PLANS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path data() {
        return directory.resolve(name);
    }

    /// The end of what the relay printed.
    String lastWords() {
        return end(log());
    }

    String end(Path file) {
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
