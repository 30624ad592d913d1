package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ManualClock;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpRequest;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HexFormat;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Tests `POST /api/v1/sources/{id}/verify`.
class VerificationTrialTest {

    private static final String SECRET = "hunter2-hunter2";
    private static final String GITHUB =
            "{'provider': 'provider_code_host', 'secret': '" + SECRET + "'}";
    private static final String STRIPE =
            "{'provider': 'provider_payments', 'secret': '" + SECRET + "'}";

    private static final ManualClock clock = ManualClock.ofNow();
    @AutoClose private static final RunningSluice sluice = RunningSluice.start(clock);
    private static final ApiClient api = sluice.api();

    @Test
    void a_config_is_tried_on_a_stored_event_before_it_is_saved() {
        var source = api.source("s");
        String event = ingest(source, "X-Hub-Signature-256", "sha256=" + hmac("{}"));

        var passed = verify(source, event, GITHUB);
        var wrong = verify(source, event, GITHUB.replace(SECRET, "mistyped"));
        var other = verify(source, event, STRIPE);
        var saved = api.post(path(source), "{'event_id': '" + event + "'}").json();

        assertThat(passed.path("result").asString()).isEqualTo("verified");
        assertThat(passed.path("message").asString()).isEqualTo("The event passes.");
        assertThat(passed.path("event_id").asString()).isEqualTo(event);
        assertThat(passed.path("received_at"))
                .isEqualTo(api.get("/api/v1/events/" + event).json().path("received_at"));
        assertThat(wrong.path("result").asString()).isEqualTo("failed");
        assertThat(wrong.path("message").asString())
                .startsWith("The signature does not match")
                .contains("Enter the secret from the sender's settings again");
        assertThat(other.path("message").asString())
                .endsWith("Set provider to provider_code_host.");
        assertThat(saved.path("result").asString()).isEqualTo("skipped");
        assertThat(passed.toString() + wrong + other).doesNotContain(SECRET, "mistyped");
        assertThat(api.get("/api/v1/sources/" + source.text("id")).json()).isEqualTo(source.json());
    }

    @Test
    void a_timestamp_is_compared_with_the_time_at_which_the_event_arrived() {
        var source = api.source("s");
        long seconds = clock.instant().getEpochSecond();
        String event =
                ingest(source, "Stripe-Signature", "t=" + seconds + ",v1=" + hmac(seconds + ".{}"));
        clock.advance(Duration.ofHours(2));

        assertThat(verify(source, event, STRIPE).path("result").asString()).isEqualTo("verified");
        String late =
                ingest(source, "Stripe-Signature", "t=" + seconds + ",v1=" + hmac(seconds + ".{}"));
        var judged = verify(source, late, STRIPE);
        assertThat(judged.path("result").asString()).isEqualTo("failed");
        assertThat(judged.path("message").asString()).startsWith("The timestamp is older");
    }

    @Test
    void an_event_that_failed_is_judged_by_the_saved_config_and_by_a_mended_one() {
        var source = source(STRIPE);
        var refused =
                api.send(
                        api.anonymous(source.text("ingest_path"))
                                .header("X-Hub-Signature-256", "sha256=" + hmac("{}"))
                                .POST(HttpRequest.BodyPublishers.ofString("{}")));
        assertThat(refused.status()).isEqualTo(401);
        String event =
                api.get("/api/v1/events?source_id=" + source.text("id"))
                        .json()
                        .path("items")
                        .path(0)
                        .path("id")
                        .asString();

        var saved = api.post(path(source), "{'event_id': '" + event + "'}").json();

        assertThat(saved.path("message").asString())
                .isEqualTo(
                        "The header with the signature is missing. The event's headers are those"
                                + " of another sender. Set provider to provider_code_host.");
        assertThat(verify(source, event, GITHUB).path("result").asString()).isEqualTo("verified");
    }

    @Test
    void a_credential_that_was_not_stored_cannot_be_judged() {
        String config = "{'provider': 'api_key', 'header': 'X-Key', 'key': '" + SECRET + "'}";
        var source = source(config);
        String event = ingest(source, "X-Key", SECRET);

        var judged = verify(source, event, config);

        assertThat(judged.path("result").asString()).isEqualTo("unknown");
        assertThat(judged.path("message").asString()).contains("X-Key", "send a new event");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}                                                       | event_id is required.",
                "{'event_id': null}                                       | event_id is required.",
                "{'event_id': 'x'}                                        | event_id must be a"
                        + " UUID.",
                "{'event_id': 'ID', 'more': 1}                            | more is not a known"
                        + " field.",
                "{'event_id': 'ID', 'verification_config': 'none'}        | verification_config"
                        + " must be an object.",
                "{'event_id': 'ID', 'verification_config': {}}            |"
                        + " verification_config.provider is required.",
                "{'event_id': 'ID', 'verification_config': {'provider': 'slack', 'secret': '***'}}"
                        + " | verification_config.secret is masked: re-enter the secret, or leave"
                        + " verification_config out to keep it.",
                "{'event_id': 'ID', 'verification_config': {'provider': 'slack'}} |"
                        + " verification_config.secret is required.",
            })
    void what_is_wrong_is_named(String body, String message) {
        var source = api.source("s");
        String event = ingest(source, "X-A", "1");

        var refused = api.post(path(source), body.replace("ID", event));

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage()).isEqualTo(message);
    }

    @Test
    void sources_and_events_of_others_are_not_found() {
        var theirs = WorkspaceFixture.create(sluice, "business");
        var source = api.source("s");
        var other = api.source("other");
        String event = ingest(source, "X-A", "1");
        var theirSource = theirs.source("s");
        String body = "{'event_id': '" + event + "'}";

        assertThat(theirs.post(path(source), body).errorMessage())
                .isEqualTo("There is no such source.");
        assertThat(theirs.post(path(theirSource), body).errorMessage())
                .isEqualTo("There is no such event.");
        assertThat(api.post(path(other), body).errorMessage()).isEqualTo("There is no such event.");
        assertThat(api.post(path(source), body).status()).isEqualTo(200);
    }

    private static ApiClient.ApiResponse source(String verification) {
        return api.post(
                "/api/v1/sources", "{'name': 's', 'verification_config': " + verification + "}");
    }

    private static String ingest(ApiClient.ApiResponse source, String header, String value) {
        var accepted =
                api.send(
                        api.anonymous(source.text("ingest_path"))
                                .header(header, value)
                                .POST(HttpRequest.BodyPublishers.ofString("{}")));
        assertThat(accepted.status()).isEqualTo(200);
        return accepted.text("request_id");
    }

    private static String path(ApiClient.ApiResponse source) {
        return "/api/v1/sources/" + source.text("id") + "/verify";
    }

    private static JsonNode verify(ApiClient.ApiResponse source, String event, String config) {
        var answer =
                api.post(
                        path(source),
                        "{'event_id': '" + event + "', 'verification_config': " + config + "}");
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private static String hmac(String content) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(SECRET.getBytes(UTF_8), "HmacSHA256"));
            return HexFormat.of().formatHex(mac.doFinal(content.getBytes(UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
