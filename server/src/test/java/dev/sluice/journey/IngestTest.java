package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

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
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;

class IngestTest {

    private static final int MIB = 1_048_576;

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    @Test
    void an_accepted_webhook_is_answered_with_its_id() {
        var source = api.source("s");

        var answer = api.ingest(source.text("ingest_path"), "{\"a\":1}");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Content-Type")).hasValue("application/json; charset=utf-8");
        assertThat(answer.json().propertyNames())
                .containsExactly("status", "message", "request_id");
        assertThat(answer.text("status")).isEqualTo("SUCCESS");
        assertThat(answer.text("message")).isEqualTo("Event accepted");
        assertThat(answer.text("request_id"))
                .matches("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE"})
    void these_methods_are_taken_in(String method) {
        var source = api.source("s");

        var answer = send(source, method, "x");

        assertThat(answer.status()).isEqualTo(200);
        var event = EventReader.detail(api, answer);
        assertThat(event.path("method").asString()).isEqualTo(method);
        assertThat(event.path("body").asString()).isEqualTo("x");
    }

    @Test
    void an_empty_body_without_a_type_is_taken_in() {
        var source = api.source("s");

        var answer = wire(source, "DELETE", "Host: h", "", "");

        assertThat(answer.status()).isEqualTo(200);
        var event = event(answer);
        assertThat(event.path("content_type").isNull()).isTrue();
        assertThat(event.path("body_size").asInt(-1)).isZero();
        assertThat(event.path("body").asString()).isEmpty();
        assertThat(event.has("body_base64")).isFalse();
    }

    @Test
    void the_query_is_accepted_and_ignored() {
        var source = api.source("s");

        assertThat(api.ingest(source.text("ingest_path") + "?a=b&c=%20", "{}").status())
                .isEqualTo(200);
    }

    @Test
    void a_slash_at_the_end_of_the_url_makes_no_difference() {
        var source = api.source("s");
        String path = source.text("ingest_path") + "/";

        assertThat(api.ingest(path, "{}").status()).isEqualTo(200);
        assertThat(api.ingest(path + "?a=b", "{}").status()).isEqualTo(200);
        assertThat(api.send(api.anonymous(path).GET()).status()).isEqualTo(200);
        assertThat(api.ingest(path + "/", "{}").status()).isEqualTo(400); // an empty segment
        assertThat(api.ingest(path + "x", "{}").status()).isEqualTo(404);
        assertThat(api.ingest("/in/", "{}").status()).isEqualTo(404);
    }

    @Test
    void exactly_one_mebibyte_is_taken_in() {
        var source = api.source("s");

        var answer = send(source, "POST", "x".repeat(MIB));

        assertThat(answer.status()).isEqualTo(200);
        assertThat(EventReader.detail(api, answer).path("body_size").asInt()).isEqualTo(MIB);
        assertThat(EventReader.detail(api, answer).path("body").asString()).hasSize(MIB);
    }

    @Test
    void one_byte_more_is_413_by_its_declared_length_and_nothing_is_stored() {
        var source = api.source("s");

        var answer = wire(source, "POST", "Host: h", "Content-Length: " + (MIB + 1) + "\r\n", "");

        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.body()).contains("\"code\":\"payload_too_large\"");
        nothingIsStored(source);
    }

    @Test
    void one_byte_more_is_413_in_chunks_and_nothing_is_stored() {
        var source = api.source("s");

        var answer =
                wire(
                        source,
                        "POST",
                        "Host: h",
                        "Transfer-Encoding: chunked\r\n",
                        "100001\r\n" + "x".repeat(MIB + 1) + "\r\n0\r\n\r\n");

        assertThat(answer.status()).isEqualTo(413);
        nothingIsStored(source);
    }

    @Test
    void a_sender_that_sends_too_much_first_and_listens_then_reads_413() {
        var source = api.source("s");

        for (int i = 0; i < 10; i++) {
            assertThat(send(source, "POST", "x".repeat(MIB + 1)).status()).isEqualTo(413);
        }
    }

    @Test
    void a_chunked_body_of_one_mebibyte_is_taken_in() {
        var source = api.source("s");

        var answer =
                wire(
                        source,
                        "POST",
                        "Host: h",
                        "Transfer-Encoding: chunked\r\n",
                        "80000\r\n"
                                + "x".repeat(MIB / 2)
                                + "\r\n80000\r\n"
                                + "y".repeat(MIB / 2)
                                + "\r\n0\r\n\r\n");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(event(answer).path("body_size").asInt()).isEqualTo(MIB);
    }

    @Test
    void a_body_that_ends_too_soon_is_not_stored() throws IOException {
        var source = api.source("s");

        try (var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), sluice.port())) {
            socket.getOutputStream()
                    .write(
                            ("POST "
                                            + source.text("ingest_path")
                                            + " HTTP/1.1\r\n"
                                            + "Host: h\r\n"
                                            + "Content-Length: 10\r\n\r\n"
                                            + "half")
                                    .getBytes(ISO_8859_1));
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
        }

        nothingIsStored(source);
    }

    @Test
    void a_get_shows_a_plain_page() {
        var source = api.source("s");

        var page = api.send(api.anonymous(source.text("ingest_path") + "?hub.challenge=x").GET());

        assertThat(page.status()).isEqualTo(200);
        assertThat(page.header("Content-Type")).hasValue("text/html; charset=utf-8");
        assertThat(page.header("Content-Security-Policy")).hasValue("default-src 'none'; sandbox");
        assertThat(page.body())
                .contains("It accepts webhooks sent with POST, PUT, PATCH or DELETE");
        nothingIsStored(source);
    }

    @Test
    void a_head_answers_as_a_get_without_the_page() {
        var source = api.source("s");
        var get = api.send(api.anonymous(source.text("ingest_path")).GET());

        var head = wire(source, "HEAD", "Host: h", "", "");

        assertThat(head.status()).isEqualTo(200);
        assertThat(head.values("Content-Type")).containsExactly("text/html; charset=utf-8");
        assertThat(head.values("Content-Length"))
                .containsExactly(Integer.toString(get.body().length()));
    }

    @Test
    void a_subscriptions_challenge_is_echoed() {
        var source = api.source("s");

        var answer =
                api.send(
                        api.anonymous(
                                        source.text("ingest_path")
                                                + "?hub.mode=subscribe&hub.topic=t"
                                                + "&hub.challenge=%3Cb%3Ea+b%C3%BC")
                                .GET());

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Content-Type")).hasValue("text/plain; charset=utf-8");
        assertThat(answer.header("X-Content-Type-Options")).hasValue("nosniff");
        assertThat(answer.body()).isEqualTo("<b>a bü");
    }

    @Test
    void a_challenge_without_subscribing_is_not_echoed() {
        var source = api.source("s");

        var answer =
                api.send(
                        api.anonymous(
                                        source.text("ingest_path")
                                                + "?hub.mode=denied&hub.challenge=secret")
                                .GET());

        assertThat(answer.body()).doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"OPTIONS", "TRACE", "BREW"})
    void other_methods_are_405(String method) {
        var source = api.source("s");

        var answer = wire(source, method, "Host: h", "", "");

        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.values("Allow")).containsExactly("GET, HEAD, POST, PUT, PATCH, DELETE");
        assertThat(answer.body()).contains("\"code\":\"method_not_allowed\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/in/", "/in/nobody", "/in/nobody/more", "/in"})
    void an_unknown_token_is_404(String path) {
        assertThat(api.ingest(path, "{}").status()).isEqualTo(404);
        assertThat(api.ingest(path, "{}").errorCode()).isEqualTo("not_found");
        assertThat(api.send(api.anonymous(path).GET()).status()).isEqualTo(404);
    }

    private record ListedHeader(String name, String value) {}

    @Test
    void headers_are_kept_byte_for_byte_in_order_with_their_case_and_repeats() {
        var source = api.source("s");

        var answer =
                wire(
                        source,
                        "POST",
                        "host: h",
                        String.join(
                                "\r\n",
                                "content-type: Application/JSON",
                                "X-UPPER: 1",
                                "x-lower: 2",
                                "accept: */*",
                                "USER-AGENT: curl",
                                "Set: a",
                                "sET: b",
                                "X-Latin: caf\u00e9",
                                "X-Utf8: caf\u00c3\u00a9",
                                "X-Empty:",
                                "X-Padded: \t  in  between \t ",
                                "content-length: 2",
                                ""),
                        "{}");

        assertThat(answer.status()).isEqualTo(200);
        var event = event(answer);
        assertThat(
                        event.path("header_list")
                                .valueStream()
                                .map((JsonNode header) ->
                                        new ListedHeader(
                                                header.path("name").asString(),
                                                header.path("value").asString())))
                .containsExactly(
                        new ListedHeader("host", "h"),
                        new ListedHeader("connection", "close"),
                        new ListedHeader("content-type", "Application/JSON"),
                        new ListedHeader("X-UPPER", "1"),
                        new ListedHeader("x-lower", "2"),
                        new ListedHeader("accept", "*/*"),
                        new ListedHeader("USER-AGENT", "curl"),
                        new ListedHeader("Set", "a"),
                        new ListedHeader("sET", "b"),
                        new ListedHeader("X-Latin", "café"),
                        new ListedHeader("X-Utf8", "café"),
                        new ListedHeader("X-Empty", ""),
                        new ListedHeader("X-Padded", "in  between"),
                        new ListedHeader("content-length", "2"));
        assertThat(event.path("header_list").valueStream().filter(h -> h.has("value_base64")))
                .singleElement()
                .satisfies(header -> {
                    assertThat(header.path("name").asString()).isEqualTo("X-Latin");
                    assertThat(header.path("value_base64").binaryValue())
                            .isEqualTo("café".getBytes(ISO_8859_1));
                });
        assertThat(event.path("headers").path("Set").asString()).isEqualTo("a, b");
        assertThat(event.path("headers").has("sET")).isFalse();
        assertThat(event.path("content_type").asString()).isEqualTo("Application/JSON");
    }

    @Test
    void headers_that_come_in_several_pieces_and_requests_keep_their_case() throws IOException {
        var source = api.source("s");
        String request =
                "\r\nPOST "
                        + source.text("ingest_path")
                        + " HTTP/1.1\r\nhOST: h\r\nuSER-aGENT: a\r\nuser-agent: b\r\n"
                        + "cONTENT-lENGTH: 2\r\nx-long: "
                        + "y".repeat(10_000)
                        + "\r\n\r\n{}";

        try (var socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), sluice.port())) {
            socket.setTcpNoDelay(true);
            for (String piece : (request + request).split("(?<=[OEy])", -1)) {
                socket.getOutputStream().write(piece.getBytes(ISO_8859_1));
            }
            socket.shutdownOutput();
            String answers = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
            assertThat(answers.split("SUCCESS", -1)).hasSize(3);
        }

        var list = api.get("/api/v1/events?source_id=" + source.text("id")).json().path("items");
        for (var item : list) {
            var event = api.get("/api/v1/events/" + item.path("id").asString()).json();
            assertThat(
                            event.path("header_list")
                                    .valueStream()
                                    .map((JsonNode h) -> h.path("name").asString()))
                    .containsExactly(
                            "hOST", "uSER-aGENT", "user-agent", "cONTENT-lENGTH", "x-long");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Content-Type, text/html;charset=UTF-8",
        "content-type, text/html; charset=utf-8",
        "CONTENT-TYPE, TEXT/HTML;charset=\"utf-8\"",
        "Content-Type, text/plain;charset=ISO-8859-1",
        "Content-encoding, GZIP",
        "Accept-Encoding, 'gzip, deflate'",
        "cache-control, No-Cache",
        "Cookie, a=b; C=d",
        "Date, 'Tue, 15 Nov 1994 08:12:31 GMT'",
        "x-forwarded-for, 1.2.3.4",
        "Forwarded, for=1.2.3.4",
    })
    void a_well_known_header_is_kept_as_it_was_written(String name, String value) {
        var source = api.source("s");

        var answer =
                wire(
                        source,
                        "POST",
                        "Host: h",
                        name + ": " + value + "\r\nContent-Length: 0\r\n",
                        "");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(event(answer).path("headers").path(name).asString("absent")).isEqualTo(value);
    }

    @Test
    void a_nul_in_the_body_is_kept() {
        var source = api.source("s");

        var answer = send(source, "POST", "a\0b");

        assertThat(answer.status()).isEqualTo(200);
        var event = EventReader.detail(api, answer);
        assertThat(event.path("body").asString()).isEqualTo("a\0b");
        assertThat(event.path("body_size").asInt()).isEqualTo(3);
        assertThat(event.has("body_base64")).isFalse();
    }

    @Test
    void a_body_that_is_not_utf_8_is_shown_in_base64_too() {
        var source = api.source("s");

        var answer = wire(source, "POST", "Host: h", "Content-Length: 4\r\n", "a\u00ff\u0000b");

        var event = event(answer);
        assertThat(event.path("body_base64").asString()).isEqualTo("Yf8AYg==");
        assertThat(event.path("body").asString()).isEqualTo("a\ufffd\0b");
        assertThat(event.path("body_size").asInt()).isEqualTo(4);
    }

    @Test
    void a_relay_that_is_its_own_destination_stops_after_some_rounds() throws IOException {
        try (var receiver = Receiver.start()) {
            var source = api.source("loop");
            api.connect(source, api.destination(receiver.url(), ""));

            var fifth = withHops(source, "5");
            var sixth = withHops(source, "6");

            await().untilAsserted(() -> assertThat(receiver.requests()).hasSize(1));
            assertThat(receiver.requests().getFirst().values("X-Service-Hop")).containsExactly("6");
            assertThat(EventReader.delivery(api, fifth, "succeeded").path("attempt_count").asInt())
                    .isEqualTo(1);
            assertThat(EventReader.detail(api, sixth).path("deliveries")).isEmpty();
        }
    }

    private static ApiClient.ApiResponse withHops(ApiClient.ApiResponse source, String hops) {
        return api.send(
                api.anonymous(source.text("ingest_path"))
                        .header("X-Service-Hop", hops)
                        .POST(HttpRequest.BodyPublishers.ofString("{}")));
    }

    private static ApiClient.ApiResponse send(
            ApiClient.ApiResponse source, String method, String body) {
        return api.send(
                api.anonymous(source.text("ingest_path"))
                        .method(method, HttpRequest.BodyPublishers.ofString(body)));
    }

    /// @param host the `Host` line
    /// @param headers further header lines, each with its line end
    private static RawHttp.RawHttpResponse wire(
            ApiClient.ApiResponse source, String method, String host, String headers, String body) {
        return RawHttp.send(
                sluice.port(),
                method
                        + " "
                        + source.text("ingest_path")
                        + " HTTP/1.1\r\n"
                        + host
                        + "\r\nconnection: close\r\n"
                        + headers
                        + "\r\n"
                        + body);
    }

    private static JsonNode event(RawHttp.RawHttpResponse accepted) {
        assertThat(accepted.status()).isEqualTo(200);
        String id = JsonMapper.shared().readTree(accepted.body()).path("request_id").asString();
        return api.get("/api/v1/events/" + id).json();
    }

    private static void nothingIsStored(ApiClient.ApiResponse source) {
        assertThat(
                        api.get("/api/v1/events?source_id=" + source.text("id"))
                                .json()
                                .path("total")
                                .asInt(-1))
                .isZero();
    }
}
