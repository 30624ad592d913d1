package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ProviderSdks;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.http.HttpRequest;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Tests verification against the providers' own libraries: it accepts what they sign or accept,
/// and nothing else.
class ProviderSdkTest {

    private static final String BASE_URL = "https://relay.example";
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String BODY = "{\"id\": \"evt_1\", \"name\": \"Zoë ♥ 𝄞\"}\r\n";

    @AutoClose private static final ProviderSdks sdks = ProviderSdks.start();

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_BASE_URL", BASE_URL));

    private static final ApiClient api = sluice.api();

    @ParameterizedTest
    @CsvSource({
        "payments, provider_payments",
        "code_host, provider_code_host",
        "standard_webhooks, standard_webhooks",
    })
    void what_the_senders_library_signs_is_verified(String ask, String provider) {
        var source = source("'provider': '" + provider + "', 'secret': '" + SECRET + "'");
        var headers = sdks.sign(ask, question(SECRET));

        verified(source, send(source, "", BODY, headers));
        refused(source, send(source, "", BODY.strip(), headers));
        refused(source, send(source, "", BODY, sdks.sign(ask, question(SECRET.replace('M', 'N')))));
    }

    @Test
    void a_secret_that_was_replaced_is_good_as_the_previous_one() {
        var source =
                source(
                        "'provider': 'provider_payments', 'secret': 'whsec_next',"
                                + " 'previous_secret': '"
                                + SECRET
                                + "'");

        verified(source, send(source, "", BODY, sdks.sign("payments", question(SECRET))));
        verified(source, send(source, "", BODY, sdks.sign("payments", question("whsec_next"))));
    }

    @ParameterizedTest
    @CsvSource({"payments, provider_payments", "standard_webhooks, standard_webhooks"})
    void what_was_signed_ten_minutes_ago_is_refused(String ask, String provider) {
        var source = source("'provider': '" + provider + "', 'secret': '" + SECRET + "'");
        var old =
                Map.of(
                        "secret",
                        SECRET,
                        "body",
                        BODY,
                        "id",
                        "msg_1",
                        "timestamp",
                        Instant.now().getEpochSecond() - 600);

        refused(source, send(source, "", BODY, sdks.sign(ask, old)));
    }

    @Test
    void the_shops_library_and_we_agree() throws GeneralSecurityException {
        var source = source("'provider': 'provider_commerce', 'secret': '" + SECRET + "'");
        String good = Base64.getEncoder().encodeToString(hmac(SECRET, BODY));
        String bad = Base64.getEncoder().encodeToString(hmac("another", BODY));

        assertThat(sdks.verify("commerce_judges", judged(SECRET, good))).isTrue();
        assertThat(sdks.verify("commerce_judges", judged(SECRET, bad))).isFalse();
        verified(source, send(source, "", BODY, Map.of("X-Shopify-Hmac-Sha256", good)));
        refused(source, send(source, "", BODY, Map.of("X-Shopify-Hmac-Sha256", bad)));
    }

    @Test
    void paddles_library_and_we_agree() throws GeneralSecurityException {
        var source = source("'provider': 'paddle', 'secret': '" + SECRET + "'");
        long now = Instant.now().getEpochSecond();
        String good =
                "ts=" + now + ";h1=" + HexFormat.of().formatHex(hmac(SECRET, now + ":" + BODY));
        String bad =
                "ts=" + now + ";h1=" + HexFormat.of().formatHex(hmac(SECRET, now + "." + BODY));

        assertThat(sdks.verify("paddle_judges", judged(SECRET, good))).isTrue();
        assertThat(sdks.verify("paddle_judges", judged(SECRET, bad))).isFalse();
        verified(source, send(source, "", BODY, Map.of("Paddle-Signature", good)));
        refused(source, send(source, "", BODY, Map.of("Paddle-Signature", bad)));
    }

    @Test
    void discords_library_and_we_agree() throws GeneralSecurityException {
        var pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        byte[] encoded = pair.getPublic().getEncoded();
        String publicKey = HexFormat.of().formatHex(encoded, encoded.length - 32, encoded.length);
        var source = source("'provider': 'discord', 'public_key': '" + publicKey + "'");
        long now = Instant.now().getEpochSecond();
        String good = ed25519(pair.getPrivate(), now + BODY);
        String bad = ed25519(pair.getPrivate(), now + BODY + " ");

        for (String signature : new String[] {good, bad}) {
            boolean isGood =
                    sdks.verify(
                            "discord_judges",
                            Map.of(
                                    "secret",
                                    publicKey,
                                    "body",
                                    BODY,
                                    "timestamp",
                                    now,
                                    "signature",
                                    signature));
            var answer =
                    send(
                            source,
                            "",
                            BODY,
                            Map.of(
                                    "X-Signature-Ed25519",
                                    signature,
                                    "X-Signature-Timestamp",
                                    Long.toString(now)));
            assertThat(isGood).isEqualTo(signature.equals(good));
            assertThat(answer.status()).isEqualTo(isGood ? 200 : 401);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {"version":1,"type":0}               | 204 | ``
                    {"id":"1","type":1}                  | 200 | {"type":1}
                    {"version":1,"type":1,"event":{}}    | 200 | {"status":"SUCCESS"
                    {"id":"1","type":2}                  | 200 | {"status":"SUCCESS"
                    """)
    void discords_pings_are_answered(String body, int status, String answerBegins)
            throws GeneralSecurityException {
        var pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        byte[] encoded = pair.getPublic().getEncoded();
        String publicKey = HexFormat.of().formatHex(encoded, encoded.length - 32, encoded.length);
        var source = source("'provider': 'discord', 'public_key': '" + publicKey + "'");
        String now = Long.toString(Instant.now().getEpochSecond());

        var answer =
                send(
                        source,
                        "",
                        body,
                        Map.of(
                                "X-Signature-Ed25519",
                                ed25519(pair.getPrivate(), now + body),
                                "X-Signature-Timestamp",
                                now));

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.body()).startsWith(answerBegins);
        assertThat(newest(source)).contains("\"verification_status\":\"verified\"");
    }

    @Test
    void twilio_signs_our_public_url_with_the_forms_fields() {
        var source = source("'provider': 'twilio', 'secret': 'token'");
        String url = BASE_URL + source.text("ingest_path") + "?from=a%20b";
        var signed =
                sdks.sign(
                        "twilio_form",
                        Map.of(
                                "secret",
                                "token",
                                "url",
                                url,
                                "form",
                                Map.of("To", "+1800", "Body", "Zoë & ♥", "empty", "")));
        var headers = new HashMap<>(signed);
        headers.put("Content-Type", "application/x-www-form-urlencoded");
        String form = "To=%2B1800&Body=Zo%C3%AB+%26+%E2%99%A5&empty=";

        verified(source, send(source, "?from=a%20b", form, headers));
        refused(source, send(source, "?from=a%20c", form, headers));
        refused(source, send(source, "?from=a%20b", form.replace("1800", "1801"), headers));
    }

    @Test
    void twilio_signs_json_by_its_hash_in_the_url() {
        var source = source("'provider': 'twilio', 'secret': 'token'");
        String hash = sdks.answer("twilio_body_hash", Map.of("body", BODY)).path("hash").asString();
        String query = "?bodySHA256=" + hash;
        var signed =
                sdks.sign(
                        "twilio_form",
                        Map.of(
                                "secret",
                                "token",
                                "url",
                                BASE_URL + source.text("ingest_path") + query,
                                "form",
                                Map.of()));

        verified(source, send(source, query, BODY, signed));
        refused(source, send(source, query, BODY + " ", signed));
        refused(source, send(source, "", BODY, signed));
    }

    private static Map<String, Object> question(String secret) {
        return Map.of(
                "secret",
                secret,
                "body",
                BODY,
                "id",
                "msg_1",
                "timestamp",
                Instant.now().getEpochSecond());
    }

    private static Map<String, Object> judged(String secret, String signature) {
        return Map.of("secret", secret, "body", BODY, "signature", signature);
    }

    private static byte[] hmac(String secret, String text) throws GeneralSecurityException {
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
        return mac.doFinal(text.getBytes(UTF_8));
    }

    private static String ed25519(PrivateKey key, String text) throws GeneralSecurityException {
        var signature = Signature.getInstance("Ed25519");
        signature.initSign(key);
        signature.update(text.getBytes(UTF_8));
        return HexFormat.of().formatHex(signature.sign());
    }

    /// @param config the fields of `verification_config`; single quotes are replaced by double
    ///   quotes
    private static ApiClient.ApiResponse source(String config) {
        var source =
                api.post(
                        "/api/v1/sources",
                        "{'name': 's', 'verification_config': {" + config + "}}");
        assertThat(source.status()).as(source.body()).isEqualTo(201);
        return source;
    }

    private static ApiClient.ApiResponse send(
            ApiClient.ApiResponse source, String query, String body, Map<String, String> headers) {
        var request = api.anonymous(source.text("ingest_path") + query);
        headers.forEach(request::header);
        return api.send(request.POST(HttpRequest.BodyPublishers.ofString(body, UTF_8)));
    }

    private static void verified(ApiClient.ApiResponse source, ApiClient.ApiResponse answer) {
        assertThat(answer.status()).as(answer.body() + newest(source)).isEqualTo(200);
        assertThat(newest(source)).contains("\"verification_status\":\"verified\"");
    }

    private static void refused(ApiClient.ApiResponse source, ApiClient.ApiResponse answer) {
        assertThat(answer.status()).isEqualTo(401);
        assertThat(newest(source)).contains("\"verification_status\":\"failed\"");
    }

    private static String newest(ApiClient.ApiResponse source) {
        return api.get("/api/v1/events?limit=1&source_id=" + source.text("id")).body();
    }
}
