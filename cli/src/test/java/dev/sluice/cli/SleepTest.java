package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.testkit.CommandProcess;
import dev.sluice.cli.testkit.LocalService;
import dev.sluice.cli.testkit.RelayServer;
import dev.sluice.cli.testkit.Wire;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// Tests that `listen`, as a process, misses nothing while the machine sleeps and the server goes
/// on. The cases run at the same time, because they mostly wait. One of them stands still for
/// longer than `listen` waits for data; `-Dsluice.sleep=60` makes the others do so, too. This is
/// the first of the classes, so that others run beside it.
@Order(1)
@Execution(ExecutionMode.CONCURRENT)
class SleepTest {

    private static final RelayServer SERVER = RelayServer.shared();
    private static final Duration SLEEP = Duration.ofSeconds(Long.getLong("sluice.sleep", 1));

    /// Longer than the 35 s without data after which `listen` takes a stream for lost.
    private static final Duration LONG_SLEEP = Duration.ofSeconds(45);

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir private Path home;

    private Shop shop;

    @BeforeEach
    void makeShop() {
        shop = new Shop(home);
    }

    /// @param isCut whether its connections are gone when it wakes up
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothing_is_missed_or_doubled_while_the_process_stands_still(boolean isCut)
            throws InterruptedException {
        try (var service = new LocalService();
                var wire = new Wire(SERVER.port());
                var listen = listen(shop.cli().with("SLUICE_SERVER", wire.url()), service)) {
            listen.run().awaitOutput("\"ready\"");
            shop.send(0, 3);
            await(service, 3);

            listen.signal("STOP");
            shop.send(3, 6);
            Thread.sleep(isCut ? SLEEP : longer(SLEEP, LONG_SLEEP));
            if (isCut) {
                wire.mend(SERVER.port());
            }
            shop.send(6, 9);
            listen.signal("CONT");

            assertAllArrived(listen, service);
            if (isCut) {
                assertThat(types(listen)).contains("reconnecting", "resumed");
            }
        }
    }

    /// A machine that slept for half a day: its clock went on, and the command did not notice time
    /// passing. The connection looks alive.
    @Test
    void a_clock_that_went_on_by_twelve_hours_is_noticed_and_nothing_is_missed_or_doubled()
            throws Exception {
        var leap = home.resolve("leap");
        try (var service = new LocalService();
                var wire = new Wire(SERVER.port());
                var listen =
                        listen(
                                shop.cli()
                                        .with("SLUICE_SERVER", wire.url())
                                        .asProgram(LeapingCommand.class)
                                        .withProperty(LeapingCommand.FILE, leap.toString()),
                                service)) {
            listen.run().awaitOutput("\"ready\"");
            shop.send(0, 3);
            await(service, 3);

            listen.signal("STOP");
            wire.freeze();
            shop.send(3, 6);
            Files.createFile(leap);
            Thread.sleep(SLEEP);
            listen.signal("CONT");
            // After a sleep that is long enough, the silence may be noticed first.
            listen.run()
                    .awaitOutput(
                            SLEEP.compareTo(LONG_SLEEP) < 0
                                    ? "its clock was moved on"
                                    : "reconnecting");
            wire.mend(SERVER.port());
            shop.send(6, 9);

            assertAllArrived(listen, service);
            assertThat(types(listen)).contains("resumed");
        }
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static CommandProcess listen(CliRunner cli, LocalService service) {
        return cli.startProcess(
                "listen", "Shop", "-f", "" + service.port(), "--max-events", "9", "-o", "json");
    }

    private static void await(LocalService service, int count) {
        Awaitility.await().atMost(LIMIT).until(() -> service.requests().size() >= count);
    }

    private static void assertAllArrived(CommandProcess listen, LocalService service) {
        var end = listen.run().awaitEnd();
        assertThat(end.status()).as(end.err()).isZero();
        assertThat(service.bodies()).containsExactlyElementsOf(Shop.bodies(0, 9));
        assertThat(types(listen)).doesNotContain("gap");
    }

    private static List<String> types(CommandProcess listen) {
        return listen.run().lines().stream().map(line -> line.path("type").asString()).toList();
    }
}
