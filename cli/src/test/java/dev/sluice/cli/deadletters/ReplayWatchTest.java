package dev.sluice.cli.deadletters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.server.ServerAddress;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.shell.Shell;
import dev.sluice.cli.testkit.BackgroundRun;
import dev.sluice.cli.testkit.ScriptedServer;
import dev.sluice.cli.testkit.Wire;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;

/// Tests waiting for a replay while the server is away.
class ReplayWatchTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void it_goes_on_when_the_server_was_cut_off_and_then_started_anew() {
        try (var server = new ScriptedServer();
                var wire = new Wire(port(server));
                var client = client(wire.url())) {
            server.answer(503, Map.of(), "{}")
                    .answer(200, Map.of(), replay("running", 3))
                    .answer(500, Map.of(), "{}")
                    .answer(200, Map.of(), replay("completed", 9));
            wire.cut();

            var run = run(watch(client, Duration.ofSeconds(60)));
            run.awaitOutput("Trying again for 60 s.");
            wire.mend(port(server));

            var end = run.awaitEnd();
            assertThat(end.status()).as(end.err()).isZero();
            assertThat(end.out()).isEqualTo("Created 9 deliveries.\n");
            assertThat(end.err().lines())
                    .satisfiesExactly(
                            line -> assertThat(line).startsWith("The connection to http"),
                            line -> assertThat(line).contains("replays/7/cancel"),
                            line -> assertThat(line).isEqualTo("3 of 9 deliveries created"),
                            line -> assertThat(line).startsWith("The server answered 500"));
        }
    }

    @Test
    void a_server_that_stays_away_ends_it_as_unreachable() {
        var server = new ScriptedServer();
        server.close();
        try (var client = client(server.url())) {
            var watch = watch(client, Duration.ofMillis(300));

            assertThatThrownBy(watch::run)
                    .isInstanceOfSatisfying(
                            CommandException.class,
                            e -> {
                                assertThat(e.exitCode()).isEqualTo(ExitCode.NETWORK);
                                assertThat(e.problem()).contains("Nothing answers at");
                                assertThat(e.hint()).contains("GET replays/7");
                            });
            assertThat(err.toString(UTF_8).lines()).hasSize(1);
        }
    }

    @Test
    void what_the_server_refuses_ends_it_at_once() {
        try (var server = new ScriptedServer();
                var client = client(server.url())) {
            server.answer(404, Map.of(), "{}");
            var watch = watch(client, Duration.ofSeconds(60));

            assertThatThrownBy(watch::run)
                    .isInstanceOfSatisfying(
                            CommandException.class,
                            e -> assertThat(e.exitCode()).isEqualTo(ExitCode.NOT_FOUND));
        }
    }

    private static int port(ScriptedServer server) {
        return URI.create(server.url()).getPort();
    }

    private static ServerClient client(String url) {
        return new ServerClient(ServerAddress.parse(url), Optional.of("key"), _ -> {});
    }

    private static String replay(String status, int created) {
        return "{\"status\":\"%s\",\"created\":%d,\"planned\":9}".formatted(status, created);
    }

    private ReplayWatch watch(ServerClient client, Duration outageTimeout) {
        var shell =
                new Shell(
                        Map.of(),
                        Path.of("/"),
                        InputStream.nullInputStream(),
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8),
                        false);
        return new ReplayWatch(new CommandContext(shell), client, "7", outageTimeout);
    }

    private BackgroundRun run(ReplayWatch watch) {
        var task = new FutureTask<>(watch::run, ExitCode.OK);
        Thread.ofVirtual().start(task);
        return new BackgroundRun(out, err, task);
    }
}
