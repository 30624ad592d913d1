package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.platform.config.Settings;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/// Tests `sluice tenants top`.
class TenantsCommandTest {

    private record CommandRun(int status, String out, String err) {}

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_METRICS_PORT", "0"));

    private static CommandRun run(String metricsPort, String... arguments) {
        var variables =
                new HashMap<>(
                        Map.of(
                                "SLUICE_DATABASE_URL",
                                TestPostgres.url(sluice.database()),
                                "SLUICE_MASTER_KEY",
                                RunningSluice.MASTER_KEY));
        variables.put("SLUICE_METRICS_PORT", metricsPort);
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        int status =
                TenantsCommand.run(
                        Config.read(new Settings(variables)),
                        List.of(arguments),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8));
        return new CommandRun(
                status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void the_workspaces_that_hold_something_are_listed_with_their_names() throws IOException {
        try (var receiver = Receiver.start()) {
            var answer = new CountDownLatch(1);
            receiver.willDo(new Receiver.GatedBehaviour(answer, Receiver.answer(200, "")));
            var api = sluice.api();
            var source = api.source("s");
            api.connect(source, api.destination(receiver.url(), ""));
            assertThat(api.ingest(source.text("ingest_path"), "{}").status()).isEqualTo(200);
            String id = api.get("/api/v1/me").json().path("workspace").path("id").asString();

            await().untilAsserted(() -> {
                var run = run(Integer.toString(sluice.metricsPort()), "top");
                assertThat(run.status).as(run.err).isZero();
                var lines = run.out.lines().toList();
                assertThat(lines.getFirst())
                        .startsWith("WORKSPACE")
                        .contains("ATTEMPTS_IN_FLIGHT", "DELIVERIES_UNFINISHED", "STORED_BYTES");
                assertThat(lines.get(1)).startsWith(id + "  Default  ").contains(" 1 ");
                assertThat(lines.getLast()).startsWith("others ");
            });

            answer.countDown();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0"})
    void without_a_metrics_port_the_command_says_what_to_set(String port) {
        var run = run(port, "top");

        assertThat(run.status).isEqualTo(2);
        assertThat(run.err).startsWith("The server shows no metrics: SLUICE_METRICS_PORT is not");
    }

    @Test
    void metrics_that_cannot_be_read_are_named() {
        String url = "http://127.0.0.1:" + sluice.port() + "/metrics";

        var run = run("", "top", "--metrics", url);

        assertThat(run)
                .isEqualTo(
                        new CommandRun(
                                2,
                                "",
                                "The metrics at "
                                        + url
                                        + " could not be read: the answer is 404\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bottom", "top now", "top --metrics"})
    void a_wrong_argument_is_answered_with_the_usage(String arguments) {
        var run = run("", arguments.split(" ", -1));

        assertThat(run.status).isEqualTo(2);
        assertThat(run.err).startsWith("Usage: sluice tenants top [--metrics URL].");
    }

    @Test
    void bytes_are_shown_in_their_unit_and_the_largest_part_comes_first() {
        var holdings =
                WorkspaceHoldings.parse(
                        """
                        # TYPE sluice_workspace_payload_bytes gauge
                        sluice_workspace_payload_bytes{workspace="a"} 1536.0
                        sluice_workspace_payload_bytes{workspace="b"} 5.24288E7
                        sluice_workspace_payload_bytes{workspace="others"} 0.0
                        sluice_workspace_streams{workspace="a"} 2.0
                        sluice_workspace_streams{workspace="b"} 3.0
                        sluice_workspaces_suspended 1.0
                        """);

        assertThat(holdings.table(Map.of("a", "Shop")))
                .containsExactly(
                        "WORKSPACE  NAME  PAYLOAD_BYTES  STREAMS",
                        "b          -          50.0 MiB        3",
                        "a          Shop        1.5 KiB        2",
                        "others     -                 -        -");
    }
}
