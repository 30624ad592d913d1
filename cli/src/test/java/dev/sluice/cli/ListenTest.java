package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.shell.JsonTree;
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

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Tests `listen`, `tail` and `replay` against the real server and a real local service.
class ListenTest {

    private static final RelayServer SERVER = RelayServer.shared();

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final String FULL =
            "{\"error\":{\"code\":\"stream_limit_reached\",\"message\":\"2 streams at a time.\"}}";

    @TempDir private Path home;

    private Shop shop;

    @BeforeEach
    void makeShop() {
        shop = new Shop(home);
    }

    @Test
    void a_webhook_arrives_with_its_method_headers_and_bytes_so_that_its_signature_verifies()
            throws Exception {
        byte[] body = {'{', '"', (byte) 0xff, 0, '\r', '\n', '"', '}'};
        String signature = hmac(body);
        try (var service = new LocalService();
                var process =
                        shop.start(
                                "listen",
                                "Shop",
                                "-f",
                                service.port() + "/hook?a=b",
                                "--max-events",
                                "1",
                                "-o",
                                "json",
                                "-H",
                                "X-Env: dev")) {
            var listen = process.run();
            listen.awaitOutput("\"ready\"");
            String id =
                    SERVER.ingest(
                            shop.ingestPath(),
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
    void headers_arrive_in_their_order_and_case_and_byte_for_byte() throws IOException {
        String path = shop.ingestPath();
        var headers =
                List.of(
                        "x-lower: 1",
                        "X-Latin: caf\u00e9",
                        "X-UTF8: caf\u00c3\u00a9",
                        "X-Same: a",
                        "x-sAME: b",
                        "X-Broken: \u00ff\u00fe\u0080");
        String request =
                "POST %s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n%s\r\nContent-Length: 2\r\n\r\n{}"
                        .formatted(path, String.join("\r\n", headers));
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), SERVER.port())) {
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            assertThat(new String(socket.getInputStream().readAllBytes(), ISO_8859_1))
                    .startsWith("HTTP/1.1 200");
        }
        try (var service = new LocalService()) {
            var replay = shop.run("replay", "--last", "1", "-f", "" + service.port());

            assertThat(replay.status()).as(replay.err()).isZero();
            assertThat(service.requests().getFirst().head().split("\r\n", -1))
                    .containsSubsequence(headers);
        }
    }

    @Test
    void jq_reads_every_type_of_line() throws Exception {
        assumeTrue(new ProcessBuilder("sh", "-c", "command -v jq").start().waitFor() == 0);
        shop.makeSource("Other");
        try (var service = new LocalService();
                var wire = new Wire(SERVER.port());
                var process =
                        shop.cli()
                                .with("SLUICE_SERVER", wire.url())
                                .startProcess(
                                        "listen",
                                        "Shop",
                                        "-f",
                                        "" + service.port(),
                                        "-r",
                                        "Other=nowhere.invalid:9",
                                        "--filter",
                                        "body.n lt 5",
                                        "--no-resume",
                                        "--max-events",
                                        "2",
                                        "-o",
                                        "json")) {
            var listen = process.run();
            listen.awaitOutput("\"ready\"");
            shop.send(4, 6);
            listen.awaitOutput("\"filtered\"");
            wire.cut();
            wire.mend(SERVER.port());
            listen.awaitOutput("\"gap\"");
            shop.send(1, 2);
            assertThat(listen.awaitEnd().status()).isZero();

            var jq = new ProcessBuilder("jq", "-r", "select(.schema == 1).type").start();
            try (var in = jq.getOutputStream()) {
                in.write(listen.output());
            }

            assertThat(new String(jq.getInputStream().readAllBytes(), UTF_8).lines())
                    .contains(
                            "ready",
                            "event",
                            "response",
                            "filtered",
                            "reconnecting",
                            "resumed",
                            "gap",
                            "warning",
                            "summary");
            assertThat(jq.waitFor()).isZero();
        }
    }

    @Test
    void several_sources_are_streamed_and_others_are_not() {
        String second = shop.makeSource("Second");
        String other = shop.makeSource("Other");
        try (var service = new LocalService()) {
            var listen =
                    shop.cli()
                            .runInBackground(
                                    "listen",
                                    "Shop",
                                    "Second",
                                    "-f",
                                    "" + service.port(),
                                    "--max-events",
                                    "2");
            listen.awaitOutput("Ready. 2 sources");
            SERVER.ingest(other, "other".getBytes(UTF_8));
            shop.send(0, 1);
            SERVER.ingest(second, "second".getBytes(UTF_8));

            assertThat(listen.awaitEnd().status()).isZero();
            assertThat(service.bodies()).containsExactlyInAnyOrder("{\"n\": 0}", "second");
        }
    }

    @Test
    void jq_reads_every_line() throws Exception {
        assumeTrue(new ProcessBuilder("sh", "-c", "command -v jq").start().waitFor() == 0);
        SERVER.ingest(shop.ingestPath(), new byte[] {'"', '\n', 0, (byte) 0xff, (byte) 0xe2, 27});
        var tail = shop.run("tail", "--from-start", "--payload", "--max-events", "1", "-o", "json");

        var jq = new ProcessBuilder("jq", "-c", "[.schema, .type]").start();
        try (var in = jq.getOutputStream()) {
            in.write(tail.out().getBytes(UTF_8));
        }

        assertThat(new String(jq.getInputStream().readAllBytes(), UTF_8).lines())
                .containsExactly("[1,\"ready\"]", "[1,\"event\"]", "[1,\"summary\"]");
        assertThat(jq.waitFor()).isZero();
    }

    @Test
    void the_banner_says_whose_webhooks_go_where_from_when_on() {
        shop.send(0, 1);
        String target = "127.9.8.7:8099/hook";

        var listen = shop.run("listen", "-f", target, "--since", "1h", "--max-events", "1");

        assertThat(listen.err().lines().toList().subList(0, 4))
                .satisfiesExactly(
                        line ->
                                assertThat(line)
                                        .startsWith(SERVER.url())
                                        .contains("key of SLUICE_API_KEY, workspace Tests"),
                        line ->
                                assertThat(line)
                                        .contains("Shop", shop.ingestPath())
                                        .endsWith("  -> http://" + target),
                        line -> assertThat(line).startsWith("  from 20").endsWith("Z on"),
                        line -> assertThat(line).startsWith("Ready. 1 source -> "));
    }

    @Test
    void what_came_while_the_stream_was_lost_is_left_out_when_asked() {
        try (var wire = new Wire(SERVER.port())) {
            var tail =
                    shop.cli()
                            .with("SLUICE_SERVER", wire.url())
                            .runInBackground(
                                    "tail", "--no-resume", "--max-events", "2", "-o", "json");
            tail.awaitOutput("\"ready\"");
            shop.send(0, 1);
            tail.awaitOutput("\"event\"");
            wire.cut();
            shop.send(1, 3);
            wire.mend(SERVER.port());
            tail.awaitOutput("\"not_resumed\"");
            String last = SERVER.ingest(shop.ingestPath(), "last".getBytes(UTF_8));

            assertThat(tail.awaitEnd().status()).isZero();
            assertThat(tail.lines())
                    .filteredOn(line -> line.path("type").asString().equals("event"))
                    .hasSize(2)
                    .last()
                    .matches(event -> event.path("id").asString().equals(last));
        }
    }

    @Test
    void the_next_run_catches_up_with_what_came_in_between() {
        try (var service = new LocalService()) {
            var first =
                    shop.cli()
                            .runInBackground(
                                    "listen",
                                    "Shop",
                                    "-f",
                                    "" + service.port(),
                                    "--max-events",
                                    "2");
            first.awaitOutput("Ready.");
            shop.send(0, 2);
            assertThat(first.awaitEnd().status()).isZero();
            shop.send(2, 5);

            var second =
                    shop.run(
                            "listen",
                            "Shop",
                            "-f",
                            "" + service.port(),
                            "--max-events",
                            "3",
                            "--catch-up");

            assertThat(second.status()).as(second.err()).isZero();
            assertThat(service.bodies()).containsExactlyElementsOf(Shop.bodies(0, 5));
            assertThat(second.out().lines()).hasSize(3).allMatch(line -> line.contains("->  200"));
            assertThat(second.err())
                    .contains("Summary: 3 received, 3 forwarded, 0 failed, 0 filtered, 0 gaps");
        }
    }

    @Test
    void an_event_during_which_the_command_was_killed_is_sent_again() {
        try (var service = new LocalService();
                var silent = new LocalService("")) {
            String[] first = {"listen", "Shop", "-f", "" + service.port(), "--max-events", "1"};
            var start = shop.cli().runInBackground(first);
            start.awaitOutput("Ready.");
            shop.send(0, 1);
            assertThat(start.awaitEnd().status()).isZero();
            try (var killed =
                    shop.start("listen", "Shop", "-f", "" + silent.port(), "--catch-up")) {
                killed.run().awaitOutput("Ready.");
                shop.send(1, 2);
                Awaitility.await().atMost(LIMIT).until(() -> silent.requests().size() == 1);
                killed.signal("KILL");
                killed.run().awaitEnd();
            }

            assertThat(shop.run(with(first, "--catch-up")).status()).isZero();
            assertThat(service.bodies()).containsExactlyElementsOf(Shop.bodies(0, 2));
        }
    }

    @Test
    void an_event_that_cannot_be_kept_ends_the_command_and_is_sent_by_the_next_run()
            throws IOException {
        var file = Files.createFile(home.resolve("file"));
        try (var service = new LocalService()) {
            String[] once = {"listen", "Shop", "-f", "" + service.port(), "--max-events", "1"};
            var first = shop.cli().runInBackground(once);
            first.awaitOutput("Ready.");
            shop.send(0, 1);
            assertThat(first.awaitEnd().status()).isZero();
            shop.send(1, 2);

            var failed = shop.run(with(once, "--catch-up", "--record", file.toString()));
            var next = shop.run(with(once, "--catch-up"));

            assertThat(failed.status()).isEqualTo(1);
            assertThat(failed.err()).contains("The event cannot be kept in " + file);
            assertThat(next.status()).as(next.err()).isZero();
            assertThat(service.bodies()).containsExactlyElementsOf(Shop.bodies(0, 2));
        }
    }

    @Test
    void a_run_that_stops_among_the_oldest_events_is_caught_up_from_there() {
        shop.send(0, 4);
        try (var service = new LocalService()) {
            var first =
                    shop.run(
                            "listen",
                            "--from-start",
                            "-f",
                            "" + service.port(),
                            "--max-events",
                            "2");
            var second =
                    shop.run(
                            "listen", "--catch-up", "-f", "" + service.port(), "--max-events", "2");

            assertThat(first.status()).as(first.err()).isZero();
            assertThat(service.bodies()).containsExactlyElementsOf(Shop.bodies(0, 4));
            assertThat(second.err()).contains("2 forwarded, 0 failed, 0 filtered, 0 gaps");
        }
    }

    @Test
    void a_stream_begins_with_the_oldest_event_or_at_a_time_when_asked() {
        shop.send(0, 3);

        var fromStart = shop.run("tail", "--from-start", "--max-events", "3", "-o", "json");
        var since = shop.run("tail", "Shop", "--since", "1h", "--max-events", "3", "-o", "json");

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
        SERVER.ingest(shop.ingestPath(), "{\"note\": \"a \u001b[2J\"}".getBytes(UTF_8));

        var tail = shop.run("tail", "--from-start", "--max-events", "1", "--payload");

        assertThat(tail.out()).contains("Shop", "POST", "note").doesNotContain("\u001b");
    }

    @Test
    void people_see_credentials_and_signatures_only_when_they_ask() {
        SERVER.ingest(
                shop.ingestPath(),
                "{}".getBytes(UTF_8),
                "Authorization",
                "Bearer one",
                "X-Hub-Signature-256",
                "sha256=two",
                "Cookie",
                "session=three",
                "X-Topic",
                "four");
        String[] tail = {"tail", "--from-start", "--max-events", "1", "--payload"};

        assertThat(shop.run(tail).out())
                .contains("Authorization: ***", "X-Hub-Signature-256: ***", "Cookie: ***", "four")
                .doesNotContain("one", "two", "three");
        var shown = Stream.concat(Stream.of(tail), Stream.of("--show-secrets"));
        assertThat(shop.run(shown.toArray(String[]::new)).out()).contains("one", "two", "three");
        try (var service = new LocalService()) {
            var replay =
                    shop.run(
                            "replay",
                            "--last",
                            "1",
                            "-f",
                            "" + service.port(),
                            "--print",
                            "headers");
            assertThat(replay.out()).contains("four").doesNotContain("one", "two", "three");
            assertThat(service.requests().getFirst().values("Authorization"))
                    .containsExactly("Bearer one");
        }
    }

    @Test
    void events_that_a_replaced_database_has_are_listed_after_the_gap() {
        String event =
                "{\"id\":\"%s\",\"source_id\":\"s\",\"received_at\":\"2026-01-01T00:00:0%s.000Z\",\"method\":\"POST\",\"body\":\"%s\"}";
        String first = event.formatted("a1", "1", "first");
        String missed = event.formatted("a2", "2", "missed");
        String ready = "event: ready\ndata: {}\n\n";
        var stream = Map.of("Content-Type", "text/event-stream");
        try (var server = new ScriptedServer();
                var service = new LocalService()) {
            server.answer(200, Map.of(), "{\"items\":[],\"total\":0}")
                    .answer(
                            200,
                            Map.of(),
                            "{\"workspace\":{\"id\":\"1\"},\"header_prefix\":\"X-Mine\"}")
                    .answer(200, stream, ready + "id: 1\nevent: event\ndata: " + first + "\n\n")
                    .answer(
                            200,
                            stream,
                            ready + "event: gap\ndata: {\"reason\":\"database_replaced\"}\n\n")
                    .answer(200, Map.of(), "{\"items\":[],\"total\":2}")
                    .answer(200, Map.of(), "{\"items\":[" + missed + "],\"next_cursor\":\"c\"}")
                    .answer(200, Map.of(), "{\"items\":[" + first + "],\"next_cursor\":null}")
                    .answer(200, Map.of(), missed);

            var listen =
                    shop.run(
                            "listen",
                            "-f",
                            "" + service.port(),
                            "--server",
                            server.url(),
                            "--max-events",
                            "2",
                            "-o",
                            "json");

            assertThat(listen.status()).as(listen.err()).isZero();
            assertThat(service.bodies()).containsExactly("first", "missed");
            assertThat(service.requests().getFirst().values("X-Mine-Event-Id"))
                    .containsExactly("a1");
            assertThat(listen.out().lines().map(line -> JsonTree.read(line)))
                    .extracting(line -> line.path("type").asString())
                    .containsExactly(
                            "ready",
                            "event",
                            "response",
                            "reconnecting",
                            "resumed",
                            "gap",
                            "event",
                            "response",
                            "summary");
            assertThat(listen.out()).contains("\"missed\":1");
            assertThat(server.requests().get(5))
                    .contains("events?received_after=2026-01-01T00%3A00%3A01.000Z");
        }
    }

    @Test
    void sources_go_to_their_routes_and_others_nowhere() {
        String other = shop.makeSource("Other");
        try (var service = new LocalService();
                var fallback = new LocalService()) {
            var listen =
                    shop.cli()
                            .runInBackground(
                                    "listen",
                                    "-f",
                                    "" + fallback.port(),
                                    "-r",
                                    "Other=" + service.port() + "/other",
                                    "--max-events",
                                    "2");
            listen.awaitOutput("Ready.");
            SERVER.ingest(other, "other".getBytes(UTF_8));
            shop.send(0, 1);
            assertThat(listen.awaitEnd().status()).isZero();

            assertThat(service.bodies()).containsExactly("other");
            assertThat(fallback.bodies()).containsExactlyElementsOf(Shop.bodies(0, 1));
        }
    }

    @Test
    void a_routes_target_may_have_a_query_and_its_source_a_name_with_an_equals_sign() {
        String odd = shop.makeSource("A=1");
        try (var service = new LocalService()) {
            var listen =
                    shop.cli()
                            .runInBackground(
                                    "listen",
                                    "-r",
                                    "Shop=" + service.port() + "/hook?a=b",
                                    "-r",
                                    "A=1=" + service.port() + "/odd?c=d=e",
                                    "--max-events",
                                    "2");
            listen.awaitOutput("Ready.");
            shop.send(0, 1);
            SERVER.ingest(odd, "odd".getBytes(UTF_8));
            assertThat(listen.awaitEnd().status()).isZero();

            assertThat(service.requests())
                    .extracting(request -> request.head().lines().findFirst().orElseThrow())
                    .containsExactlyInAnyOrder(
                            "POST /hook?a=b HTTP/1.1", "POST /odd?c=d=e HTTP/1.1");
        }
    }

    @Test
    void a_source_that_has_a_route_is_streamed_with_the_sources_that_are_named() {
        String other = shop.makeSource("Other");
        try (var service = new LocalService()) {
            var listen =
                    shop.cli()
                            .runInBackground(
                                    "listen",
                                    "Shop",
                                    "-f",
                                    "" + service.port(),
                                    "-r",
                                    "Other=" + service.port(),
                                    "--max-events",
                                    "2");
            listen.awaitOutput("Ready.");
            SERVER.ingest(other, "other".getBytes(UTF_8));
            shop.send(0, 1);

            assertThat(listen.awaitEnd().status()).isZero();
            assertThat(service.bodies()).containsExactlyInAnyOrder("other", "{\"n\": 0}");
        }
    }

    @Test
    void an_event_whose_verification_failed_is_forwarded_nowhere() {
        shop.cli()
                .run(
                        "sources",
                        "update",
                        "Shop",
                        "verification_config.provider=api_key",
                        "verification_config.header=X-Key",
                        "verification_config.key=right");
        SERVER.ingestRefused(shop.ingestPath(), "{}".getBytes(UTF_8));
        SERVER.ingest(shop.ingestPath(), "good".getBytes(UTF_8), "X-Key", "right");
        try (var service = new LocalService()) {
            var listen =
                    shop.run(
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
    void a_dead_or_slow_local_service_is_named() {
        String dead = "127.9.8.7:8099";
        try (var slow = new LocalService("");
                var listen =
                        shop.start(listenTo(List.of(dead, "" + slow.port()), "--timeout", "1s"))) {
            var end = listen.run().awaitEnd();

            assertThat(end.status()).as(end.err()).isZero();
            assertThat(end.out())
                    .contains(
                            "ERR  nothing is listening on " + dead,
                            "localhost:" + slow.port() + " did not answer within 1000 ms");
        }
    }

    @Test
    void a_broken_local_service_is_named_and_fails_only_when_asked() {
        try (var strange = new LocalService("nonsense\r\n\r\n");
                var failing =
                        new LocalService(
                                "HTTP/1.1 500 No\r\n"
                                        + "Transfer-Encoding: chunked\r\n\r\n"
                                        + "3\r\n"
                                        + "bad\r\n"
                                        + "0\r\n\r\n")) {
            var targets = List.of("" + strange.port(), "" + failing.port());

            var strict = shop.run(listenTo(targets, "--fail-on-error"));

            assertThat(strict.status()).isEqualTo(8);
            assertThat(strict.out()).contains("does not speak HTTP", "->  500", "bad");
            assertThat(strict.err()).contains("failed for 2 events");
        }
    }

    /// Makes a source with an event for each target.
    ///
    /// @return a `listen` that sends the events there, and ends
    private String[] listenTo(List<String> targets, String... options) {
        var args =
                new ArrayList<>(
                        List.of("listen", "--from-start", "--max-events", "" + targets.size()));
        for (String target : targets) {
            String name = "To " + target;
            SERVER.ingest(shop.makeSource(name), "{}".getBytes(UTF_8));
            args.addAll(List.of("-r", name + "=" + target));
        }
        args.addAll(List.of(options));
        return args.toArray(String[]::new);
    }

    @Test
    void a_slow_local_service_is_warned_of_unless_older_events_were_asked_for() {
        String warning = "events come in faster than the local service takes them";
        try (var silent = new LocalService("")) {
            String[] slowly = {
                "listen", "-f", "" + silent.port(), "--timeout", "2s", "--max-events", "1"
            };
            var listen = shop.cli().runInBackground(slowly);
            listen.awaitOutput("Ready.");
            shop.send(0, 40);

            assertThat(listen.awaitEnd().err()).contains(warning);
            assertThat(shop.run(with(slowly, "--from-start")).err()).doesNotContain(warning);
            assertThat(shop.run(with(slowly, "--since", "1h")).err()).doesNotContain(warning);
            assertThat(shop.run(with(slowly, "--catch-up")).err()).doesNotContain(warning);
            assertThat(silent.requests()).hasSize(4);
        }
    }

    private static String[] with(String[] args, String... more) {
        return Stream.concat(Stream.of(args), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void several_events_are_sent_at_once_when_asked_and_the_next_run_repeats_none() {
        shop.send(0, 4);
        try (var service = new LocalService("")) {
            var listen =
                    shop.cli()
                            .runInBackground(
                                    "listen",
                                    "--from-start",
                                    "-f",
                                    "" + service.port(),
                                    "--concurrency",
                                    "4",
                                    "--timeout",
                                    "10s",
                                    "--max-events",
                                    "4");
            Awaitility.await()
                    .atMost(LIMIT)
                    .untilAsserted(() ->
                            assertThat(service.bodies())
                                    .containsExactlyInAnyOrderElementsOf(Shop.bodies(0, 4)));
            service.hangUp();

            assertThat(listen.awaitEnd().err()).contains("4 received, 0 forwarded, 4 failed");
        }
        shop.send(4, 5);
        try (var service = new LocalService()) {
            shop.run("listen", "--catch-up", "-f", "" + service.port(), "--max-events", "1");
            assertThat(service.bodies()).containsExactlyElementsOf(Shop.bodies(4, 5));
        }
    }

    @Test
    void an_event_that_cannot_be_kept_ends_the_run_at_once() throws IOException {
        var folder = Files.createFile(home.resolve("no-folder"));
        try (var service = new LocalService()) {
            var listen =
                    shop.cli()
                            .runInBackground(
                                    "listen",
                                    "-f",
                                    "" + service.port(),
                                    "--concurrency",
                                    "4",
                                    "--record",
                                    folder.toString());
            listen.awaitOutput("Ready.");
            shop.send(0, 1);

            var end = listen.awaitEnd();
            assertThat(end.status()).isEqualTo(1);
            assertThat(end.err()).contains("Summary: 1 received", "cannot be kept in");
        }
    }

    @Test
    void replay_sends_stored_events_in_order() {
        String first = SERVER.ingest(shop.ingestPath(), "a".getBytes(UTF_8));
        String second = SERVER.ingest(shop.ingestPath(), "b".getBytes(UTF_8));
        try (var service = new LocalService()) {
            assertThat(shop.run("replay", second, first, "-f", "" + service.port()).status())
                    .isZero();
            assertThat(
                            shop.run(
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
            assertThat(
                            shop.run("replay", "018f3c5e-7a01-7000-8000-0000000000ff", "-f", "1")
                                    .status())
                    .isEqualTo(3);
        }
    }

    @Test
    void a_request_differs_from_the_event_only_as_asked() {
        String event = SERVER.ingest(shop.ingestPath(), "a\nb".getBytes(UTF_8), "X-Test", "1");
        try (var service = new LocalService()) {
            var replay =
                    shop.run(
                            "replay",
                            event,
                            "-f",
                            service.port() + "/hook",
                            "--method",
                            "PUT",
                            "--preserve-host",
                            "--remove-header",
                            "x-test",
                            "--print",
                            "headers,body,response");

            assertThat(replay.status()).as(replay.err()).isZero();
            var request = service.requests().getFirst();
            assertThat(request.head()).startsWith("PUT /hook HTTP/1.1\r\n");
            assertThat(request.values("Host")).containsExactly(SERVER.url().substring(7));
            assertThat(request.values("X-Test")).isEmpty();
            assertThat(replay.out().lines())
                    .contains("    X-Test: 1", "    a", "    b", "    < ok");
        }
    }

    @Test
    void a_local_service_that_fails_is_tried_again_when_asked() {
        String event = SERVER.ingest(shop.ingestPath(), "{}".getBytes(UTF_8));
        try (var failing = new LocalService("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")) {
            var replay = shop.run("replay", event, "-f", "" + failing.port(), "--retry", "1");

            assertThat(replay.out().lines()).singleElement().asString().contains("->  503");
            assertThat(failing.bodies()).containsExactly("{}", "{}");
        }
    }

    @Test
    void a_recorded_event_can_be_sent_again_without_a_server() throws Exception {
        assumeTrue(new ProcessBuilder("sh", "-c", "command -v curl").start().waitFor() == 0);
        byte[] body = {'{', '"', (byte) 0xff, '\n', '\'', '"', '}'};
        String event =
                SERVER.ingest(shop.ingestPath(), body, "X-Odd", "it's \"$HOME\"", "X-Empty", "");
        var folder = home.resolve("events");
        try (var service = new LocalService()) {
            String target = service.port() + "/hook";
            var replay = shop.run("replay", event, "-f", target, "--record", folder.toString());
            assertThat(replay.status()).as(replay.err()).isZero();
            assertThat(folder.resolve(event + ".body")).hasBinaryContent(body);

            var script = new ProcessBuilder(folder.resolve(event + ".sh").toString()).start();
            assertThat(script.waitFor()).isZero();

            assertThat(service.bodies().get(1)).isEqualTo(service.bodies().get(0));
            assertThat(headers(service.requests().get(1)))
                    .isEqualTo(headers(service.requests().get(0)));
        }
    }

    /// The request line and headers, without those of the connection, in the order of their names.
    private static List<String> headers(LocalService.RawRequest request) {
        return request.head()
                .lines()
                .filter(line -> !line.startsWith("Connection:"))
                .map(String::stripTrailing)
                .sorted()
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143"})
    void a_signal_ends_it_with_the_summary(String signal, int status) throws IOException {
        var cli = shop.cli();
        if (isInterruptIgnored()) {
            cli.startedBy("env", "--default-signal=INT");
        }
        try (var listen = cli.startProcess("listen", "-f", "3000", "-o", "json")) {
            listen.run().awaitOutput("\"ready\"");
            listen.signal(signal);

            assertThat(listen.run().awaitEnd().status()).isEqualTo(status);
            assertThat(listen.run().lines().getLast().path("type").asString()).isEqualTo("summary");
        }
    }

    /// A shell starts what runs in its background with SIGINT ignored, and children inherit that.
    private static boolean isInterruptIgnored() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("SigIgn:"))
                    .anyMatch(line ->
                            (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 2) != 0);
        }
    }

    @Test
    void an_interrupted_replay_ends_with_the_summary() throws IOException {
        shop.send(0, 2);
        var cli = shop.cli();
        if (isInterruptIgnored()) {
            cli.startedBy("env", "--default-signal=INT");
        }
        try (var service = new LocalService("");
                var replay =
                        cli.startProcess(
                                "replay", "--last", "2", "-f", "" + service.port(), "-o", "json")) {
            Awaitility.await().atMost(LIMIT).until(() -> service.requests().size() == 1);
            replay.signal("INT");

            assertThat(replay.run().awaitEnd().status()).isEqualTo(130);
            assertThat(replay.run().lines().getLast().path("type").asString()).isEqualTo("summary");
            assertThat(replay.run().lines().getLast().path("received").asInt()).isEqualTo(1);
        }
    }

    @Test
    void a_stream_that_cannot_be_had_ends_with_its_exit_code() {
        assertThat(
                        shop.cli()
                                .with("SLUICE_API_KEY", "slk_wrong")
                                .runProcess("listen", "-f", "3000")
                                .status())
                .isEqualTo(4);
        assertThat(shop.run("listen", "Nothing", "-f", "3000").status()).isEqualTo(3);
        assertThat(shop.run("listen").err()).contains("--forward-to");
        assertThat(shop.run("listen", "-f", "ftp://x").status()).isEqualTo(2);
        assertThat(shop.run("listen", "-f", "3000", "--since", "1h", "--catch-up").status())
                .isEqualTo(2);
        assertThat(shop.run("listen", "-f", "3000", "-H", "no header").status()).isEqualTo(2);
        assertThat(shop.run("listen", "-f", "3000", "--method", "a b").status()).isEqualTo(2);
        assertThat(shop.run("listen", "-f", "3000", "--retry", "-1").status()).isEqualTo(2);
        assertThat(shop.run("listen", "-f", "3000", "--concurrency", "0").status()).isEqualTo(2);
        assertThat(shop.run("listen", "-f", "3000", "--print", "all").err()).contains("'all'");
        assertThat(shop.run("listen", "-f", "3000", "--server", "http://127.0.0.1:1").status())
                .isEqualTo(6);
        assertThat(shop.run("listen", "-f", "3000", "--duration", "1s").status()).isZero();
        assertThat(
                        shop.run("listen", "-f", "3000", "--duration", "1s", "--max-events", "1")
                                .status())
                .isEqualTo(124);
        assertThat(shop.run("replay", "-f", "3000").status()).isEqualTo(2);
    }

    @Test
    void an_event_whose_payload_the_server_cannot_read_is_named_and_forwarded_nowhere() {
        String event =
                """
                event: ready
                data: {"resumed":true}

                event: event
                data: {"id":"e1","source_id":"s1","method":"POST","content_type":null,"payload_unreadable":true}

                """;
        try (var server = new ScriptedServer();
                var service = new LocalService()) {
            server.answer(200, Map.of(), "{\"items\":[],\"total\":0}")
                    .answer(200, Map.of(), "{\"workspace\":{\"id\":\"1\"}}")
                    .answer(200, Map.of("Content-Type", "text/event-stream"), event);

            var listen =
                    shop.run(
                            "listen",
                            "-f",
                            "" + service.port(),
                            "--duration",
                            "1s",
                            "-o",
                            "json",
                            "--server",
                            server.url());

            assertThat(listen.out()).contains("\"filtered\"", "\"payload_unreadable\"");
            assertThat(service.requests()).isEmpty();
        }
    }

    @Test
    void a_full_workspace_is_waited_for_as_the_server_says_but_not_for_an_hour() {
        try (var server = new ScriptedServer()) {
            server.answer(200, Map.of(), "{\"items\":[],\"total\":0}")
                    .answer(200, Map.of(), "{\"workspace\":{\"id\":\"1\"}}")
                    .answer(429, Map.of("Retry-After", "1"), FULL)
                    .answer(429, Map.of("Retry-After", "3600"), FULL);

            var listen = shop.run("listen", "-f", "3000", "--server", server.url());

            assertThat(listen.status()).isEqualTo(7);
            assertThat(listen.err()).contains("next try in 1", "2 streams at a time");
            assertThat(server.requests()).hasSize(4);
        }
    }

    @Test
    void a_lost_stream_is_given_up_after_the_time_that_was_asked_for() {
        try (var wire = new Wire(SERVER.port())) {
            var listen =
                    shop.cli()
                            .with("SLUICE_SERVER", wire.url())
                            .runInBackground("tail", "--max-reconnect-time", "2s");
            listen.awaitOutput("Ready.");
            wire.cut();

            var end = listen.awaitEnd();
            assertThat(end.status()).isEqualTo(6);
            assertThat(end.err())
                    .contains("reconnecting", "did not come back within 2 s", "Summary");
        }
    }

    private static String hmac(byte[] body) throws Exception {
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec("secret".getBytes(UTF_8), "HmacSHA256"));
        return HexFormat.of().formatHex(mac.doFinal(body));
    }
}
