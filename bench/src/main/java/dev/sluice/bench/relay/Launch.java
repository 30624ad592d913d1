package dev.sluice.bench.relay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// How a relay of our own is started: the same each time, so that it finds its data again.
///
/// @param directory holds its data, its log and the scenario's ledgers
record Launch(Path launcher, Path directory, int port, String key) {

    Process start() {
        var builder = new ProcessBuilder(launcher.toString(), "serve");
        var environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("SLUICE_"));
        environment.put("SLUICE_PORT", Integer.toString(port));
        environment.put("SLUICE_DATA_DIR", data().toString());
        environment.put("SLUICE_ALLOW_PRIVATE_DESTINATIONS", "127.0.0.0/8");
        environment.put("SLUICE_ADMIN_API_KEY", key);
        try {
            return builder.redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path data() {
        return directory.resolve("data");
    }

    /// The end of what the relay printed.
    String lastWords() {
        try {
            String text = Files.readString(log());
            return text.substring(Math.max(0, text.length() - 4000));
        } catch (IOException e) {
            return "(nothing: " + e.getMessage() + ")";
        }
    }

    private Path log() {
        return directory.resolve("relay.log");
    }
}
