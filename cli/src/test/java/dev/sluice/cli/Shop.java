package dev.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.testkit.CliRun;
import dev.sluice.cli.testkit.CommandProcess;
import dev.sluice.cli.testkit.RelayServer;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/// A workspace of the shared server with a source named Shop, and a person at its command line.
final class Shop {

    private final RelayServer server = RelayServer.shared();
    private final String key = server.newWorkspaceKey();
    private final Path home;
    private final String ingestPath;

    /// @param home the home folder of that person
    Shop(Path home) {
        this.home = home;
        ingestPath = makeSource("Shop");
    }

    /// Makes a source.
    ///
    /// @return the path for webhooks
    String makeSource(String name) {
        return run("sources", "create", "name=" + name, "-o", "json")
                .json()
                .path("ingest_path")
                .asString();
    }

    /// The path for webhooks of the source Shop.
    String ingestPath() {
        return ingestPath;
    }

    /// Sends webhooks with these numbers to the source Shop.
    void send(int from, int to) {
        bodies(from, to).forEach(body -> server.ingest(ingestPath, body.getBytes(UTF_8)));
    }

    /// The bodies of the webhooks with these numbers.
    static List<String> bodies(int from, int to) {
        return IntStream.range(from, to).mapToObj(n -> "{\"n\": " + n + "}").toList();
    }

    CliRun run(String... args) {
        return cli().run(args);
    }

    CommandProcess start(String... args) {
        return cli().startProcess(args);
    }

    CliRunner cli() {
        return new CliRunner(home).with("SLUICE_SERVER", server.url()).with("SLUICE_API_KEY", key);
    }
}
