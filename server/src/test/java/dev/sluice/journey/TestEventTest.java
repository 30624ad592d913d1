package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpRequest;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.stream.Stream;

/// Tests `POST /api/v1/sources/{id}/test-event`.
class TestEventTest {

    private static final String SECRET = "hunter2-hunter2-hunter2";

    private static final String PLANS_JSON =
            """
            {"items": [
              {"name": "open",       "limits": {"retention_days": 30}},
              {"name": "one",        "limits": {"events_per_month": 1, "retention_days": 30}},
              {"name": "one-minute", "limits": {"ingest_per_minute_per_source": 1, "retention_days": 30}}
            ]}
            """;

    @AutoClose private static final Receiver receiver = Receiver.start();

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.startWithPlans(
                    PLANS_JSON, InstantSource.system(), Map.of("SLUICE_WORKSPACE_PLAN", "open"));

    private static final ApiClient api = sluice.api();

    /// One config of each provider that has a secret, and of each form of the others.
    static Stream<String> configs() {
        var providers =
                Stream.of(
                                "provider_payments",
                                "provider_code_host",
                                "provider_commerce",
                                "standard_webhooks",
                                "slack",
                                "gitlab",
                                "twilio",
                                "square",
                                "paddle",
                                "zoom",
                                "linear",
                                "typeform")
                        .map(provider -> "{'provider': '" + provider + "', 'secret': '%s'}");
        var others =
                Stream.of(
                        "{'provider': 'generic_hmac', 'secret': '%s', 'header': 'X-Sig',"
                                + " 'algorithm': 'sha256', 'encoding': 'hex'}",
                        "{'provider': 'generic_hmac', 'secret': '%s', 'header': 'X-Sig',"
                                + " 'algorithm': 'sha1', 'encoding': 'base64',"
                                + " 'timestamp_header': 'X-Time'}",
                        "{'provider': 'generic_hmac', 'secret': '%s', 'header': 'X-Sig',"
                                + " 'algorithm': 'sha256', 'encoding': 'base64',"
                                + " 'timestamp_header': 'X-Time', 'signed_content': 'body'}",
                        "{'provider': 'basic_auth', 'username': 'u', 'password': '%s'}",
                        "{'provider': 'api_key', 'header': 'X-Key', 'key': '%s'}");
        return Stream.concat(providers, others).map(config -> config.formatted(SECRET));
    }

    @ParameterizedTest
    @MethodSource("configs")
    void a_sample_passes_the_verification_of_its_source(String config) {
        var sent = send(source(config), "");

        assertVerified(sent);
    }

    @ParameterizedTest
    @MethodSource("configs")
    void a_given_body_is_signed(String config) {
        String time = String.valueOf(System.currentTimeMillis()); // Linear's is in the body
        var sent =
                send(
                        source(config),
                        "{'headers': {'X-Mine': '1'}, 'body': '{\\\"webhookTimestamp\\\":%s}'}"
                                .formatted(time));

        assertVerified(sent);
        assertThat(event(sent).path("body").asString())
                .isEqualTo("{\"webhookTimestamp\":" + time + "}");
        assertThat(event(sent).path("headers").path("X-Mine").asString()).isEqualTo("1");
    }

    private static void assertVerified(JsonNode sent) {
        assertThat(sent.path("verification_status").asString())
                .as(sent.toString())
                .isEqualTo("verified");
        assertThat(sent.path("verification_reason").isNull()).isTrue();
        assertThat(sent.path("response").path("status").asInt()).isEqualTo(200);
        assertThat(event(sent).path("verification_status").asString()).isEqualTo("verified");
        assertThat(event(sent).toString()).doesNotContain(SECRET, base64("u:" + SECRET));
    }

    @Test
    void a_source_without_verification_takes_a_sample_of_any_provider() {
        var source = source("{'provider': 'none'}");

        for (String provider : new String[] {"generic", "provider_code_host", "twilio"}) {
            var sent = send(source, "{'provider': '" + provider + "'}");

            assertThat(sent.path("verification_status").asString()).isEqualTo("skipped");
            assertThat(sent.path("response").path("body").asString())
                    .contains(sent.path("event_id").asString());
        }
        var headers = event(send(source, "{'provider': 'provider_code_host'}")).path("headers");
        assertThat(headers.path("X-GitHub-Event").asString()).isEqualTo("ping");
        assertThat(headers.has("X-Hub-Signature-256")).isFalse();
    }

    @Test
    void it_is_delivered_and_counted_like_every_event() {
        var source = source("{'provider': 'provider_payments', 'secret': '" + SECRET + "'}");
        api.connect(source, api.destination(receiver.url(), ""));

        var sent = send(source, "");

        String id = sent.path("event_id").asString();
        await().until(() ->
                event(sent)
                        .path("deliveries")
                        .path(0)
                        .path("status")
                        .asString("")
                        .equals("succeeded"));
        assertThat(receiver.requests())
                .filteredOn(request -> request.values("X-Service-Event-Id").contains(id))
                .singleElement()
                .satisfies(request -> assertThat(request.values("Stripe-Signature")).hasSize(1));
        assertThat(
                        api.get("/api/v1/events?source_id=" + source.text("id"))
                                .json()
                                .path("total")
                                .asInt())
                .isEqualTo(1);
    }

    @Test
    void the_answer_is_the_one_that_the_source_gives() {
        var source = source("{'provider': 'none'}");
        api.patch(
                "/api/v1/sources/" + source.text("id"),
                "{'response_config': {'status': 202, 'content_type': 'text', 'body':"
                        + " 'ok {{request_id}}'}}");

        var response = send(source, "");

        assertThat(response.path("response").path("status").asInt()).isEqualTo(202);
        assertThat(response.path("response").path("content_type").asString())
                .isEqualTo("text/plain; charset=utf-8");
        assertThat(response.path("response").path("body").asString())
                .isEqualTo("ok " + response.path("event_id").asString());

        api.patch("/api/v1/sources/" + source.text("id"), "{'response_config': {'status': 204}}");

        assertThat(send(source, "").path("response").path("content_type").isNull()).isTrue();
    }

    @Test
    void a_signature_of_ones_own_is_judged() {
        var source = source("{'provider': 'provider_code_host', 'secret': '" + SECRET + "'}");

        var sent = send(source, "{'headers': {'X-Hub-Signature-256': 'sha256=00'}}");

        assertThat(sent.path("verification_status").asString()).isEqualTo("failed");
        assertThat(sent.path("verification_reason").asString())
                .startsWith("The signature does not match");
        assertThat(sent.path("response").path("status").asInt()).isEqualTo(401);
    }

    @Test
    void a_body_without_what_the_sender_must_put_into_it_fails_with_the_reason() {
        var source = source("{'provider': 'linear', 'secret': '" + SECRET + "'}");

        var sent = send(source, "{'body': '{}'}");

        assertThat(sent.path("verification_status").asString()).isEqualTo("failed");
        assertThat(sent.path("verification_reason").asString())
                .isEqualTo("The timestamp is missing.");
    }

    @Test
    void with_a_public_key_alone_nothing_can_be_signed() {
        var source =
                source(
                        "{'provider': 'discord', 'public_key':"
                            + " 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'}");

        var refused = post(source, "{}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage()).contains("public key", "X-Signature-Ed25519 in headers");
        assertThat(
                        send(source, "{'headers': {'x-signature-ed25519': '00'}}")
                                .path("verification_status")
                                .asString())
                .isEqualTo("failed");
    }

    @Test
    void bytes_that_are_no_text_come_through() {
        var sent = send(source("{'provider': 'none'}"), "{'body_base64': '/wA='}");

        assertThat(event(sent).path("body_base64").asString()).isEqualTo("/wA=");
    }

    @Test
    void a_body_as_large_as_ingest_takes_is_accepted() {
        var source = source("{'provider': 'square', 'secret': '" + SECRET + "'}");
        var most = base64("x".repeat(1 << 20));

        assertVerified(send(source, "{'body_base64': '" + most + "'}"));
        assertThat(
                        post(source, "{'body_base64': '" + base64("x".repeat((1 << 20) + 1)) + "'}")
                                .errorMessage())
                .startsWith("body_base64");
        assertThat(post(source, "{}" + " ".repeat(1536 * 1024)).status()).isEqualTo(413);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'provider': 'pigeon'}                       | provider",
                "{'provider': 'slack', 'body': ''}            | provider",
                "{'body': 1}                                  | body",
                "{'body': '', 'body_base64': ''}              | body_base64",
                "{'body_base64': '?'}                         | body_base64",
                "{'headers': {'a b': ''}}                     | headers.a b",
                "{'headers': {'a': 'b\\nc'}}                  | headers.a",
                "{'headers': 'a'}                             | headers",
                "{'method': 'PUT'}                            | method",
            })
    void what_is_wrong_is_named(String body, String field) {
        var source = source("{'provider': 'none'}");

        var refused = post(source, body);

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.json().path("error").path("details"))
                .extracting(detail -> detail.path("field").asString())
                .containsExactly(field);
        assertThat(api.get("/api/v1/events?source_id=" + source.text("id")).json().path("items"))
                .isEmpty();
    }

    @Test
    void the_limits_of_ingest_hold() {
        var month = WorkspaceFixture.create(sluice, "one");
        var minute = WorkspaceFixture.create(sluice, "one-minute");
        var full = month.source("s");
        var busy = minute.source("s");

        assertThat(month.post(path(full), "").status()).isEqualTo(200);
        assertThat(minute.post(path(busy), "").status()).isEqualTo(200);

        assertThat(month.post(path(full), "").errorCode()).isEqualTo("quota_exceeded");
        var refused = minute.post(path(busy), "");
        if (refused.status() == 200) { // another minute has begun
            refused = minute.post(path(busy), "");
        }
        assertThat(refused.errorCode()).isEqualTo("rate_limited");
        assertThat(refused.header("Retry-After")).isPresent();
    }

    @Test
    void a_test_event_that_was_refused_keeps_no_idempotency_key() {
        var client = WorkspaceFixture.create(sluice, "one");
        var source = client.source("s");
        assertThat(client.post(path(source), "").status()).isEqualTo(200);
        var request =
                client.request(path(source))
                        .header("Idempotency-Key", "again")
                        .POST(HttpRequest.BodyPublishers.noBody());

        assertThat(client.send(request).errorCode()).isEqualTo("quota_exceeded");
        var repeat = client.send(request);

        assertThat(repeat.errorCode()).isEqualTo("quota_exceeded");
        assertThat(repeat.header("Idempotent-Replayed")).isEmpty();
    }

    @Test
    void sources_of_others_and_in_the_trash_are_not_found() {
        var theirs = WorkspaceFixture.create(sluice, "open").source("s");
        var trashed = source("{'provider': 'none'}");
        api.delete("/api/v1/sources/" + trashed.text("id"));

        assertThat(post(theirs, "{}").status()).isEqualTo(404);
        assertThat(post(trashed, "{}").status()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "null"})
    void everything_may_be_left_out(String body) {
        assertThat(post(source("{'provider': 'none'}"), body).status()).isEqualTo(200);
    }

    private static ApiClient.ApiResponse source(String verification) {
        return api.post(
                "/api/v1/sources", "{'name': 's', 'verification_config': " + verification + "}");
    }

    private static String path(ApiClient.ApiResponse source) {
        return "/api/v1/sources/" + source.text("id") + "/test-event";
    }

    private static ApiClient.ApiResponse post(ApiClient.ApiResponse source, String body) {
        return api.post(path(source), body);
    }

    private static JsonNode send(ApiClient.ApiResponse source, String body) {
        var answer = post(source, body);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private static JsonNode event(JsonNode sent) {
        return api.get("/api/v1/events/" + sent.path("event_id").asString()).json();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }
}
