package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.RawHttp;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Tests the requests that a destination receives.
class DeliveryTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    @AutoClose private final Receiver receiver = Receiver.start();

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE"})
    void whatever_came_in_goes_out_as_a_post_to_the_destinations_url(String method) {
        var source = connected("?a=b", "");

        wire(source, method, "Content-Length: 2\r\n", "{}");

        assertThat(received().line()).isEqualTo("POST /hook?a=b HTTP/1.1");
        assertThat(received().body()).isEqualTo("{}");
    }

    @Test
    void headers_go_out_as_they_came_in_but_for_those_of_the_connection() {
        var source = connected("", "");

        wire(
                source,
                "POST",
                String.join(
                        "\r\n",
                        "X-First: 1",
                        "x-lower: 2",
                        "Content-Type: text/Plain;charset=x",
                        "X-Repeat: a",
                        "x-repeat: b",
                        "X-Latin: caf\u00e9",
                        "X-Empty:",
                        "Authorization: Bearer of-the-sender",
                        "Cookie: session=1",
                        "Accept-Encoding: br",
                        "Forwarded: for=1.2.3.4",
                        "X-Forwarded-For: 1.2.3.4",
                        "X-Forwarded-Anything: 1",
                        "X-Real-IP: 1.2.3.4",
                        "Via: 1.1 proxy",
                        "Keep-Alive: timeout=5",
                        "TE: trailers",
                        "Proxy-Authorization: Basic eA==",
                        "X-Named: in Connection",
                        "X-Service-Signature: forged",
                        "X-Service-Event-Id: forged",
                        "X-Service-Attempt: 9",
                        "X-Last: 9",
                        "Content-Length: 2",
                        ""),
                "{}");

        var sent =
                received().headers().stream()
                        .filter(header ->
                                !header.startsWith("X-Service-")
                                        && !header.startsWith("User-Agent:")
                                        && !header.startsWith("Host:")
                                        && !header.startsWith("Content-Length:"))
                        .map(String::strip)
                        .toList();
        assertThat(sent)
                .containsExactly(
                        "X-First: 1",
                        "x-lower: 2",
                        "Content-Type: text/Plain;charset=x",
                        "X-Repeat: a",
                        "x-repeat: b",
                        "X-Latin: caf\u00e9",
                        "X-Empty:",
                        "Authorization: Bearer of-the-sender",
                        "X-Last: 9");
        assertThat(received().values("Host")).containsExactly("127.0.0.1:" + receiver.port());
        assertThat(received().values("Content-Length")).containsExactly("2");
    }

    @Test
    void every_delivery_says_which_event_delivery_and_attempt_it_is() {
        var source = connected("", "");

        var event = api.ingest(source.text("ingest_path"), "{}");

        assertThat(received().values("X-Service-Event-Id"))
                .containsExactly(event.text("request_id"));
        assertThat(received().values("X-Service-Delivery-Id"))
                .containsExactly(EventReader.delivery(api, event).path("id").asString());
        assertThat(received().values("X-Service-Attempt")).containsExactly("1");
        assertThat(received().values("X-Service-Hop")).containsExactly("1");
        assertThat(received().values("X-Service-Signature")).isEmpty();
        assertThat(received().values("X-Service-Timestamp")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE"})
    void a_delivery_is_a_post_and_names_the_method_of_the_webhook(String method) {
        var source = connected("", "");

        api.send(
                api.anonymous(source.text("ingest_path") + "?query=ignored")
                        .header("X-Service-Method", "FORGED")
                        .method(method, HttpRequest.BodyPublishers.ofString("{}")));

        assertThat(received().line()).startsWith("POST ").doesNotContain("ignored");
        assertThat(received().values("X-Service-Method")).containsExactly(method);
    }

    @Test
    void a_retry_still_names_the_method_of_the_webhook() {
        receiver.willAnswer(503, 200);
        var source = connected("", ", 'retry_policy': {'intervals_seconds': [1]}");

        api.send(
                api.anonymous(source.text("ingest_path"))
                        .PUT(HttpRequest.BodyPublishers.ofString("{}")));

        await().until(() -> receiver.requests().size() == 2);
        assertThat(receiver.requests().getLast().values("X-Service-Method")).containsExactly("PUT");
    }

    @Test
    void the_body_goes_out_byte_for_byte() {
        var source = connected("", "");
        var bytes = new byte[256];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        String body = new String(bytes, ISO_8859_1);

        wire(source, "POST", "Content-Length: 256\r\n", body);

        assertThat(received().body()).isEqualTo(body);
    }

    @Test
    void a_body_of_one_mebibyte_goes_out_whole() {
        var source = connected("", "");
        String body = "0123456789abcdef".repeat(65_536);

        api.ingest(source.text("ingest_path"), body);

        assertThat(received().body()).isEqualTo(body);
    }

    @Test
    void custom_headers_replace_those_that_came_in_whatever_their_case() {
        var source =
                connected(
                        "",
                        ", 'custom_headers': {'X-Tenant': 'acme', 'content-type': 'text/plain'}");

        wire(
                source,
                "POST",
                "x-tenant: forged\r\nContent-Type: application/json\r\nContent-Length: 2\r\n",
                "{}");

        assertThat(received().values("X-Tenant")).containsExactly("acme");
        assertThat(received().values("Content-Type")).containsExactly("text/plain");
    }

    @Test
    void hmac_signs_timestamp_and_body() throws GeneralSecurityException {
        var source = connected("", ", 'auth_config': {'type': 'hmac', 'secret': 'sécret'}");

        api.ingest(source.text("ingest_path"), "{\"a\":1}");

        String timestamp = received().values("X-Service-Timestamp").getFirst();
        assertThat(Instant.ofEpochSecond(Long.parseLong(timestamp)))
                .isBetween(Instant.now().minusSeconds(60), Instant.now());
        assertThat(received().values("X-Service-Signature"))
                .containsExactly(
                        HexFormat.of()
                                .formatHex(
                                        hmac("sécret".getBytes(UTF_8), timestamp + ".{\"a\":1}")));
    }

    @Test
    void hmac_signs_with_both_secrets_while_one_is_replaced() throws GeneralSecurityException {
        var source =
                connected(
                        "",
                        ", 'auth_config': {'type': 'hmac', 'secret': 'new', 'previous_secret':"
                                + " 'old'}");

        api.ingest(source.text("ingest_path"), "{}");

        String signed = received().values("X-Service-Timestamp").getFirst() + ".{}";
        assertThat(received().values("X-Service-Signature"))
                .containsExactly(
                        HexFormat.of().formatHex(hmac("new".getBytes(UTF_8), signed))
                                + ","
                                + HexFormat.of().formatHex(hmac("old".getBytes(UTF_8), signed)));
    }

    @Test
    void standard_webhooks_signs_id_timestamp_and_body() throws GeneralSecurityException {
        var source =
                connected(
                        "",
                        ", 'auth_config': {'type': 'standard_webhooks', 'secret':"
                                + " 'v1,whsec_c2VjcmV0IG9mIHRoZSB0ZXN0IQ=='}");

        var event = api.ingest(source.text("ingest_path"), "{}");

        String id = event.text("request_id");
        String timestamp = received().values("webhook-timestamp").getFirst();
        assertThat(received().values("webhook-id")).containsExactly(id);
        assertThat(received().values("webhook-signature"))
                .containsExactly(
                        "v1,"
                                + Base64.getEncoder()
                                        .encodeToString(
                                                hmac(
                                                        "secret of the test!".getBytes(UTF_8),
                                                        id + "." + timestamp + ".{}")));
    }

    @Test
    void an_api_key_goes_in_the_header_of_its_name_instead_of_any_other() {
        var source =
                connected(
                        "",
                        ", 'custom_headers': {'x-key': 'custom'}, 'auth_config': {'type':"
                                + " 'api_key', 'header': 'X-Key', 'key': 'real'}");

        wire(source, "POST", "X-KEY: forged\r\nContent-Length: 2\r\n", "{}");

        assertThat(received().values("X-Key")).containsExactly("real");
    }

    @Test
    void basic_auth_replaces_the_senders_authorization() {
        var source =
                connected(
                        "",
                        ", 'auth_config': {'type': 'basic_auth', 'username': 'Aladdin',"
                                + " 'password': 'open sesame'}");

        wire(source, "POST", "authorization: Bearer x\r\nContent-Length: 2\r\n", "{}");

        assertThat(received().values("Authorization"))
                .containsExactly("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    }

    @Test
    void changed_auth_counts_for_the_next_delivery() {
        var source = api.source("s");
        var destination =
                api.destination(
                        receiver.url(),
                        ", 'auth_config': {'type': 'api_key', 'header': 'X-Key', 'key': 'old'}");
        api.connect(source, destination);

        api.patch("/api/v1/destinations/" + destination.text("id"), "{'name': 'kept'}");
        api.ingest(source.text("ingest_path"), "{}");
        assertThat(received().values("X-Key")).containsExactly("old");
        api.patch("/api/v1/destinations/" + destination.text("id"), "{'auth_config': null}");
        api.ingest(source.text("ingest_path"), "{}");

        await().untilAsserted(() -> assertThat(receiver.requests()).hasSize(2));
        assertThat(receiver.requests().get(1).values("X-Key")).isEmpty();
    }

    @Test
    void each_destination_of_a_source_gets_each_event() throws IOException {
        try (var other = Receiver.start()) {
            var source = connected("", "");
            api.connect(source, api.destination(other.url(), ""));

            api.ingest(source.text("ingest_path"), "1");
            api.ingest(source.text("ingest_path"), "2");

            for (var each : List.of(receiver, other)) {
                await().untilAsserted(() ->
                        assertThat(each.requests().stream().map(Receiver.ReceivedRequest::body))
                                .containsExactlyInAnyOrder("1", "2"));
            }
        }
    }

    @Test
    void a_slow_destination_does_not_hold_up_another() throws IOException {
        try (var slow = Receiver.start()) {
            slow.willDo(new Receiver.ScriptedResponse("", Receiver.ConnectionAction.STALL));
            var source = connected("", "");
            api.connect(source, api.destination(slow.url(), ", 'max_in_flight': 1"));

            for (int i = 0; i < 20; i++) {
                api.ingest(source.text("ingest_path"), "{}");
            }

            await().untilAsserted(() -> assertThat(receiver.requests()).hasSize(20));
            assertThat(slow.requests()).hasSize(1);
        }
    }

    /// Makes a source with a connection to the receiver.
    private ApiClient.ApiResponse connected(String query, String more) {
        var source = api.source("s");
        api.connect(source, api.destination(receiver.url() + query, more));
        return source;
    }

    private Receiver.ReceivedRequest received() {
        await().untilAsserted(() -> assertThat(receiver.requests()).isNotEmpty());
        return receiver.requests().getFirst();
    }

    private static void wire(
            ApiClient.ApiResponse source, String method, String headers, String body) {
        var answer =
                RawHttp.send(
                        sluice.port(),
                        method
                                + " "
                                + source.text("ingest_path")
                                + " HTTP/1.1\r\nHost: h\r\nConnection: close, x-named\r\n"
                                + headers
                                + "\r\n"
                                + body);
        assertThat(answer.status()).isEqualTo(200);
    }

    private static byte[] hmac(byte[] key, String signed) throws GeneralSecurityException {
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(signed.getBytes(UTF_8));
    }
}
