package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.RawHttp;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Tests a source's `verification_config`, from the API to the reply of its ingest URL.
class VerificationTest {

    private static final String SECRET = "hunter2-hunter2!";

    /// One configuration of each kind that has a secret, as sent to the API.
    private static final List<String> VERIFICATION_CONFIGS =
            List.of(
                    "{'provider': 'provider_payments', 'secret': 'hunter2-hunter2!'}",
                    "{'provider': 'provider_code_host', 'secret': 'hunter2-hunter2!',"
                            + " 'previous_secret': 'hunter2-hunter2!'}",
                    "{'provider': 'provider_commerce', 'secret': 'hunter2-hunter2!'}",
                    "{'provider': 'generic_hmac', 'secret': 'hunter2-hunter2!', 'header': 'X-Sig',"
                            + " 'algorithm': 'sha1', 'encoding': 'base64', 'timestamp_header':"
                            + " 'X-Time', 'tolerance_secs': 60, 'signed_content': 'body'}",
                    "{'provider': 'basic_auth', 'username': 'u', 'password': 'hunter2-hunter2!'}",
                    "{'provider': 'api_key', 'header': 'X-Key', 'key': 'hunter2-hunter2!'}",
                    "{'provider': 'standard_webhooks', 'secret': 'hunter2-hunter2!'}",
                    "{'provider': 'slack', 'secret': 'hunter2-hunter2!'}",
                    "{'provider': 'gitlab', 'secret': 'hunter2-hunter2!'}",
                    "{'provider': 'twilio', 'secret': 'hunter2-hunter2!'}",
                    "{'provider': 'square', 'secret': 'hunter2-hunter2!'}",
                    "{'provider': 'paddle', 'secret': 'hunter2-hunter2!'}",
                    "{'provider': 'zoom', 'secret': 'hunter2-hunter2!'}",
                    "{'provider': 'linear', 'secret': 'hunter2-hunter2!'}",
                    "{'provider': 'typeform', 'secret': 'hunter2-hunter2!'}",
                    "{'provider': 'stripe', 'secret': 'hunter2-hunter2!'}",
                    "{'provider': 'github', 'secret': 'hunter2-hunter2!'}",
                    "{'provider': 'shopify', 'secret': 'hunter2-hunter2!'}");

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static ApiClient api = sluice.api();

    @Test
    void each_config_is_shown_as_it_was_sent_with_its_secrets_masked() {
        for (String config : VERIFICATION_CONFIGS) {
            var created = create(config);

            assertThat(created.status()).as(config + created.body()).isEqualTo(201);
            assertThat(created.body()).doesNotContain(SECRET);
            assertThat(created.json().path("verification_config").toString())
                    .isEqualTo(
                            config.replace(SECRET, "***")
                                    .replace('\'', '"')
                                    .replaceAll("(?<=[:,]) ", ""));
            assertThat(get(created).body()).isEqualTo(created.body());
            assertThat(patch(created, "{'name': 'n'}").json().path("verification_config"))
                    .isEqualTo(created.json().path("verification_config"));
            assertThat(patch(created, "{'verification_config': " + config + "}").body())
                    .doesNotContain(SECRET);
        }
        assertThat(api.get("/api/v1/sources?limit=200").body()).doesNotContain(SECRET);
    }

    @Test
    void a_tolerance_that_is_left_out_is_300_seconds() {
        var source =
                create(
                        "{'provider': 'generic_hmac', 'secret': 's', 'header': 'X-Sig',"
                                + " 'algorithm': 'sha256', 'encoding': 'hex', 'timestamp_header':"
                                + " null}");

        assertThat(source.json().path("verification_config"))
                .hasToString(
                        "{\"provider\":\"generic_hmac\",\"secret\":\"***\",\"header\":\"X-Sig\","
                            + "\"algorithm\":\"sha256\",\"encoding\":\"hex\",\"tolerance_secs\":300}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {}                                                                 | provider      | is required.
                    {'provider': 7}                                                    | provider      | must be a string.
                    {'provider': 'none', 'secret': 's'}                                | secret        | is not a known field.
                    {'provider': 'provider_payments'}                                  | secret        | is required.
                    {'provider': 'provider_payments', 'secret': null}                  | secret        | is required.
                    {'provider': 'provider_payments', 'secret': ''}                    | secret        | must have 1 to 500 characters.
                    {'provider': 'provider_payments', 'secret': '\\u200b'}              | secret        | must have at least one visible character.
                    {'provider': 'slack', 'secret': 's', 'previous_secret': '\\u3164'} | previous_secret | must have at least one visible character.
                    {'provider': 'basic_auth', 'username': 'u', 'password': '\\u2003'}  | password      | must have at least one visible character.
                    {'provider': 'api_key', 'header': 'X-Key', 'key': '\\u2060'}       | key           | must have at least one visible character.
                    {'provider': 'provider_payments', 'secret': 's '}                  | secret        | must not contain control characters, nor begin or end with a space.
                    {'provider': 'slack', 'secret': 's', 'header': 'X'}                | header        | is not a known field.
                    {'provider': 'slack', 'secret': '***'}                             | secret        | is masked: re-enter the secret, or leave verification_config out to keep it.
                    {'provider': 'slack', 'secret': 's', 'previous_secret': '***'}     | previous_secret | is masked: re-enter the secret, or leave verification_config out to keep it.
                    {'provider': 'standard_webhooks', 'secret': 'whsec_'}              | secret        | must have a key after whsec_.
                    {'provider': 'standard_webhooks', 'secret': 'a key of 16 byte', 'previous_secret': 'whsec_'} | previous_secret | must have a key after whsec_.
                    {'provider': 'standard_webhooks', 'secret': 'v1,whsec_'}           | secret        | must have a key after whsec_.
                    {'provider': 'standard_webhooks', 'secret': 'v1,whsec_no base64 at all'} | secret  | must be Base64 after whsec_.
                    {'provider': 'standard_webhooks', 'secret': 'whsec_MfKQ9r8GKYqrTwjUPD8I'} | secret | must have a key of at least 16 bytes.
                    {'provider': 'basic_auth', 'username': 'a:b', 'password': 'p'}     | username      | must not contain a colon (RFC 7617).
                    {'provider': 'basic_auth', 'username': 'a', 'password': '***'}     | password      | is masked: re-enter the secret, or leave verification_config out to keep it.
                    {'provider': 'api_key', 'header': 'X Y', 'key': 'k'}               | header        | must be a header name (letters, digits and -).
                    {'provider': 'api_key', 'header': 'Host', 'key': 'k'}              | header        | must not be Host: HTTP itself uses it.
                    {'provider': 'api_key', 'header': 'content-type', 'key': 'k'}      | header        | must not be Content-Type, which events show.
                    {'provider': 'api_key', 'header': 'X-Service-Hop', 'key': 'k'}     | header        | must not be X-Service-Hop: Sluice sets it on deliveries.
                    {'provider': 'api_key', 'header': 'x_service_signature', 'key': 'k'} | header      | must not be x_service_signature: Sluice sets it on deliveries.
                    {'provider': 'generic_hmac', 'secret': 's', 'header': 'X-Service-Hop', 'algorithm': 'sha256', 'encoding': 'hex'} | header | must not be X-Service-Hop: Sluice sets it on deliveries.
                    {'provider': 'api_key', 'header': 'X-Key', 'key': '***'}           | key           | is masked: re-enter the secret, or leave verification_config out to keep it.
                    {'provider': 'discord', 'public_key': 'abc'}                       | public_key    | must be the application's public key: 64 hexadecimal digits.
                    {'provider': 'generic_hmac', 'secret': 's', 'header': 'X', 'algorithm': 'md5', 'encoding': 'hex'} | algorithm | must be one of sha1, sha256.
                    {'provider': 'generic_hmac', 'secret': 's', 'header': 'X', 'algorithm': 'sha1', 'encoding': 'hex', 'tolerance_secs': 0} | tolerance_secs | must be a whole number from 1 to 604800.
                    {'provider': 'generic_hmac', 'secret': 's', 'header': 'X', 'algorithm': 'sha1', 'encoding': 'hex', 'signed_content': 'timestamp.body'} | signed_content | can be timestamp.body only if timestamp_header is set.
                    """)
    void a_wrong_config_is_refused(String config, String field, String message) {
        var source = create("{'provider': 'slack', 'secret': 's'}");

        var created = create(config);
        var patched = patch(source, "{'verification_config': " + config + "}");

        for (var refused : List.of(created, patched)) {
            assertThat(refused.status()).isEqualTo(422);
            assertThat(refused.errorMessage())
                    .isEqualTo("verification_config." + field + " " + message);
        }
        assertThat(get(source).json()).isEqualTo(source.json());
    }

    @Test
    void an_unknown_provider_is_refused_with_those_there_are() {
        var refused = create("{'provider': 'unreadable'}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage())
                .contains("provider_payments", "provider_code_host", "generic_hmac", "discord");
    }

    @Test
    void all_wrong_fields_are_named_at_once() {
        var refused = create("{'provider': 'generic_hmac', 'tolerance_secs': 'x'}");

        assertThat(refused.json().path("error").path("details").valueStream())
                .extracting((JsonNode detail) -> detail.path("field").asString())
                .containsExactlyInAnyOrder(
                        "verification_config.secret",
                        "verification_config.header",
                        "verification_config.algorithm",
                        "verification_config.encoding",
                        "verification_config.tolerance_secs");
    }

    @Test
    void null_goes_back_to_none() {
        var source = create("{'provider': 'api_key', 'header': 'X-Key', 'key': 'k'}");
        assertThat(send(source, Map.of()).status()).isEqualTo(401);

        var patched = patch(source, "{'verification_config': null}");

        assertThat(patched.json().path("verification_config"))
                .hasToString("{\"provider\":\"none\"}");
        var answer = send(source, Map.of());
        assertThat(answer.status()).isEqualTo(200);
        assertThat(EventReader.detail(api, answer).path("verification_status").asString())
                .isEqualTo("skipped");
        assertThat(EventReader.detail(api, answer).path("verification_reason").isNull()).isTrue();
    }

    @Test
    void a_source_keeps_its_config_over_a_restart() throws IOException {
        var source = create("{'provider': 'api_key', 'header': 'X-Key', 'key': 'k'}");

        sluice.restart();
        api = sluice.api();

        assertThat(send(source, Map.of("X-Key", "k")).status()).isEqualTo(200);
        assertThat(send(source, Map.of("X-Key", "l")).status()).isEqualTo(401);
    }

    @Test
    void what_fails_is_stored_with_its_reason_and_goes_nowhere() throws IOException {
        try (var receiver = Receiver.start()) {
            var source = create("{'provider': 'api_key', 'header': 'X-Key', 'key': 'right'}");
            api.connect(source, api.destination(receiver.url(), ""));

            var refused = send(source, Map.of("X-Key", "wrong"));
            var accepted = send(source, Map.of("X-Key", "right"));

            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.errorCode()).isEqualTo("verification_failed");
            assertThat(refused.header("WWW-Authenticate")).isEmpty();
            await().untilAsserted(() -> assertThat(receiver.requests()).hasSize(1));
            var events = events(source);
            assertThat(events).hasSize(2);
            var failed = events.get(1);
            assertThat(failed.path("verification_status").asString()).isEqualTo("failed");
            assertThat(failed.path("verification_reason").asString())
                    .isEqualTo("The credential is wrong.");
            assertThat(failed.path("delivery_count").asInt(-1)).isZero();
            var detail = api.get("/api/v1/events/" + failed.path("id").asString()).json();
            assertThat(detail.path("body").asString()).isEqualTo("{}");
            assertThat(detail.path("deliveries")).isEmpty();
            assertThat(detail.path("verification_reason"))
                    .isEqualTo(failed.path("verification_reason"));
            var verified = EventReader.detail(api, accepted);
            assertThat(verified.path("verification_status").asString()).isEqualTo("verified");
            assertThat(verified.path("verification_reason").isNull()).isTrue();
            assertThat(verified.path("deliveries")).hasSize(1);
        }
    }

    @Test
    void a_refused_sender_is_told_the_same_whatever_the_reason() {
        var source = create("{'provider': 'slack', 'secret': 's'}");

        var missing = send(source, Map.of());
        var malformed = send(source, Map.of("X-Slack-Signature", "x"));
        var wrong =
                send(
                        source,
                        Map.of("X-Slack-Signature", "v0=00", "X-Slack-Request-Timestamp", "1"));

        assertThat(List.of(missing.body(), malformed.body(), wrong.body()))
                .containsOnly(
                        "{\"error\":{\"code\":\"verification_failed\","
                                + "\"message\":\"The request could not be verified.\"}}");
        assertThat(events(source))
                .extracting(event -> event.path("verification_reason").asString())
                .doesNotHaveDuplicates()
                .hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE"})
    void every_method_that_is_taken_in_is_verified(String method) {
        var source = create("{'provider': 'gitlab', 'secret': 's'}");
        var body = HttpRequest.BodyPublishers.ofString("{}");

        var without = api.send(api.anonymous(path(source)).method(method, body));
        var with =
                api.send(
                        api.anonymous(path(source))
                                .header("X-Gitlab-Token", "s")
                                .method(method, body));

        assertThat(without.status()).isEqualTo(401);
        assertThat(with.status()).isEqualTo(200);
        assertThat(api.send(api.anonymous(path(source)).GET()).status()).isEqualTo(200);
    }

    @Test
    void basic_authentication_is_asked_for() {
        var source = create("{'provider': 'basic_auth', 'username': 'u', 'password': 'p:ü'}");
        String good = "Basic " + Base64.getEncoder().encodeToString("u:p:ü".getBytes(UTF_8));

        var asked = send(source, Map.of());

        assertThat(asked.status()).isEqualTo(401);
        assertThat(asked.header("WWW-Authenticate"))
                .hasValue("Basic realm=\"webhooks\", charset=\"UTF-8\"");
        assertThat(send(source, Map.of("Authorization", good)).status()).isEqualTo(200);
        assertThat(send(source, Map.of("Authorization", good + "x")).status()).isEqualTo(401);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {'provider': 'api_key', 'header': 'x-KEY', 'key': 'hunter2-hunter2!'}        | X-Key          | hunter2-hunter2!
                    {'provider': 'gitlab', 'secret': 'hunter2-hunter2!'}                         | X-Gitlab-Token | hunter2-hunter2!
                    {'provider': 'basic_auth', 'username': 'u', 'password': 'hunter2-hunter2!'}  | Authorization  | Basic dTpodW50ZXIyLWh1bnRlcjIh
                    """)
    void the_senders_credential_is_neither_kept_nor_sent_on(
            String config, String header, String value) throws IOException {
        try (var receiver = Receiver.start()) {
            var source = create(config);
            api.connect(source, api.destination(receiver.url(), ""));

            var accepted = send(source, Map.of(header, value, "X-Other", "kept"));
            var refused = send(source, Map.of(header, value + "x"));

            assertThat(accepted.status()).isEqualTo(200);
            assertThat(refused.status()).isEqualTo(401);
            await().untilAsserted(() -> assertThat(receiver.requests()).hasSize(1));
            var receivedRequest = receiver.requests().getFirst();
            assertThat(receivedRequest.values(header)).isEmpty();
            assertThat(receivedRequest.values("X-Other")).containsExactly("kept");
            for (var event : events(source)) {
                var detail = api.get("/api/v1/events/" + event.path("id").asString());
                assertThat(detail.json().path("headers").path(header).asString()).isEqualTo("***");
                assertThat(detail.body()).doesNotContain(value);
            }
            try (var db = sluice.db()) {
                long found =
                        db.call(tx ->
                                tx.single(
                                        """
                                        select count(*) as n
                                          from event
                                         where position(?::bytea in headers) > 0
                                        """,
                                        row -> row.number("n"),
                                        value.getBytes(UTF_8)));
                assertThat(found).isZero();
            }
        }
    }

    @Test
    void a_credential_that_came_before_its_config_is_masked_as_well() {
        var source = create("{'provider': 'none'}");
        send(source, Map.of("X-Key", "known"));

        api.patch(
                "/api/v1/sources/" + source.text("id"),
                "{'verification_config': {'provider': 'api_key', 'header': 'X-KEY', 'key':"
                        + " 'known'}}");

        var event = events(source).getFirst();
        var detail = api.get("/api/v1/events/" + event.path("id").asString());
        assertThat(detail.json().path("headers").path("X-Key").asString()).isEqualTo("***");
        assertThat(detail.body()).doesNotContain("known");
    }

    @Test
    void a_masked_credential_is_never_sent_on_whatever_the_config_is_by_then() throws IOException {
        try (var receiver = Receiver.start()) {
            var source = create("{'provider': 'api_key', 'header': 'X-Key', 'key': 'known'}");
            var destination = api.destination(receiver.url(), ", 'status': 'paused'");
            api.connect(source, destination);
            send(source, Map.of("X-Key", "known"));

            api.patch("/api/v1/sources/" + source.text("id"), "{'verification_config': null}");
            api.patch("/api/v1/destinations/" + destination.text("id"), "{'status': 'active'}");

            await().untilAsserted(() -> assertThat(receiver.requests()).hasSize(1));
            assertThat(receiver.requests().getFirst().values("X-Key")).isEmpty();
        }
    }

    @Test
    void what_failed_is_not_among_the_events_ever_accepted() {
        var source = create("{'provider': 'gitlab', 'secret': 's'}");
        send(source, Map.of("X-Gitlab-Token", "s"));
        send(source, Map.of("X-Gitlab-Token", "wrong"));
        assertThat(events(source)).hasSize(2);

        var list = api.get("/api/v1/sources?limit=200").json().path("items");

        assertThat(
                        list.valueStream()
                                .filter(item ->
                                        item.path("id").asString().equals(source.text("id")))
                                .map(item -> item.path("event_count").asInt()))
                .containsExactly(1);
    }

    @Test
    void a_signature_that_occurs_twice_fails() {
        var source = create("{'provider': 'gitlab', 'secret': 's'}");

        var answer =
                RawHttp.send(
                        sluice.port(),
                        "POST "
                                + path(source)
                                + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
                                + "X-Gitlab-Token: s\r\nx-gitlab-token: s\r\n"
                                + "Content-Length: 0\r\n\r\n");

        assertThat(answer.status()).isEqualTo(401);
        assertThat(events(source).getFirst().path("verification_reason").asString())
                .isEqualTo("The header with the credential occurs more than once.");
    }

    @Test
    void the_database_has_no_secret_of_a_source_in_plain_text() {
        for (String config : VERIFICATION_CONFIGS) {
            assertThat(create(config).status()).isEqualTo(201);
        }

        try (var db = sluice.db()) {
            var rows =
                    db.call(tx ->
                            tx.query(
                                    """
                                    select source::text || coalesce(encode(verification, 'escape'), '') as everything
                                      from source
                                    """,
                                    row -> row.text("everything")));

            assertThat(rows)
                    .hasSizeGreaterThan(VERIFICATION_CONFIGS.size() - 1)
                    .noneMatch(row -> row.contains(SECRET));
        }
    }

    /// All points whose order divides 8, with either sign, and the encodings of them that exceed
    /// the field's prime.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0000000000000000000000000000000000000000000000000000000000000000",
                "0000000000000000000000000000000000000000000000000000000000000080",
                "0100000000000000000000000000000000000000000000000000000000000000",
                "0100000000000000000000000000000000000000000000000000000000000080",
                "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
                "26E8958FC2B227B045C3F489F2EF98F0D5DFAC05D3C63339B13802886D53FC85",
                "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
                "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
                "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
                "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
                "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
                "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            })
    void a_public_key_that_verifies_what_anybody_signs_is_refused(String key) {
        var refused = create("{'provider': 'discord', 'public_key': '" + key + "'}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage())
                .isEqualTo(
                        "verification_config.public_key must be the application's public key. This"
                                + " one would accept signatures that anybody can make.");
    }

    /// The key and the signature are the neutral point, which verifies any message.
    @Test
    void such_a_public_key_that_was_stored_before_verifies_nothing() {
        var source = create("{'provider': 'gitlab', 'secret': 's'}");
        String neutral = "01" + "00".repeat(31);
        StoredSettings.verification(
                sluice, source, "{\"provider\":\"discord\",\"public_key\":\"" + neutral + "\"}");
        await().untilAsserted(() ->
                assertThat(send(source, Map.of("X-Gitlab-Token", "s")).status()).isEqualTo(401));

        var forged =
                send(
                        source,
                        Map.of(
                                "X-Signature-Ed25519",
                                neutral + "00".repeat(32),
                                "X-Signature-Timestamp",
                                Long.toString(Instant.now().getEpochSecond())));

        assertThat(forged.status()).isEqualTo(401);
        assertThat(get(source).json().path("verification_config"))
                .hasToString("{\"provider\":\"unreadable\"}");
    }

    @Test
    void a_config_that_cannot_be_read_lets_nothing_pass_and_is_kept() {
        var source = create("{'provider': 'api_key', 'header': 'X-Key', 'key': 'k'}");
        try (var db = sluice.db()) {
            db.run(tx ->
                    tx.update(
                            """
                            update source
                               set verification = set_byte(verification, 20, 255 - get_byte(verification, 20))
                             where id::text = ?
                            """,
                            source.text("id")));
        }

        var patched = patch(source, "{'name': 'n'}");

        assertThat(patched.json().path("verification_config"))
                .hasToString("{\"provider\":\"unreadable\"}");
        assertThat(send(source, Map.of("X-Key", "k")).status()).isEqualTo(401);
        assertThat(events(source).getFirst().path("verification_reason").asString())
                .startsWith("The source's verification_config cannot be read here.");
        assertThat(
                        patch(
                                        source,
                                        "{'verification_config': {'provider': 'gitlab', 'secret':"
                                                + " 's'}}")
                                .status())
                .isEqualTo(200);
        assertThat(send(source, Map.of("X-Gitlab-Token", "s")).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    slack | X-Slack-Signature | X-Slack-Request-Timestamp | {"token":"t","challenge":"<b>3eZ","type":"url_verification"}                        | <b>3eZ
                    zoom  | x-zm-signature    | x-zm-request-timestamp    | {"payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"},"event":"endpoint.url_validation"} | {"plainToken":"qgg8vlvZRS6UYooatFL8Aw","encryptedToken":"72cef096bfd47c0b8664df30d07721641e4abd7e885ba432204260db477a9a3e"}
                    """)
    void a_senders_question_is_answered_kept_and_not_sent_on(
            String provider, String header, String timeHeader, String body, String expected)
            throws IOException, GeneralSecurityException {
        try (var receiver = Receiver.start()) {
            var source =
                    create(
                            "{'provider': '"
                                    + provider
                                    + "', 'secret': 'next', 'previous_secret': 'secret'}");
            api.connect(source, api.destination(receiver.url(), ""));
            String now = Long.toString(Instant.now().getEpochSecond());
            String signature = "v0=" + hex("secret", "v0:" + now + ":" + body);

            var answer = send(source, body, Map.of(header, signature, timeHeader, now));
            var forged = send(source, body, Map.of(header, signature + "0", timeHeader, now));

            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo(expected);
            assertThat(answer.header("Content-Type"))
                    .hasValue(
                            provider.equals("slack")
                                    ? "text/plain; charset=utf-8"
                                    : "application/json; charset=utf-8");
            assertThat(answer.header("Content-Security-Policy"))
                    .hasValue("default-src 'none'; sandbox");
            assertThat(forged.status()).isEqualTo(401);
            var events = events(source);
            assertThat(events).hasSize(2);
            assertThat(events).allMatch(event -> event.path("delivery_count").asInt(-1) == 0);
            assertThat(events.getLast().path("verification_status").asString())
                    .isEqualTo("verified");
            assertThat(receiver.requests()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    slack  | X-Slack-Signature | X-Slack-Request-Timestamp
                    zoom   | X-Zm-Signature    | X-Zm-Request-Timestamp
                    linear | Linear-Signature  | X-Unused
                    """)
    void what_a_sender_signed_is_stored_and_delivered_whatever_numbers_it_has(
            String provider, String header, String timeHeader)
            throws IOException, GeneralSecurityException {
        try (var receiver = Receiver.start()) {
            var source = create("{'provider': '" + provider + "', 'secret': 'secret'}");
            api.connect(source, api.destination(receiver.url(), ""));
            long now = Instant.now().getEpochSecond();
            String body =
                    "{\"type\":\"x\",\"event\":\"x\",\"n\":1e99999999999,\"n\":-1E-99999999999,"
                            + "\"webhookTimestamp\":"
                            + now
                            + "000}";
            boolean isInBody = provider.equals("linear");
            String signature =
                    isInBody
                            ? hex("secret", body)
                            : "v0=" + hex("secret", "v0:" + now + ":" + body);

            var answer =
                    send(source, body, Map.of(header, signature, timeHeader, Long.toString(now)));

            assertThat(answer.status()).as(answer.body()).isEqualTo(200);
            await().untilAsserted(() -> assertThat(receiver.requests()).hasSize(1));
            assertThat(receiver.requests().getFirst().body()).isEqualTo(body);
            assertThat(EventReader.detail(api, answer).path("verification_status").asString())
                    .isEqualTo("verified");
        }
    }

    private static String hex(String secret, String text) throws GeneralSecurityException {
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
        return HexFormat.of().formatHex(mac.doFinal(text.getBytes(UTF_8)));
    }

    private static ApiClient.ApiResponse create(String config) {
        return api.post("/api/v1/sources", "{'name': 's', 'verification_config': " + config + "}");
    }

    private static ApiClient.ApiResponse get(ApiClient.ApiResponse source) {
        return api.get("/api/v1/sources/" + source.text("id"));
    }

    private static ApiClient.ApiResponse patch(ApiClient.ApiResponse source, String json) {
        return api.patch("/api/v1/sources/" + source.text("id"), json);
    }

    private static String path(ApiClient.ApiResponse source) {
        assertThat(source.status()).as(source.body()).isEqualTo(201);
        return source.text("ingest_path");
    }

    private static ApiClient.ApiResponse send(
            ApiClient.ApiResponse source, Map<String, String> headers) {
        return send(source, "{}", headers);
    }

    private static ApiClient.ApiResponse send(
            ApiClient.ApiResponse source, String body, Map<String, String> headers) {
        var request = api.anonymous(path(source));
        headers.forEach(request::header);
        return api.send(request.POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    /// The source's events, newest first.
    private static List<JsonNode> events(ApiClient.ApiResponse source) {
        return api.get("/api/v1/events?source_id=" + source.text("id"))
                .json()
                .path("items")
                .valueStream()
                .toList();
    }
}
