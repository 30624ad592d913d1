package dev.sluice.engine.accept;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.standardwebhooks.Webhook;

import dev.sluice.engine.VerificationReason;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.gateway.source.VerificationConfig.HmacAlgorithm;
import dev.sluice.gateway.source.VerificationConfig.SignedContent;
import dev.sluice.gateway.source.WebhookProvider;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.secret.Secret;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/// The test vectors come from the senders (documentation, tests of their libraries), or were
/// recomputed with a second implementation.
class VerifierTest {

    private static final String EVENT_JSON = "{\"id\":\"evt_1\",\"amount\":4200}";
    private static final long SIGNED_AT_SECONDS = 1_700_000_000;

    private static final String STANDARD_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String DISCORD_KEY =
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
    private static final String DISCORD_SIGNATURE =
            "1695961a47c91a1ec033b819b7e87e3dbc583dd0cee6d1fd0216f58ac87b6228"
                    + "ae531ddbf91fb7bc28d7edf7f08604da16f54624f38a6bc0614e4dc13cd47f0f";
    private static final String SLACK_BODY =
            "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow"
                    + "&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA"
                    + "&user_name=roadrunner&command=%2Fwebhook-collect&text="
                    + "&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J"
                    + "%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
                    + "&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    private static final String SQUARE_BODY =
            "{\"merchant_id\":\"MLEFBHHSJGVHD\",\"type\":\"webhooks.test_notification\","
                    + "\"event_id\":\"ac3ac95b-f97d-458c-a6e6-18981597e05f\","
                    + "\"created_at\":\"2022-07-13T20:30:59.037339943Z\","
                    + "\"data\":{\"type\":\"webhooks\","
                    + "\"id\":\"bc368e64-01aa-407e-b46e-3231809b1129\"}}";
    private static final String TWILIO_FORM =
            "CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234"
                    + "&From=%2B14158675309&To=%2B18005551212";

    /// A request with a valid signature or credential.
    ///
    /// @param signedAt in Unix seconds
    private record SignedRequest(
            VerificationConfig config,
            String url,
            long signedAt,
            String body,
            List<String> headers) {

        VerificationResult check() {
            return Verifier.check(config, inbound());
        }

        InboundRequest inbound() {
            return VerifierTest.inbound(url, signedAt, body.getBytes(ISO_8859_1), headers);
        }

        SignedRequest signedAt(long seconds) {
            return new SignedRequest(config, url, seconds, body, headers);
        }

        SignedRequest withBody(String other) {
            return new SignedRequest(config, url, signedAt, other, headers);
        }

        SignedRequest withHeaders(List<String> other) {
            return new SignedRequest(config, url, signedAt, body, other);
        }

        SignedRequest with(VerificationConfig other) {
            return new SignedRequest(other, url, signedAt, body, headers);
        }
    }

    private static InboundRequest inbound(String url, long at, byte[] body, List<String> headers) {
        return new InboundRequest(
                headers.stream()
                        .map(line -> line.split(": ", 2))
                        .map(pair -> new Header(pair[0], pair[1]))
                        .toList(),
                body,
                Instant.ofEpochSecond(at),
                url);
    }

    private static VerificationConfig.ProviderVerification convention(
            WebhookProvider provider, String secret) {
        return new VerificationConfig.ProviderVerification(
                provider, new Secret(secret), Optional.empty());
    }

    private static SignedRequest signedRequest(
            WebhookProvider provider, String secret, long at, String body, String... headers) {
        return new SignedRequest(
                convention(provider, secret),
                "https://relay.example/in/t",
                at,
                body,
                List.of(headers));
    }

    private static SignedRequest of(WebhookProvider provider) {
        return switch (provider) {
            case STRIPE ->
                    signedRequest(
                            provider,
                            "whsec_test",
                            SIGNED_AT_SECONDS,
                            EVENT_JSON,
                            "Stripe-Signature: t=1700000000,"
                                + "v1=b063bb71f1caa1520e6791ea1a082c02912b7a5e65a2cec2722718f518c3f60d,"
                                + "v0=00");
            case GITHUB ->
                    signedRequest(
                            provider,
                            "It's a Secret to Everybody",
                            SIGNED_AT_SECONDS,
                            "Hello, World!",
                            "X-Hub-Signature-256:"
                                + " sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17");
            case SHOPIFY ->
                    signedRequest(
                            provider,
                            "test_secret_key",
                            SIGNED_AT_SECONDS,
                            "{\"foo\": \"bar\"}",
                            "X-Shopify-Hmac-SHA256: B23tXN681gZ0qIWNRrgtzBE9XSDo5yaUu6wfmhu3a7g=");
            case STANDARD_WEBHOOKS ->
                    signedRequest(
                            provider,
                            STANDARD_SECRET,
                            1_614_265_330,
                            "{\"test\": 2432232314}",
                            "webhook-id: msg_p5jXN8AQM9LWM0D4loKWxJek",
                            "webhook-timestamp: 1614265330",
                            "webhook-signature: v1,AAAA v2,BBBB"
                                    + " v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
            case SLACK ->
                    signedRequest(
                            provider,
                            "8f742231b10e8888abcd99yyyzzz85a5",
                            1_531_420_618,
                            SLACK_BODY,
                            "X-Slack-Request-Timestamp: 1531420618",
                            "X-Slack-Signature:"
                                + " v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503");
            case GITLAB ->
                    signedRequest(
                            provider,
                            "topsecret",
                            SIGNED_AT_SECONDS,
                            EVENT_JSON,
                            "X-Gitlab-Token: topsecret");
            case TWILIO ->
                    new SignedRequest(
                            convention(provider, "12345"),
                            "https://mycompany.com/myapp.php?foo=1&bar=2",
                            SIGNED_AT_SECONDS,
                            TWILIO_FORM,
                            List.of(
                                    "Content-Type: application/x-www-form-urlencoded;"
                                            + " charset=UTF-8",
                                    "X-Twilio-Signature: RSOYDt4T1cUTdK1PDd93/VVr8B8="));
            case SQUARE ->
                    new SignedRequest(
                            convention(provider, "Ibxx_5AKakO-3qeNVR61Dw"),
                            "https://webhook.site/679a4f3a-dcfa-49ee-bac5-9d0edad886b9",
                            SIGNED_AT_SECONDS,
                            SQUARE_BODY,
                            List.of(
                                    "x-square-hmacsha256-signature:"
                                            + " GF4YkrJgGBDZ9NIYbNXBnMzqb2HoL4RW/S6vkZ9/2N4="));
            case PADDLE ->
                    signedRequest(
                            provider,
                            "VALID_SECRET",
                            1_698_796_800,
                            "{\"data\": [\"1\", \"2\"]}",
                            "Paddle-Signature:"
                                + " ts=1698796800;h1=a300428748dce5c70e4da19bffd60769591ea969c99dea3105d0ec9612cf43f9");
            case ZOOM ->
                    signedRequest(
                            provider,
                            "topsecret",
                            SIGNED_AT_SECONDS,
                            EVENT_JSON,
                            "x-zm-request-timestamp: 1700000000",
                            "x-zm-signature:"
                                + " v0=b2464872c5f17357206cf9320ac5b56aefbeeb1612ad9690a264e65df03ae226");
            case LINEAR ->
                    signedRequest(
                            provider,
                            "topsecret",
                            SIGNED_AT_SECONDS,
                            "{\"action\":\"create\",\"webhookTimestamp\":1700000000123}",
                            "Linear-Signature:"
                                + " 443446d0cc71c1ee1c7ae7bf3dfe527c71f3d64e278380d68439533f480fcbf3");
            case TYPEFORM ->
                    signedRequest(
                            provider,
                            "topsecret",
                            SIGNED_AT_SECONDS,
                            EVENT_JSON,
                            "Typeform-Signature:"
                                    + " sha256=1C8wO/++j4HoQmnziVnGNEYGwAxqMzGKX4ncHgyjyiY=");
        };
    }

    private static VerificationReason reason(VerificationResult result) {
        assertThat(result).isInstanceOf(VerificationResult.VerificationFailed.class);
        return ((VerificationResult.VerificationFailed) result).reason();
    }

    @ParameterizedTest
    @EnumSource(WebhookProvider.class)
    void what_a_sender_signed_is_verified(WebhookProvider provider) {
        assertThat(of(provider).check()).isInstanceOf(VerificationResult.VerificationPassed.class);
    }

    @ParameterizedTest
    @EnumSource(value = WebhookProvider.class, names = "GITLAB", mode = EnumSource.Mode.EXCLUDE)
    void an_altered_body_does_not_match(WebhookProvider provider) {
        var signedRequest = of(provider);

        assertThat(reason(signedRequest.withBody(signedRequest.body() + " ").check()))
                .isEqualTo(VerificationReason.SIGNATURE_MISMATCH);
        assertThat(reason(signedRequest.withBody("").check()))
                .isEqualTo(VerificationReason.SIGNATURE_MISMATCH);
    }

    @ParameterizedTest
    @EnumSource(WebhookProvider.class)
    void another_secret_does_not_match(WebhookProvider provider) {
        var wrong = of(provider).with(convention(provider, "another"));

        assertThat(reason(wrong.check()))
                .isIn(VerificationReason.SIGNATURE_MISMATCH, VerificationReason.CREDENTIAL_WRONG);
    }

    @ParameterizedTest
    @EnumSource(WebhookProvider.class)
    void the_previous_secret_is_good_too(WebhookProvider provider) {
        var signedRequest = of(provider);
        var secret = ((VerificationConfig.ProviderVerification) signedRequest.config()).secret();
        var rotating =
                new VerificationConfig.ProviderVerification(
                        provider, new Secret("the-next-one"), Optional.of(secret));

        assertThat(signedRequest.with(rotating).check())
                .isEqualTo(new VerificationResult.VerificationPassed(Optional.of(secret)));
    }

    @ParameterizedTest
    @EnumSource(WebhookProvider.class)
    void each_header_of_the_convention_must_be_there(WebhookProvider provider) {
        var signedRequest = of(provider);
        for (String line : signedRequest.headers()) {
            var others =
                    signedRequest.headers().stream().filter(other -> !other.equals(line)).toList();

            assertThat(reason(signedRequest.withHeaders(others).check()))
                    .as("without " + line)
                    .isIn(
                            VerificationReason.SIGNATURE_MISSING,
                            VerificationReason.TIMESTAMP_MISSING,
                            VerificationReason.MESSAGE_ID_MISSING,
                            VerificationReason.CREDENTIAL_MISSING,
                            VerificationReason.BODY_NOT_SIGNED);
        }
    }

    @ParameterizedTest
    @EnumSource(WebhookProvider.class)
    void each_header_of_the_convention_must_occur_once(WebhookProvider provider) {
        var signedRequest = of(provider);
        for (String line : signedRequest.headers()) {
            if (line.startsWith("Content-Type")) {
                continue;
            }
            var repeated = new ArrayList<>(signedRequest.headers());
            repeated.add(line.toLowerCase(Locale.ROOT));

            assertThat(reason(signedRequest.withHeaders(repeated).check()))
                    .as(line + " twice")
                    .isIn(
                            VerificationReason.SIGNATURE_REPEATED,
                            VerificationReason.TIMESTAMP_REPEATED,
                            VerificationReason.MESSAGE_ID_REPEATED,
                            VerificationReason.CREDENTIAL_REPEATED);
        }
    }

    /// What else the body has is the receiver's to judge.
    @ParameterizedTest
    @MethodSource("strangeLinearBodies")
    void a_timestamp_is_found_in_any_json_that_the_sender_signed(String body) {
        var config = convention(WebhookProvider.LINEAR, "topsecret");
        byte[] bytes = body.getBytes(UTF_8);
        var now = Instant.ofEpochSecond(SIGNED_AT_SECONDS);
        var signed =
                WebhookSigner.sign(config, List.of(), bytes, "https://relay.example/in/t", now);

        var result =
                Verifier.check(
                        config, new InboundRequest(signed.headers(), bytes, now, signed.url()));

        assertThat(result).isInstanceOf(VerificationResult.VerificationPassed.class);
    }

    static Stream<String> strangeLinearBodies() {
        String time = "\"webhookTimestamp\":" + SIGNED_AT_SECONDS + "123";
        return Stream.of(
                "{\"n\":1e99999999999," + time + "}",
                "{" + time + ",\"n\":-1E-99999999999}",
                "{\"a\":1,\"a\":2," + time + "}",
                "{\"webhookTimestamp\":1," + time + "}",
                "{\"many\":[" + "0,".repeat(150_000) + "0]," + time + "}");
    }

    @ParameterizedTest
    @CsvSource({
        "STRIPE, 300",
        "STANDARD_WEBHOOKS, 300",
        "SLACK, 300",
        "ZOOM, 300",
        "PADDLE, 300",
        "LINEAR, 60",
    })
    void a_timestamp_is_good_up_to_the_tolerance_either_way(
            WebhookProvider provider, int tolerance) {
        var signedRequest = of(provider);

        assertThat(signedRequest.signedAt(signedRequest.signedAt() + tolerance).check())
                .isInstanceOf(VerificationResult.VerificationPassed.class);
        assertThat(signedRequest.signedAt(signedRequest.signedAt() - tolerance).check())
                .isInstanceOf(VerificationResult.VerificationPassed.class);
        assertThat(reason(signedRequest.signedAt(signedRequest.signedAt() + tolerance + 1).check()))
                .isEqualTo(VerificationReason.TIMESTAMP_TOO_OLD);
        assertThat(reason(signedRequest.signedAt(signedRequest.signedAt() - tolerance - 1).check()))
                .isEqualTo(VerificationReason.TIMESTAMP_IN_FUTURE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    t=1700000000                                | SIGNATURE_MALFORMED
                    v1=00                                       | TIMESTAMP_MISSING
                    t=1700000000,v0=00                          | SIGNATURE_MALFORMED
                    t=1700000000,t=1700000000,v1=00             | SIGNATURE_MALFORMED
                    t=1700000000,v1=potato                      | SIGNATURE_MALFORMED
                    t=1700000000,v1=                            | SIGNATURE_MALFORMED
                    t=1700000000,v1=000                         | SIGNATURE_MALFORMED
                    t=1700000000,v1=00                          | SIGNATURE_MISMATCH
                    t=+1700000000,v1=00                         | TIMESTAMP_MALFORMED
                    t=,v1=00                                    | TIMESTAMP_MALFORMED
                    t=1700000000.0,v1=00                        | TIMESTAMP_MALFORMED
                    t= 1700000000,v1=00                         | TIMESTAMP_MALFORMED
                    t=99999999999999999999,v1=00                | TIMESTAMP_MALFORMED
                    bad_header                                  | SIGNATURE_MALFORMED
                    ``                                          | SIGNATURE_MALFORMED
                    """)
    void a_signature_header_is_read_strictly(String value, VerificationReason reason) {
        var signedRequest = of(WebhookProvider.STRIPE);

        assertThat(reason(signedRequest.withHeaders(List.of("Stripe-Signature: " + value)).check()))
                .isEqualTo(reason);
    }

    @Test
    void either_of_two_signatures_may_match_and_a_senseless_one_does_no_harm() {
        String header =
                "Stripe-Signature: t=1700000000,"
                    + "v1=39d3cff167b3e27901b0929976de5a114a50cc4f80a22d01bc706ab6379880d6,"
                    + "v1=b95bd62b64e392a06532cf3bff526c6103938bec1e8afbb06cba9221f4e08cb3,v1=potato";

        for (String secret : List.of("whsec_old", "whsec_new")) {
            assertThat(
                            signedRequest(
                                            WebhookProvider.STRIPE,
                                            secret,
                                            SIGNED_AT_SECONDS,
                                            EVENT_JSON,
                                            header)
                                    .check())
                    .isInstanceOf(VerificationResult.VerificationPassed.class);
        }
    }

    @Test
    void only_the_first_sixteen_signatures_are_looked_at() {
        var signedRequest = of(WebhookProvider.STRIPE);
        String good = signedRequest.headers().getFirst().replaceAll(".*v1=([0-9a-f]+).*", "v1=$1");
        String stamp = "Stripe-Signature: t=1700000000,";

        assertThat(signedRequest.withHeaders(List.of(stamp + "v1=00,".repeat(15) + good)).check())
                .isInstanceOf(VerificationResult.VerificationPassed.class);
        assertThat(
                        reason(
                                signedRequest
                                        .withHeaders(List.of(stamp + "v1=00,".repeat(16) + good))
                                        .check()))
                .isEqualTo(VerificationReason.SIGNATURE_MISMATCH);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    topsecret | `{"id":"evt_1","amount":4200}` | d42f303bffbe8f81e84269f38959c6344606c00c6a33318a5f89dc1e0ca3ca26
                    topsecret | `{"id":"evt_1","amount":4200}` | D42F303BFFBE8F81E84269F38959C6344606C00C6A33318A5F89DC1E0CA3CA26
                    topsecret | ``                             | 818f9cb88315ac08b5ef83f96650ca6f4e3dddcb4548e4879b746f56b57fa2b0
                    topsecret | `{"e":"♥"}`                    | 92368fa0f2af2db62ac035dc016e24180da249d5d6924cb55dee2f059bbdab95
                    pässwörd  | `{"id":"evt_1","amount":4200}` | 5f13c047ed12c877025f7914d69ae4fbf360feb91ec78b5807de8317416e58a5
                    mysecret  | `{"foo":"bar"}`                | 4864d2759938a15468b5df9ade20bf161da9b4f737ea61794142f3484236bda3
                    """)
    void hex_is_of_either_case_and_secrets_are_utf_8(String secret, String body, String hex) {
        var result =
                Verifier.check(
                        convention(WebhookProvider.GITHUB, secret),
                        inbound(
                                "",
                                SIGNED_AT_SECONDS,
                                body.getBytes(UTF_8),
                                List.of("x-hub-signature-256: sha256=" + hex)));

        assertThat(result).isInstanceOf(VerificationResult.VerificationPassed.class);
    }

    @Test
    void a_body_that_is_no_text_is_verified_as_it_is() {
        var result =
                Verifier.check(
                        convention(WebhookProvider.GITHUB, "topsecret"),
                        inbound(
                                "",
                                SIGNED_AT_SECONDS,
                                new byte[] {0, (byte) 0xff, (byte) 0xfe, 0x0a, 0x0d},
                                List.of(
                                        "X-Hub-Signature-256:"
                                            + " sha256=63ceaf91949c292c5e611f8ad5a6c508c7984f7315ec6056e8b765a324088df1")));

        assertThat(result).isInstanceOf(VerificationResult.VerificationPassed.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Hub-Signature: sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59",
                "X-Hub-Signature-256:"
                        + " 757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
                "X-Hub-Signature-256: sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59",
            })
    void the_code_host_must_sign_with_sha_256(String header) {
        var signedRequest = of(WebhookProvider.GITHUB);

        assertThat(reason(signedRequest.withHeaders(List.of(header)).check()))
                .isIn(VerificationReason.SIGNATURE_MISSING, VerificationReason.SIGNATURE_MALFORMED);
    }

    @Test
    void shopify_may_send_its_newer_header() {
        var signedRequest = of(WebhookProvider.SHOPIFY);
        String header = signedRequest.headers().getFirst();

        assertThat(signedRequest.withHeaders(List.of(header.replace("X-", ""))).check())
                .isInstanceOf(VerificationResult.VerificationPassed.class);
    }

    @Test
    void standard_webhooks_may_come_under_their_older_names() {
        var signedRequest = of(WebhookProvider.STANDARD_WEBHOOKS);
        var older =
                signedRequest.headers().stream()
                        .map(line -> line.replace("webhook-", "svix-"))
                        .toList();

        assertThat(signedRequest.withHeaders(older).check())
                .isInstanceOf(VerificationResult.VerificationPassed.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"v1,", "v1,g0hM9SsE", "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="})
    void a_cut_or_foreign_standard_signature_fails(String value) {
        var signedRequest = of(WebhookProvider.STANDARD_WEBHOOKS);
        var headers = new ArrayList<>(signedRequest.headers());
        headers.set(2, "webhook-signature: " + value);

        assertThat(signedRequest.withHeaders(headers).check())
                .isInstanceOf(VerificationResult.VerificationFailed.class);
    }

    @Test
    void standard_webhooks_agree_with_the_official_library() throws Exception {
        var random = new Random(7);
        var official = new Webhook(STANDARD_SECRET);
        for (int i = 0; i < 200; i++) {
            String body = "{\"n\": \"" + Long.toString(random.nextLong(), 36) + "ü♥\"}";
            String id = "msg_" + random.nextInt(1_000_000);
            long at = SIGNED_AT_SECONDS + random.nextInt(1_000_000);
            var headers =
                    List.of(
                            "webhook-id: " + id,
                            "webhook-timestamp: " + at,
                            "webhook-signature: " + official.sign(id, at, body));
            var config = convention(WebhookProvider.STANDARD_WEBHOOKS, STANDARD_SECRET);

            assertThat(Verifier.check(config, inbound("", at, body.getBytes(UTF_8), headers)))
                    .isInstanceOf(VerificationResult.VerificationPassed.class);
            assertThat(
                            Verifier.check(
                                    config, inbound("", at, (body + "x").getBytes(UTF_8), headers)))
                    .isInstanceOf(VerificationResult.VerificationFailed.class);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    SHA256 | HEX    |           | d42f303bffbe8f81e84269f38959c6344606c00c6a33318a5f89dc1e0ca3ca26
                    SHA256 | HEX    |           | sha256=d42f303bffbe8f81e84269f38959c6344606c00c6a33318a5f89dc1e0ca3ca26
                    SHA256 | BASE64 |           | 1C8wO/++j4HoQmnziVnGNEYGwAxqMzGKX4ncHgyjyiY=
                    SHA256 | BASE64 |           | 1C8wO_--j4HoQmnziVnGNEYGwAxqMzGKX4ncHgyjyiY
                    SHA256 | BASE64 |           | sha256=1C8wO/++j4HoQmnziVnGNEYGwAxqMzGKX4ncHgyjyiY=
                    SHA1   | HEX    |           | 5a483d0ae0fe4327f93299cd02ee008410fdf627
                    SHA1   | BASE64 |           | Wkg9CuD+Qyf5MpnNAu4AhBD99ic=
                    SHA256 | HEX    | X-Time    | 25c770e42b4ea3cd2b6698d6ce4c2ad81db404765d57dd873f9432ef05101bbb
                    SHA256 | BASE64 | X-Time    | Jcdw5CtOo80rZpjWzkwq2B20BHZdV92HP5Qy7wUQG7s=
                    SHA1   | HEX    | X-Time    | ade0344bc39f801c59f70c590e882716c6d310df
                    SHA1   | BASE64 | X-Time    | reA0S8OfgBxZ9wxZDognFsbTEN8=
                    """)
    void a_generic_hmac_is_as_configured(
            HmacAlgorithm algorithm,
            VerificationConfig.HmacEncoding encoding,
            @Nullable String timestampHeader,
            String value) {
        var config = generic(algorithm, encoding, timestampHeader, Optional.empty());
        var headers = List.of("x-signature: " + value, "X-Time: 1700000000");

        assertThat(
                        Verifier.check(
                                config,
                                inbound(
                                        "",
                                        SIGNED_AT_SECONDS + 60,
                                        EVENT_JSON.getBytes(UTF_8),
                                        headers)))
                .isInstanceOf(VerificationResult.VerificationPassed.class);
        assertThat(
                        Verifier.check(
                                config,
                                inbound("", SIGNED_AT_SECONDS, "{}".getBytes(UTF_8), headers)))
                .isInstanceOf(VerificationResult.VerificationFailed.class);
        boolean isTimed = timestampHeader != null;
        assertThat(
                        Verifier.check(
                                        config,
                                        inbound(
                                                "",
                                                SIGNED_AT_SECONDS + 61,
                                                EVENT_JSON.getBytes(UTF_8),
                                                headers))
                                instanceof VerificationResult.VerificationFailed)
                .isEqualTo(isTimed);
    }

    @Test
    void a_generic_hmac_of_the_other_algorithm_fails() {
        var config =
                generic(
                        HmacAlgorithm.SHA256,
                        VerificationConfig.HmacEncoding.HEX,
                        null,
                        Optional.empty());

        assertThat(
                        reason(
                                Verifier.check(
                                        config,
                                        inbound(
                                                "",
                                                SIGNED_AT_SECONDS,
                                                EVENT_JSON.getBytes(UTF_8),
                                                List.of(
                                                        "X-Signature:"
                                                            + " sha1=5a483d0ae0fe4327f93299cd02ee008410fdf627")))))
                .isEqualTo(VerificationReason.SIGNATURE_MALFORMED);
    }

    @Test
    void a_generic_timestamp_that_is_not_signed_is_judged_all_the_same() {
        var config =
                generic(
                        HmacAlgorithm.SHA256,
                        VerificationConfig.HmacEncoding.HEX,
                        "X-Time",
                        Optional.of(SignedContent.BODY));
        String signature =
                "X-Signature: d42f303bffbe8f81e84269f38959c6344606c00c6a33318a5f89dc1e0ca3ca26";
        byte[] body = EVENT_JSON.getBytes(UTF_8);

        assertThat(
                        Verifier.check(
                                config,
                                inbound(
                                        "",
                                        SIGNED_AT_SECONDS,
                                        body,
                                        List.of(signature, "X-Time: 1700000000"))))
                .isInstanceOf(VerificationResult.VerificationPassed.class);
        assertThat(
                        Verifier.check(
                                config,
                                inbound(
                                        "",
                                        SIGNED_AT_SECONDS,
                                        body,
                                        List.of(signature, "X-Time: 1700000000000"))))
                .as("milliseconds")
                .isInstanceOf(VerificationResult.VerificationPassed.class);
        assertThat(
                        reason(
                                Verifier.check(
                                        config,
                                        inbound(
                                                "",
                                                SIGNED_AT_SECONDS,
                                                body,
                                                List.of(signature, "X-Time: 1699999939")))))
                .isEqualTo(VerificationReason.TIMESTAMP_TOO_OLD);
    }

    private static VerificationConfig generic(
            HmacAlgorithm algorithm,
            VerificationConfig.HmacEncoding encoding,
            @Nullable String timestampHeader,
            Optional<SignedContent> signed) {
        return new VerificationConfig.GenericHmacVerification(
                new Secret("topsecret"),
                Optional.empty(),
                "X-Signature",
                algorithm,
                encoding,
                Optional.ofNullable(timestampHeader),
                Duration.ofSeconds(60),
                signed);
    }

    @Test
    void twilio_signs_other_bodies_by_their_hash_in_the_url() {
        String url =
                "https://mycompany.com/myapp.php?foo=1&bar=2"
                    + "&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620";
        var signedRequest =
                new SignedRequest(
                        convention(WebhookProvider.TWILIO, "12345"),
                        url,
                        SIGNED_AT_SECONDS,
                        "{\"property\": \"value\", \"boolean\": true}",
                        List.of("X-Twilio-Signature: a9nBmqA0ju/hNViExpshrM61xv4="));

        assertThat(signedRequest.check()).isInstanceOf(VerificationResult.VerificationPassed.class);
        assertThat(reason(signedRequest.withBody("{}").check()))
                .isEqualTo(VerificationReason.SIGNATURE_MISMATCH);
    }

    @Test
    void a_url_may_be_signed_with_its_usual_port_or_without_any() {
        assertThat(SignedUrlVariants.of("https://h.example/in/t?a=b:c"))
                .containsExactly(
                        "https://h.example/in/t?a=b:c", "https://h.example:443/in/t?a=b:c");
        assertThat(SignedUrlVariants.of("http://[::1]:8080/in/t"))
                .containsExactly("http://[::1]:8080/in/t", "http://[::1]/in/t");
        assertThat(SignedUrlVariants.of("http://[::1]/in/t"))
                .containsExactly("http://[::1]/in/t", "http://[::1]:80/in/t");
    }

    @Test
    void discord_signs_with_its_private_key() {
        var signedRequest =
                new SignedRequest(
                        new VerificationConfig.DiscordVerification(DISCORD_KEY),
                        "",
                        SIGNED_AT_SECONDS,
                        "{\"type\":1}",
                        List.of(
                                "X-Signature-Ed25519: " + DISCORD_SIGNATURE,
                                "X-Signature-Timestamp: 1700000000"));

        assertThat(signedRequest.check()).isInstanceOf(VerificationResult.VerificationPassed.class);
        assertThat(reason(signedRequest.withBody("{\"type\":2}").check()))
                .isEqualTo(VerificationReason.SIGNATURE_MISMATCH);
        assertThat(reason(signedRequest.signedAt(SIGNED_AT_SECONDS + 301).check()))
                .isEqualTo(VerificationReason.TIMESTAMP_TOO_OLD);
        assertThat(
                        reason(
                                signedRequest
                                        .with(
                                                new VerificationConfig.DiscordVerification(
                                                        "0".repeat(63) + "2"))
                                        .check()))
                .isEqualTo(VerificationReason.SIGNATURE_MISMATCH);
        assertThat(
                        reason(
                                signedRequest
                                        .withHeaders(
                                                List.of(
                                                        "X-Signature-Ed25519: 00",
                                                        "X-Signature-Timestamp: 1700000000"))
                                        .check()))
                .isEqualTo(VerificationReason.SIGNATURE_MISMATCH);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    Basic dXNlcjpwYTpzczp3w7ZyZA==      |
                    bAsIc   dXNlcjpwYTpzczp3w7ZyZA==    |
                    Basic dXNlcjpwYTpzcw==              | CREDENTIAL_WRONG
                    Basic dXNlcg==                      | CREDENTIAL_WRONG
                    Basic ?                             | CREDENTIAL_MALFORMED
                    Bearer dXNlcjpwYTpzczp3w7ZyZA==     | CREDENTIAL_MALFORMED
                    Basic                               | CREDENTIAL_MALFORMED
                    """)
    void basic_authentication_takes_colons_and_umlauts_in_passwords(
            String value, @Nullable VerificationReason reason) {
        var config = new VerificationConfig.BasicAuthVerification("user", new Secret("pa:ss:wörd"));

        var result =
                Verifier.check(
                        config,
                        inbound(
                                "",
                                SIGNED_AT_SECONDS,
                                new byte[0],
                                List.of("authorization: " + value)));

        if (reason == null) {
            assertThat(result).isInstanceOf(VerificationResult.VerificationPassed.class);
        } else {
            assertThat(reason(result)).isEqualTo(reason);
        }
    }

    @ParameterizedTest
    @CsvSource({"Bearer x, true", "bearer x, false", "Bearer, false", "Bearer xx, false"})
    void an_api_key_is_the_whole_value(String value, boolean isGood) {
        var config =
                new VerificationConfig.ApiKeyVerification("Authorization", new Secret("Bearer x"));

        var result =
                Verifier.check(
                        config,
                        inbound(
                                "",
                                SIGNED_AT_SECONDS,
                                new byte[0],
                                List.of("AUTHORIZATION: " + value)));

        assertThat(result instanceof VerificationResult.VerificationPassed).isEqualTo(isGood);
    }

    @Test
    void nothing_passes_what_cannot_be_read() {
        assertThat(
                        reason(
                                of(WebhookProvider.GITLAB)
                                        .with(new VerificationConfig.UnreadableVerification())
                                        .check()))
                .isEqualTo(VerificationReason.CONFIG_UNREADABLE);
    }

    @Test
    void an_empty_secret_matches_nothing() {
        for (var provider : WebhookProvider.values()) {
            if (provider != WebhookProvider.GITLAB) {
                assertThat(of(provider).with(convention(provider, "")).check())
                        .isInstanceOf(VerificationResult.VerificationFailed.class);
            }
        }
        assertThat(
                        of(WebhookProvider.STANDARD_WEBHOOKS)
                                .with(convention(WebhookProvider.STANDARD_WEBHOOKS, "whsec_"))
                                .check())
                .isInstanceOf(VerificationResult.VerificationFailed.class);
    }

    @Test
    void the_numbers_of_reasons_are_their_places() {
        assertThat(Arrays.stream(VerificationReason.values()))
                .allMatch(reason -> VerificationReason.fromNumber(reason.number()) == reason);
    }
}
