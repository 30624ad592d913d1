package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ClosedPort;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.TestDirectory;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Tests `POST /api/v1/destinations/{id}/test`.
class TestDeliveryTest {

    private static final String SECRET = "hunter2-hunter2-hunter2";

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    private Receiver receiver;

    @BeforeEach
    void open() {
        receiver = Receiver.start();
    }

    @AfterEach
    void shut() throws IOException {
        receiver.close();
    }

    @Test
    void a_stored_event_is_sent_as_a_delivery_sends_it() {
        var source = api.source("Shop");
        var destination = destination(", 'custom_headers': {'X-Custom': 'c'}");
        var connection = api.connect(source, destination);
        String path = "/api/v1/connections/" + connection.text("id");
        api.patch(
                path,
                "{'transformation': {'merge_body_fields': {'a': 1.50}, 'set_headers':"
                        + " [{'name': 'X-From', 'value': '{{source.name}}'}]}}");
        var event = api.ingest(source.text("ingest_path"), "{\"caf\u00e9\":1}");
        EventReader.delivery(api, event, "succeeded");
        receiver.willDo(Receiver.answer(201, "made", "X-Answer: yes", "Set-Cookie: a=b"));

        var test =
                test(
                        destination,
                        "{'event_id': '%s', 'connection_id': '%s'}"
                                .formatted(event.text("request_id"), connection.text("id")));

        var delivered = receiver.requests().getFirst();
        var sent = receiver.requests().getLast();
        assertThat(receiver.requests()).hasSize(2);
        assertThat(withoutDelivery(sent.headers())).isEqualTo(withoutDelivery(delivered.headers()));
        assertThat(sent.body()).isEqualTo(delivered.body());
        assertThat(lines(test.path("request"))).isEqualTo(sent.headers());
        assertThat(test.path("request").path("body").asString())
                .isEqualTo("{\"caf\u00e9\":1,\"a\":1.50}");
        assertThat(test.path("succeeded").asBoolean()).isTrue();
        assertThat(test.path("event_id").asString()).isEqualTo(event.text("request_id"));
        assertThat(test.path("error_code").isNull()).isTrue();
        assertThat(test.path("latency_ms").asLong(-1)).isNotNegative();
        assertThat(test.path("response").path("status").asInt()).isEqualTo(201);
        assertThat(test.path("response").path("body").asString()).isEqualTo("made");
        assertThat(lines(test.path("response"))).contains("X-Answer: yes", "Set-Cookie: a=b");
    }

    @Test
    void a_sample_needs_nothing_but_the_destination() {
        var test = test(destination(""), "");

        assertThat(test.path("succeeded").asBoolean()).isTrue();
        assertThat(receiver.requests())
                .singleElement()
                .satisfies(sent -> {
                    assertThat(sent.line()).isEqualTo("POST /hook HTTP/1.1");
                    assertThat(sent.values("Content-Type")).containsExactly("application/json");
                    assertThat(sent.values("X-Service-Event-Id"))
                            .containsExactly(test.path("event_id").asString());
                    assertThat(sent.body()).startsWith("{\"type\":\"test\",");
                });
        assertThat(api.get("/api/v1/events/" + test.path("event_id").asString()).status())
                .isEqualTo(404);
    }

    @Test
    void a_sample_over_a_connection_has_the_signature_of_its_source() {
        var destination = destination("");
        var connection = connectionOf(destination, "{'provider': 'slack', 'secret': '%s'}");

        test(destination, "{'connection_id': '" + connection + "'}");

        var sent = receiver.requests().getFirst();
        assertThat(sent.values("X-Slack-Signature")).singleElement().asString().startsWith("v0=");
        assertThat(sent.body()).contains("event_callback");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'provider': 'gitlab', 'secret': '%s'}",
                "{'provider': 'api_key', 'header': 'X-Key', 'key': '%s'}",
                "{'provider': 'basic_auth', 'username': 'u', 'password': '%s'}",
            })
    void the_credential_of_a_source_is_neither_sent_nor_shown(String verification) {
        var destination = destination("");
        var connection = connectionOf(destination, verification);

        var test = test(destination, "{'connection_id': '" + connection + "'}");

        assertThat(test.toString()).doesNotContain(SECRET);
        assertThat(receiver.requests().toString())
                .doesNotContain(SECRET, "Authorization:", "X-Gitlab-Token");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'type': 'hmac', 'secret': '%s'} | X-Service-Signature",
                "{'type': 'standard_webhooks', 'secret': '%s'} | webhook-signature",
                "{'type': 'api_key', 'header': 'X-Key', 'key': '%s'} | X-Key",
                "{'type': 'basic_auth', 'username': 'u', 'password': '%s'} | Authorization",
            })
    void the_authentication_is_sent_and_shown_masked(String auth, String header) {
        var destination = destination(", 'auth_config': " + auth.formatted(SECRET));

        var test = test(destination, "{}");

        assertThat(receiver.requests().getFirst().values(header))
                .singleElement()
                .asString()
                .isNotEqualTo("***");
        assertThat(lines(test.path("request"))).contains(header + ": ***");
        assertThat(test.toString()).doesNotContain(SECRET);
    }

    @ParameterizedTest
    @CsvSource({"503", "404", "302"})
    void a_receiver_that_fails_is_told_in_the_words_of_an_attempt(int status) {
        receiver.willDo(Receiver.answer(status, "no"));
        var source = api.source("s");
        var destination = destination(", 'retry_policy': {'intervals_seconds': [86400]}");
        api.connect(source, destination);
        var event = api.ingest(source.text("ingest_path"), "{}");
        var attempt = EventReader.deliveryAfter(1, api, event).path("attempts").path(0);

        var test = test(destination, "{}");

        assertThat(test.path("succeeded").asBoolean(true)).isFalse();
        assertThat(test.path("error_code")).isEqualTo(attempt.path("error_code"));
        assertThat(test.path("error_message")).isEqualTo(attempt.path("error_message"));
        assertThat(test.path("response").path("status")).isEqualTo(attempt.path("response_status"));
        assertThat(test.path("response").path("body")).isEqualTo(attempt.path("response_body"));
    }

    @Test
    void a_receiver_that_hangs_ends_the_test_at_the_timeout_of_the_destination() {
        var gate = new CountDownLatch(1);
        receiver.willDo(new Receiver.GatedBehaviour(gate, Receiver.answer(200, "")));

        var test = test(destination(", 'timeout_ms': 1000"), "{}");
        gate.countDown();

        assertThat(test.path("error_code").asString()).endsWith("timeout");
        assertThat(test.path("error_message").asString()).endsWith("within 1 s");
        assertThat(test.path("response").isNull()).isTrue();
        assertThat(test.path("latency_ms").asLong()).isGreaterThanOrEqualTo(1000);
    }

    @Test
    void a_port_where_nobody_listens_is_a_refused_connection() throws IOException {
        try (var closed = ClosedPort.take()) {
            var test = test(api.destination(closed.url(), ""), "{}");

            assertThat(test.path("error_code").asString()).isEqualTo("connect_refused");
            assertThat(test.path("error_message").asString()).isEqualTo("Connection refused");
            assertThat(test.path("request").path("url").asString()).isEqualTo(closed.url());
            assertThat(test.path("response").isNull()).isTrue();
        }
    }

    @Test
    void a_private_address_is_blocked_as_for_a_delivery() {
        var destination = destination("");
        try (var directory = new CloseableDirectory();
                var strict =
                        RunningSluice.start(
                                directory.made().path(),
                                InstantSource.system(),
                                Map.of(
                                        "SLUICE_DATABASE_URL",
                                        TestPostgres.url(sluice.database()),
                                        "SLUICE_ALLOW_PRIVATE_DESTINATIONS",
                                        ""))) {
            var test =
                    api.onPort(strict.port())
                            .post("/api/v1/destinations/" + destination.text("id") + "/test", "")
                            .json();

            assertThat(test.path("error_code").asString()).isEqualTo("blocked_address");
            assertThat(receiver.connections()).isZero();
        }
    }

    private record CloseableDirectory(TestDirectory made) implements AutoCloseable {

        CloseableDirectory() {
            this(TestDirectory.make());
        }

        @Override
        public void close() {
            made.remove();
        }
    }

    @Test
    void a_transformation_that_fails_sends_nothing() {
        var destination = destination("");
        var source = api.source("one line");
        var connection = api.connect(source, destination);
        sluice.saveSourceName(source.text("id"), "two\nlines");
        api.patch(
                "/api/v1/connections/" + connection.text("id"),
                "{'transformation': {'set_headers': [{'name': 'X-From', 'value':"
                        + " '{{source.name}}'}]}}");

        var test = test(destination, "{'connection_id': '" + connection.text("id") + "'}");

        assertThat(test.path("error_code").asString()).isEqualTo("transformation_failed");
        assertThat(test.path("error_message").asString()).contains("X-From");
        assertThat(test.path("request").isNull()).isTrue();
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void the_body_of_the_answer_is_cut_like_that_of_an_attempt() {
        receiver.willDo(Receiver.answer(200, "x".repeat(20_000)));

        var test = test(destination(""), "{}");

        assertThat(test.path("response").path("body").asString()).isEqualTo("x".repeat(1024));
    }

    @Test
    void a_test_is_not_a_delivery_and_teaches_the_circuit_nothing() {
        receiver.willAnswer(500);
        var source = api.source("s");
        var destination = destination("");
        var connection = api.connect(source, destination);
        api.patch("/api/v1/connections/" + connection.text("id"), "{'enabled': false}");
        var event = api.ingest(source.text("ingest_path"), "{}");
        var before = counted(destination);

        for (int i = 0; i < 6; i++) {
            test(destination, "{'event_id': '" + event.text("request_id") + "'}");
        }

        assertThat(receiver.requests()).hasSize(6);
        assertThat(EventReader.detail(api, event).path("deliveries")).isEmpty();
        assertThat(api.get(path(destination)).text("circuit_state")).isEqualTo("closed");
        assertThat(counted(destination)).isEqualTo(before);
    }

    @Test
    void a_paused_destination_with_an_open_circuit_can_be_tested() {
        receiver.willAnswer(500);
        var source = api.source("s");
        var destination = destination(", 'max_in_flight': 1");
        api.connect(source, destination);
        for (int i = 0; i < 5; i++) {
            api.ingest(source.text("ingest_path"), "{}");
        }
        await().untilAsserted(() ->
                assertThat(api.get(path(destination)).text("circuit_state")).isEqualTo("open"));
        api.patch(path(destination), "{'status': 'paused'}");
        receiver.willAnswer(200);

        var test = test(destination, "{}");

        assertThat(test.path("succeeded").asBoolean()).isTrue();
        assertThat(api.get(path(destination)).text("circuit_state")).isEqualTo("open");
    }

    @Test
    void receivers_that_hang_hold_up_only_their_own_workspace() throws Exception {
        var gate = new CountDownLatch(1);
        receiver.willDo(new Receiver.GatedBehaviour(gate, Receiver.answer(200, "")));
        var greedy = WorkspaceFixture.create(sluice, "business");
        var hanging = greedy.destination(receiver.url(), ", 'timeout_ms': 300000");
        var answers = new ArrayList<Future<ApiClient.ApiResponse>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 4; i++) {
                answers.add(threads.submit(() -> greedy.post(path(hanging) + "/test", "")));
            }
            await().until(() -> receiver.requests().size() == 4);

            var refused = greedy.post(path(hanging) + "/test", "");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.errorMessage()).contains("4 test deliveries under way");
            assertThat(refused.header("Retry-After")).hasValue("1");
            try (var other = Receiver.start()) {
                assertThat(test(api.destination(other.url(), ""), "{}").path("succeeded"))
                        .hasToString("true");
            }
            gate.countDown();
            for (var answer : answers) {
                assertThat(answer.get().json().path("succeeded").asBoolean()).isTrue();
            }
        } finally {
            gate.countDown();
        }
        assertThat(greedy.post(path(hanging) + "/test", "").status()).isEqualTo(200);
    }

    @Test
    void a_stop_ends_the_tests_that_are_under_way() throws Exception {
        var gate = new CountDownLatch(1);
        receiver.willDo(new Receiver.GatedBehaviour(gate, Receiver.answer(200, "")));
        try (var stopping = RunningSluice.start();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var own = stopping.api();
            var hanging = own.destination(receiver.url(), ", 'timeout_ms': 300000");
            var answer = threads.submit(() -> own.post(path(hanging) + "/test", ""));
            await().until(() -> receiver.requests().size() == 1);

            stopping.restart();

            assertThat(answer.get().text("error_code")).isEqualTo("interrupted");
        } finally {
            gate.countDown();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'event_id': 1}               | event_id must be a UUID.",
                "{'connection_id': 'x'}        | connection_id must be a UUID.",
                "{'sample': {}}                | sample is not a known field.",
                "{'connection_id': 'OTHERS'}   | connection_id must be a connection to this"
                        + " destination.",
            })
    void what_is_wrong_is_named(String body, String message) {
        var other = api.connect(api.source("s"), destination(""));

        var refused =
                api.post(path(destination("")) + "/test", body.replace("OTHERS", other.text("id")));

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage()).isEqualTo(message);
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void what_another_workspace_has_is_not_found() {
        var theirs = WorkspaceFixture.create(sluice, "business");
        var source = theirs.source("s");
        var destination = theirs.destination(receiver.url(), "");
        var connection = theirs.connect(source, destination);
        var event = theirs.ingest(source.text("ingest_path"), "{}");
        await().until(() -> receiver.requests().size() == 1);

        assertNotFound(api.post(path(destination) + "/test", "{}"), "destination");
        for (String id : List.of(event.text("request_id"), UUID.randomUUID().toString())) {
            var refused = api.post(path(destination("")) + "/test", "{'event_id': '" + id + "'}");
            assertNotFound(refused, "event");
        }
        assertNotFound(
                api.post(
                        path(destination("")) + "/test",
                        "{'connection_id': '" + connection.text("id") + "'}"),
                "connection");
        assertThat(receiver.requests()).hasSize(1);
    }

    private static void assertNotFound(ApiClient.ApiResponse answer, String kind) {
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.errorMessage()).isEqualTo("There is no such " + kind + ".");
    }

    private static String connectionOf(ApiClient.ApiResponse destination, String verification) {
        var source =
                api.post(
                        "/api/v1/sources",
                        "{'name': 's', 'verification_config': "
                                + verification.formatted(SECRET)
                                + "}");
        return api.connect(source, destination).text("id");
    }

    /// Returns what the statistics have of the destination.
    private static List<JsonNode> counted(ApiClient.ApiResponse destination) {
        return api.get("/api/v1/stats/by-destination")
                .json()
                .path("items")
                .valueStream()
                .filter(item ->
                        item.path("destination_id").asString().equals(destination.text("id")))
                .toList();
    }

    private static List<String> withoutDelivery(List<String> headers) {
        return headers.stream()
                .filter(header -> !header.startsWith("X-Service-Delivery-Id"))
                .toList();
    }

    private static List<String> lines(JsonNode message) {
        return message.path("headers")
                .valueStream()
                .map(header ->
                        header.path("name").asString() + ": " + header.path("value").asString())
                .toList();
    }

    private ApiClient.ApiResponse destination(String more) {
        return api.destination(receiver.url(), more);
    }

    private static String path(ApiClient.ApiResponse destination) {
        return "/api/v1/destinations/" + destination.text("id");
    }

    private static JsonNode test(ApiClient.ApiResponse destination, String body) {
        var answer = api.post(path(destination) + "/test", body);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }
}
