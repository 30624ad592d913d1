package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.testkit.CliRun;
import dev.sluice.cli.testkit.LocalService;
import dev.sluice.cli.testkit.RelayServer;
import dev.sluice.cli.testkit.ScriptedServer;
import dev.sluice.cli.testkit.Wire;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Tests `listen`, `tail` and `replay` against the real server and a real local service.
class ListenTest {

    private static final RelayServer SERVER = RelayServer.shared();
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final String FULL =
            "{\"error\":{\"code\":\"stream_limit_reached\",\"message\":\"2 streams at a time.\"}}";

    @TempDir private Path home;

    private String key = "";
    private String ingestPath = "";

    @BeforeEach
    void makeSource() {
        key = SERVER.newWorkspaceKey();
        ingestPath = makeSource("Shop");
    }

    @Test
    void a_webhook_arrives_with_its_method_headers_and_bytes_so_that_its_signature_verifies()
            throws Exception {
        byte[] body = {'{', '"', (byte) 0xff, 0, '\r', '\n', '"', '}'};
        String signature = hmac(body);
        try (var service = new LocalService()) {
            var listen =
                    cli().runInBackground(
                                    "listen",
                                    "Shop",
                                    "-f",
                                    service.port() + "/hook?a=b",
                                    "--max-events",
                                    "1",
                                    "-o",
                                    "json",
                                    "-H",
                                    "X-Env: dev");
            listen.awaitOutput("\"ready\"");
            String id =
                    SERVER.ingest(
                            ingestPath,
                            body,
                            "X-Signature",
                            signature,
                            "x-Repeated",
                            "1",
                            "X-Repeated",
                            "2",
                            "Content-Type",
                            "text/odd");

            var end = listen.awaitEnd();

            assertThat(end.status()).as(end.err()).isZero();
            var request = service.requests().getFirst();
            assertThat(request.head())
                    .startsWith(
                            "POST /hook?a=b HTTP/1.1\r\nHost: localhost:"
                                    + service.port()
                                    + "\r\n");
            assertThat(request.body().getBytes(ISO_8859_1)).isEqualTo(body);
            assertThat(hmac(request.body().getBytes(ISO_8859_1)))
                    .isEqualTo(request.values("X-Signature").getFirst());
            assertThat(request.values("X-Repeated")).containsExactly("1", "2");
            assertThat(request.values("Content-Type")).containsExactly("text/odd");
            assertThat(request.values("X-Env")).containsExactly("dev");
            assertThat(request.values("X-Service-Event-Id")).containsExactly(id);
            assertThat(listen.lines())
                    .extracting(line -> line.path("type").asString())
                    .containsExactly("ready", "event", "response", "summary");
            assertThat(listen.lines()).allMatch(line -> line.path("schema").asInt() == 1);
            assertThat(listen.lines().get(2).path("status").asInt()).isEqualTo(200);
        }
    }

    @Test
    void nothing_is_lost_or_doubled_when_the_server_is_killed_and_the_network_is_cut() {
        try (var service = new LocalService();
                var wire = new Wire(SERVER.port())) {
            var listen =
                    cli().with("SLUICE_SERVER", wire.url())
                            .runInBackground(
                                    "listen",
                                    "-f",
                                    "" + service.port(),
                                    "--max-events",
                                    "9",
                                    "-o",
                                    "json");
            listen.awaitOutput("\"ready\"");
            send(0, 3);
            Awaitility.await().atMost(LIMIT).until(() -> service.requests().size() == 3);

            wire.cut();
            SERVER.killAndStart();
            send(3, 6);
            wire.mend(SERVER.port());
            Awaitility.await().atMost(LIMIT).until(() -> service.requests().size() == 6);
            wire.cut();
            send(6, 9);
            wire.mend(SERVER.port());

            var end = listen.awaitEnd();
            assertThat(end.status()).as(end.err()).isZero();
            assertThat(service.bodies()).containsExactlyElementsOf(bodies(0, 9));
            assertThat(listen.lines())
                    .extracting(line -> line.path("type").asString())
                    .contains("reconnecting", "resumed")
                    .doesNotContain("gap");
        }
    }

    @Test
    void the_next_run_catches_up_with_what_came_in_between() {
        try (var service = new LocalService()) {
            var first =
                    cli().runInBackground(
                                    "listen",
                                    "Shop",
                                    "-f",
                                    "" + service.port(),
                                    "--max-events",
                                    "2");
            first.awaitOutput("Ready.");
            send(0, 2);
            assertThat(first.awaitEnd().status()).isZero();
            send(2, 5);

            var second =
                    run(
                            "listen",
                            "Shop",
                            "-f",
                            "" + service.port(),
                            "--max-events",
                            "3",
                            "--catch-up");

            assertThat(second.status()).as(second.err()).isZero();
            assertThat(service.bodies()).containsExactlyElementsOf(bodies(0, 5));
            assertThat(second.out().lines()).hasSize(3).allMatch(line -> line.contains("->  200"));
            assertThat(second.err())
                    .contains("Summary: 3 received, 3 forwarded, 0 failed, 0 filtered, 0 gaps");
        }
    }

    @Test
    void a_stream_begins_with_the_oldest_event_or_at_a_time_when_asked() {
        send(0, 3);

        var fromStart = run("tail", "--from-start", "--max-events", "3", "-o", "json");
        var since = run("tail", "Shop", "--since", "1h", "--max-events", "3", "-o", "json");

        for (var run : List.of(fromStart, since)) {
            assertThat(run.status()).as(run.err()).isZero();
            assertThat(
                            run.out()
                                    .lines()
                                    .map(JsonTree::read)
                                    .map(line -> line.path("type").asString()))
                    .containsExactly("ready", "event", "event", "event", "summary");
        }
    }

    @Test
    void tail_shows_payloads_when_asked_and_control_characters_never() {
        SERVER.ingest(ingestPath, "{\"note\": \"a \u001b[2J\"}".getBytes(UTF_8));

        var tail = run("tail", "--from-start", "--max-events", "1", "--payload");

        assertThat(tail.out()).contains("Shop", "POST", "note").doesNotContain("\u001b");
    }

    @Test
    void sources_go_to_their_routes_and_others_nowhere() {
        String other = makeSource("Other");
        try (var service = new LocalService();
                var fallback = new LocalService()) {
            var listen =
                    cli().runInBackground(
                                    "listen",
                                    "-f",
                                    "" + fallback.port(),
                                    "-r",
                                    "Other=" + service.port() + "/other",
                                    "--max-events",
                                    "2");
            listen.awaitOutput("Ready.");
            SERVER.ingest(other, "other".getBytes(UTF_8));
            send(0, 1);
            assertThat(listen.awaitEnd().status()).isZero();

            assertThat(service.bodies()).containsExactly("other");
            assertThat(fallback.bodies()).containsExactlyElementsOf(bodies(0, 1));
        }
    }

    @Test
    void an_event_whose_verification_failed_is_forwarded_nowhere() {
        cli().run(
                        "sources",
                        "update",
                        "Shop",
                        "verification_config.provider=api_key",
                        "verification_config.header=X-Key",
                        "verification_config.key=right");
        SERVER.ingestRefused(ingestPath, "{}".getBytes(UTF_8));
        SERVER.ingest(ingestPath, "good".getBytes(UTF_8), "X-Key", "right");
        try (var service = new LocalService()) {
            var listen =
                    run(
                            "listen",
                            "--from-start",
                            "-f",
                            "" + service.port(),
                            "--max-events",
                            "1",
                            "-o",
                            "json");

            assertThat(listen.status()).as(listen.err()).isZero();
            assertThat(service.bodies()).containsExactly("good");
            assertThat(service.requests().getFirst().values("X-Key")).isEmpty();
            assertThat(listen.out()).contains("\"filtered\"", "verification failed");
        }
    }

    @Test
    void a_dead_slow_or_broken_local_service_is_named_and_fails_only_when_asked() {
        SERVER.ingest(ingestPath, "{}".getBytes(UTF_8));
        try (var slow = new LocalService("");
                var strange = new LocalService("nonsense\r\n\r\n");
                var failing =
                        new LocalService(
                                "HTTP/1.1 500 No\r\n"
                                        + "Transfer-Encoding: chunked\r\n\r\n"
                                        + "3\r\n"
                                        + "bad\r\n"
                                        + "0\r\n\r\n")) {
            int dead = new LocalService().closedPort();

            assertThat(listenOnce("" + dead).out())
                    .contains("ERR  nothing is listening on localhost:" + dead);
            assertThat(listenOnce("" + slow.port(), "--timeout", "300ms").out())
                    .contains("did not answer within 300 ms");
            assertThat(listenOnce("" + strange.port()).out()).contains("does not speak HTTP");
            assertThat(listenOnce("" + failing.port()).out()).contains("->  500").contains("bad");
            var strict = listenOnce("" + failing.port(), "--fail-on-error");
            assertThat(strict.status()).isEqualTo(8);
            assertThat(strict.err()).contains("failed for 1 events");
        }
    }

    private CliRun listenOnce(String target, String... options) {
        var args =
                new ArrayList<>(
                        List.of("listen", "--from-start", "--max-events", "1", "-f", target));
        args.addAll(List.of(options));
        return run(args.toArray(String[]::new));
    }

    @Test
    void replay_sends_stored_events_in_order() {
        String first = SERVER.ingest(ingestPath, "a".getBytes(UTF_8));
        String second = SERVER.ingest(ingestPath, "b".getBytes(UTF_8));
        try (var service = new LocalService()) {
            assertThat(run("replay", second, first, "-f", "" + service.port()).status()).isZero();
            assertThat(
                            run(
                                            "replay",
                                            "--last",
                                            "2",
                                            "--source",
                                            "Shop",
                                            "-f",
                                            "" + service.port())
                                    .status())
                    .isZero();

            assertThat(service.bodies()).containsExactly("b", "a", "a", "b");
            assertThat(run("replay", "018f3c5e-7a01-7000-8000-0000000000ff", "-f", "1").status())
                    .isEqualTo(3);
        }
    }

    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143"})
    void a_signal_ends_it_with_the_summary(String signal, int status) throws Exception {
        // A shell starts what runs in its background with SIGINT ignored, and children inherit it.
        assumeFalse(signal.equals("INT") && isInterruptIgnored());
        var process =
                cli().start(
                                ProcessBuilder.Redirect.PIPE,
                                ProcessBuilder.Redirect.INHERIT,
                                "listen",
                                "-f",
                                "3000",
                                "-o",
                                "json");
        try (var out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            assertThat(out.readLine()).contains("\"ready\"");
            new ProcessBuilder("kill", "-" + signal, "" + process.pid()).start().waitFor();

            assertThat(out.readLine()).contains("\"summary\"");
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(status);
        } finally {
            process.destroyForcibly();
        }
    }

    private static boolean isInterruptIgnored() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("SigIgn:"))
                    .anyMatch(line ->
                            (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 2) != 0);
        }
    }

    @Test
    void a_stream_that_cannot_be_had_ends_with_its_exit_code() {
        assertThat(cli().with("SLUICE_API_KEY", "slk_wrong").run("listen", "-f", "3000").status())
                .isEqualTo(4);
        assertThat(run("listen", "Nothing", "-f", "3000").status()).isEqualTo(3);
        assertThat(run("listen").err()).contains("--forward-to");
        assertThat(run("listen", "-f", "ftp://x").status()).isEqualTo(2);
        assertThat(run("listen", "-f", "3000", "--since", "1h", "--catch-up").status())
                .isEqualTo(2);
        assertThat(run("listen", "-f", "3000", "-H", "no header").status()).isEqualTo(2);
        assertThat(run("listen", "-f", "3000", "--server", "http://127.0.0.1:1").status())
                .isEqualTo(6);
        assertThat(run("listen", "-f", "3000", "--duration", "1s").status()).isZero();
        assertThat(run("listen", "-f", "3000", "--duration", "1s", "--max-events", "1").status())
                .isEqualTo(124);
        assertThat(run("replay", "-f", "3000").status()).isEqualTo(2);
    }

    @Test
    void a_full_workspace_is_waited_for_as_the_server_says_but_not_for_an_hour() {
        try (var server = new ScriptedServer()) {
            server.answer(200, Map.of(), "{\"items\":[],\"total\":0}")
                    .answer(200, Map.of(), "{\"workspace\":{\"id\":\"1\"}}")
                    .answer(429, Map.of("Retry-After", "1"), FULL)
                    .answer(429, Map.of("Retry-After", "3600"), FULL);

            var listen = run("listen", "-f", "3000", "--server", server.url());

            assertThat(listen.status()).isEqualTo(7);
            assertThat(listen.err()).contains("next try in 1", "2 streams at a time");
            assertThat(server.requests()).hasSize(4);
        }
    }

    @Test
    void a_lost_stream_is_given_up_after_the_time_that_was_asked_for() {
        try (var wire = new Wire(SERVER.port())) {
            var listen =
                    cli().with("SLUICE_SERVER", wire.url())
                            .runInBackground("tail", "--max-reconnect-time", "2s");
            listen.awaitOutput("Ready.");
            wire.cut();

            var end = listen.awaitEnd();
            assertThat(end.status()).isEqualTo(6);
            assertThat(end.err())
                    .contains("reconnecting", "did not come back within 2 s", "Summary");
        }
    }

    private String makeSource(String name) {
        return run("sources", "create", "name=" + name, "-o", "json")
                .json()
                .path("ingest_path")
                .asString();
    }

    private void send(int from, int to) {
        bodies(from, to).forEach(body -> SERVER.ingest(ingestPath, body.getBytes(UTF_8)));
    }

    private static List<String> bodies(int from, int to) {
        return IntStream.range(from, to).mapToObj(n -> "{\"n\": " + n + "}").toList();
    }

    private static String hmac(byte[] body) throws Exception {
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec("secret".getBytes(UTF_8), "HmacSHA256"));
        return HexFormat.of().formatHex(mac.doFinal(body));
    }

    private CliRun run(String... args) {
        return cli().run(args);
    }

    private CliRunner cli() {
        return new CliRunner(home).with("SLUICE_SERVER", SERVER.url()).with("SLUICE_API_KEY", key);
    }
}
