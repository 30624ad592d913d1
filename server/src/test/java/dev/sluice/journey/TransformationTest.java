package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Tests the request that a destination receives after a connection's transformation.
class TransformationTest {

    private static final String MERGE_TRANSFORMATION =
            "{'merge_body_fields': {'env': 'test', 'n': 1.50}}";

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    @AutoClose private final Receiver receiver = Receiver.start();

    @Test
    void headers_are_renamed_removed_and_set() {
        var source =
                connected(
                        "Caf\u00e9",
                        ", 'custom_headers': {'X-Custom': 'c'}",
                        "{'rename_headers': [{'from': 'x-topic', 'to': 'X-Kind'}],"
                                + " 'remove_headers': ['User-Agent', 'x-custom'],"
                                + " 'set_headers': [{'name': 'X-About', 'value':"
                                + " '{{event.id}}|{{source.name}}|{{timestamp}}'}]}");
        var before = Instant.now();

        var event =
                api.send(
                        api.anonymous(source.text("ingest_path"))
                                .header("X-Topic", "orders")
                                .POST(HttpRequest.BodyPublishers.ofString("{}")));
        EventReader.delivery(api, event, "succeeded");

        var received = receiver.requests().getFirst();
        assertThat(received.values("X-Kind")).containsExactly("orders");
        assertThat(received.values("X-Topic")).isEmpty();
        assertThat(received.values("User-Agent")).isEmpty();
        assertThat(received.values("X-Custom")).isEmpty();
        assertThat(received.values("X-Service-Event-Id")).containsExactly(event.text("request_id"));
        var about = utf8(received.values("X-About").getFirst()).split("\\|", -1);
        assertThat(about[0]).isEqualTo(event.text("request_id"));
        assertThat(about[1]).isEqualTo("Caf\u00e9");
        assertThat(Instant.parse(about[2])).isBetween(before.minusMillis(1), Instant.now());
    }

    @Test
    void fields_are_merged_and_no_other_byte_of_the_body_changes() {
        var source = connected("s", "", MERGE_TRANSFORMATION);

        ingest(source, "{ \"id\":12345678901234567890.10, \"env\" : [1,2] ,\"u\":\"\\u00e9\" }");

        assertThat(received())
                .isEqualTo(
                        "{ \"id\":12345678901234567890.10, \"env\" : \"test\" ,\"u\":\"\\u00e9\""
                                + ",\"n\":1.50 }");
        assertThat(receiver.requests().getFirst().values("Content-Length"))
                .containsExactly(Integer.toString(received().length()));
    }

    @Test
    void the_event_keeps_what_came_in() {
        var source = connected("s", "", MERGE_TRANSFORMATION);

        var event = ingest(source, "{\"env\":\"live\"}");

        assertThat(EventReader.detail(api, event).path("body").asString())
                .isEqualTo("{\"env\":\"live\"}");
    }

    @Test
    void the_signature_is_valid_over_the_transformed_body() throws GeneralSecurityException {
        var source =
                connected(
                        "s",
                        ", 'auth_config': {'type': 'hmac', 'secret': 'topsecret'}",
                        MERGE_TRANSFORMATION);

        ingest(source, "{\"a\":1}");

        var receivedRequest = receiver.requests().getFirst();
        var mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec("topsecret".getBytes(UTF_8), "HmacSHA256"));
        String signed = receivedRequest.values("X-Service-Timestamp").getFirst() + "." + received();
        assertThat(received()).isEqualTo("{\"a\":1,\"env\":\"test\",\"n\":1.50}");
        assertThat(receivedRequest.values("X-Service-Signature"))
                .containsExactly(
                        HexFormat.of().formatHex(mac.doFinal(signed.getBytes(ISO_8859_1))));
    }

    @Test
    void a_body_that_is_not_json_goes_out_byte_for_byte_with_its_headers_changed() {
        var source =
                connected(
                        "s",
                        "",
                        "{'merge_body_fields': {'a': 1},"
                                + " 'set_headers': [{'name': 'X-Set', 'value': 'yes'}]}");

        ingest(source, "a=1&b=2");

        assertThat(received()).isEqualTo("a=1&b=2");
        assertThat(receiver.requests().getFirst().values("X-Set")).containsExactly("yes");
    }

    @Test
    void a_list_is_left_alone() {
        var source = connected("s", "", MERGE_TRANSFORMATION);

        ingest(source, "[{\"a\":1}]");

        assertThat(received()).isEqualTo("[{\"a\":1}]");
    }

    @Test
    void a_compressed_body_goes_out_byte_for_byte() throws IOException {
        var source = connected("s", "", MERGE_TRANSFORMATION);
        var bytes = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bytes)) {
            gzip.write("{\"a\":1}".getBytes(UTF_8));
        }

        var event =
                api.send(
                        api.anonymous(source.text("ingest_path"))
                                .header("Content-Encoding", "gzip")
                                .POST(HttpRequest.BodyPublishers.ofByteArray(bytes.toByteArray())));
        EventReader.delivery(api, event, "succeeded");

        assertThat(received().getBytes(ISO_8859_1)).isEqualTo(bytes.toByteArray());
    }

    @Test
    void a_header_that_cannot_be_sent_ends_the_delivery_with_a_reason() {
        var source =
                connected(
                        "one line",
                        "",
                        "{'set_headers': [{'name': 'X-From', 'value': '{{source.name}}'}]}");
        sluice.saveSourceName(source.text("id"), "two\nlines");
        api.source("another, whose creation loads the name");

        var event = api.ingest(source.text("ingest_path"), "{}");
        var delivery = EventReader.delivery(api, event, "failed");

        var attempt = delivery.path("attempts").get(0);
        assertThat(attempt.path("error_code").asString()).isEqualTo("transformation_failed");
        assertThat(attempt.path("error_message").asString()).contains("X-From");
        assertThat(delivery.path("reason").asString())
                .isEqualTo(
                        "Failed: "
                                + attempt.path("error_message").asString()
                                + ". Resend it once this is fixed.");
        assertThat(receiver.requests()).isEmpty();
    }

    private ApiClient.ApiResponse connected(String name, String more, String transformation) {
        var source = api.source(name);
        var connection =
                api.post(
                        "/api/v1/connections",
                        "{'source_id': '%s', 'destination_id': '%s', 'transformation': %s}"
                                .formatted(
                                        source.text("id"),
                                        api.destination(receiver.url(), more).text("id"),
                                        transformation));
        assertThat(connection.status()).as(connection.body()).isEqualTo(201);
        return source;
    }

    private static ApiClient.ApiResponse ingest(ApiClient.ApiResponse source, String body) {
        var event = api.ingest(source.text("ingest_path"), body);
        EventReader.delivery(api, event, "succeeded");
        return event;
    }

    private String received() {
        assertThat(receiver.requests()).hasSize(1);
        return receiver.requests().getFirst().body();
    }

    private static String utf8(String latin1) {
        return new String(latin1.getBytes(ISO_8859_1), UTF_8);
    }
}
