package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.testkit.LocalService;
import dev.sluice.cli.testkit.RelayServer;
import dev.sluice.cli.testkit.Wire;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import java.nio.file.Path;
import java.time.Duration;

/// Tests `listen`, as a process, while the server is killed and the network is cut.
@Isolated("kills the server that all tests share")
class ServerRestartTest {

    private static final RelayServer SERVER = RelayServer.shared();
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir private Path home;

    @Test
    void nothing_is_lost_or_doubled_when_the_server_is_killed_and_the_network_is_cut() {
        var shop = new Shop(home);
        try (var service = new LocalService();
                var wire = new Wire(SERVER.port());
                var listen =
                        shop.cli()
                                .with("SLUICE_SERVER", wire.url())
                                .startProcess(
                                        "listen",
                                        "-f",
                                        "" + service.port(),
                                        "--max-events",
                                        "9",
                                        "-o",
                                        "json")) {
            listen.run().awaitOutput("\"ready\"");
            shop.send(0, 3);
            Awaitility.await().atMost(LIMIT).until(() -> service.requests().size() == 3);

            wire.cut();
            SERVER.killAndStart();
            shop.send(3, 6);
            wire.mend(SERVER.port());
            Awaitility.await().atMost(LIMIT).until(() -> service.requests().size() == 6);
            wire.cut();
            shop.send(6, 9);
            wire.mend(SERVER.port());

            var end = listen.run().awaitEnd();
            assertThat(end.status()).as(end.err()).isZero();
            assertThat(service.bodies()).containsExactlyElementsOf(Shop.bodies(0, 9));
            assertThat(listen.run().lines())
                    .extracting(line -> line.path("type").asString())
                    .contains("reconnecting", "resumed")
                    .doesNotContain("gap");
        }
    }
}
