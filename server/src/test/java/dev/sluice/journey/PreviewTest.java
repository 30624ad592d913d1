package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/// Tests the preview of what a connection would make of an event.
class PreviewTest {

    private static final String PREVIEW_PATH = "/api/v1/connections/preview";
    private static final String UNKNOWN_ID = "018f0000-0000-7000-8000-000000000000";
    private static final String PAID_FILTER =
            "{'operator':'and','rules':[{'path':'body.status','op':'eq','value':'paid'}]}";
    private static final String MERGE_TRANSFORMATION =
            "{'merge_body_fields':{'a':1.50},'set_headers':[{'name':'X-From','value':'{{source.name}}'}]}";

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    @AutoClose private static final Receiver receiver = Receiver.start();
    private static final ApiClient api = sluice.api();

    @Test
    void each_rule_says_whether_it_passes_and_what_it_found() {
        var preview =
                preview(
                        """
                        'destination_id': '%s',
                        'filter_rules': {'operator':'or','rules':[
                          {'path':'body.n','op':'gt','value':1.0},
                          {'operator':'and','rules':[{'path':'headers.x-a','op':'in','value':['2']},
                                                     {'path':'body.none','op':'ne','value':1}]}]},
                        'sample': {'headers':{'X-A':'1'},'body':'{\\"n\\":0.50}'}
                        """
                                .formatted(destination("").text("id")));

        assertThat(preview.path("passes").asBoolean()).isFalse();
        assertThat(preview.path("operator").asString()).isEqualTo("or");
        assertThat(preview.path("rules"))
                .hasToString(
                        "[{\"path\":\"body.n\",\"op\":\"gt\",\"value\":1.0,\"passes\":false,\"actual\":0.5},"
                            + "{\"passes\":false,\"operator\":\"and\",\"rules\":["
                            + "{\"path\":\"headers.x-a\",\"op\":\"in\",\"value\":[\"2\"],\"passes\":false,"
                            + "\"actual\":\"1\"},"
                            + "{\"path\":\"body.none\",\"op\":\"ne\",\"value\":1,\"passes\":true}]}]");
    }

    @Test
    void without_a_filter_everything_passes() {
        var preview =
                preview(
                        "'destination_id': '%s', 'sample': {}"
                                .formatted(destination("").text("id")));

        assertThat(preview.path("passes").asBoolean()).isTrue();
        assertThat(preview.path("rules")).isEmpty();
    }

    @Test
    void the_request_of_a_stored_event_is_the_one_that_was_sent() {
        var source = api.source("Shop");
        var connection = api.connect(source, destination(", 'custom_headers': {'X-Custom': 'c'}"));
        String id = connection.text("id");
        api.patch("/api/v1/connections/" + id, "{'transformation': " + MERGE_TRANSFORMATION + "}");
        var event = api.ingest(source.text("ingest_path"), "{\"caf\u00e9\":1}");
        EventReader.delivery(api, event, "succeeded");
        var sent = receiver.requests().getLast();

        var request =
                preview(
                                "'connection_id': '%s', 'event_id': '%s'"
                                        .formatted(id, event.text("request_id")))
                        .path("request");

        assertThat(request.path("method").asString()).isEqualTo("POST");
        assertThat(request.path("url").asString()).isEqualTo(receiver.url());
        assertThat(lines(request)).isEqualTo(sent.headers());
        assertThat(request.path("body").asString()).isEqualTo("{\"caf\u00e9\":1,\"a\":1.50}");
        assertThat(request.has("body_base64")).isFalse();
    }

    @Test
    void a_saved_filter_and_transformation_can_be_replaced_or_left_out() {
        var connection = api.connect(api.source("Shop"), destination(""));
        api.patch(
                "/api/v1/connections/" + connection.text("id"),
                "{'filter_rules': "
                        + PAID_FILTER
                        + ", 'transformation': "
                        + MERGE_TRANSFORMATION
                        + "}");
        String to = "'connection_id': '" + connection.text("id") + "', 'sample': {'body': '{}'}";

        var saved = preview(to);
        var replaced =
                preview(
                        to
                                + ", 'filter_rules': "
                                + PAID_FILTER.replace("eq", "ne")
                                + ", 'transformation': {'merge_body_fields':{'b':2}}");
        var cleared = preview(to + ", 'filter_rules': null, 'transformation': null");

        assertThat(saved.path("passes").asBoolean()).isFalse();
        assertThat(saved.path("request").path("body").asString()).isEqualTo("{\"a\":1.50}");
        assertThat(lines(saved.path("request"))).contains("X-From: Shop");
        assertThat(replaced.path("passes").asBoolean()).isTrue();
        assertThat(replaced.path("request").path("body").asString()).isEqualTo("{\"b\":2}");
        assertThat(cleared.path("passes").asBoolean()).isTrue();
        assertThat(cleared.path("request").path("body").asString()).isEqualTo("{}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'type':'hmac','secret':'topsecret'} | X-Service-Signature",
                "{'type':'standard_webhooks','secret':'topsecret-topsecret'} | webhook-signature",
                "{'type':'api_key','header':'X-Key','key':'topsecret'} | X-Key",
                "{'type':'basic_auth','username':'u','password':'topsecret'} | Authorization",
            })
    void secrets_are_masked(String auth, String header) {
        var destination = destination(", 'auth_config': " + auth);

        var preview =
                preview("'destination_id': '%s', 'sample': {}".formatted(destination.text("id")));

        assertThat(lines(preview.path("request"))).contains(header + ": ***");
        assertThat(preview.toString()).doesNotContain("topsecret");
    }

    @Test
    void bytes_that_are_no_text_are_shown_as_base64() {
        var preview =
                preview(
                        "'destination_id': '%s', 'sample': {'body_base64': '/wA='}"
                                .formatted(destination("").text("id")));

        assertThat(preview.path("request").path("body_base64").asString()).isEqualTo("/wA=");
    }

    @Test
    void long_values_are_cut() {
        var preview =
                preview(
                        """
                        'destination_id': '%s', 'sample': {'body': '{\\"a\\":\\"%s\\"}'},
                        'filter_rules': {'operator':'and','rules':[{'path':'body.a','op':'exists'}]}
                        """
                                .formatted(destination("").text("id"), "x".repeat(5000)));

        var rule = preview.path("rules").get(0);
        assertThat(rule.path("actual").asString()).isEqualTo("x".repeat(1000));
        assertThat(rule.path("actual_is_cut").asBoolean()).isTrue();
    }

    @Test
    void a_transformation_that_fails_says_why() {
        var source = api.source("one line");
        sluice.saveSourceName(source.text("id"), "two\nlines");
        var connection = api.connect(source, destination(""));

        var preview =
                preview(
                        "'connection_id': '%s', 'sample': {}, 'transformation': %s"
                                .formatted(connection.text("id"), MERGE_TRANSFORMATION));

        assertThat(preview.path("request").isNull()).isTrue();
        assertThat(preview.path("transformation_error").asString()).contains("X-From");
    }

    @Test
    void nothing_is_sent_or_stored() {
        var source = api.source("s");
        var connection = api.connect(source, destination(""));
        int sent = receiver.requests().size();

        preview("'connection_id': '%s', 'sample': {'body': '{}'}".formatted(connection.text("id")));

        assertThat(receiver.requests()).hasSize(sent);
        assertThat(api.get("/api/v1/events?source_id=" + source.text("id")).json().path("items"))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'sample':{}                                    | connection_id",
                "'connection_id':'ID','destination_id':'ID','sample':{} | connection_id",
                "'destination_id':'ID'                          | event_id",
                "'destination_id':'ID','sample':{},'event_id':'ID' | event_id",
                "'destination_id':1,'sample':{}                 | destination_id",
                "'destination_id':'ID','sample':{'x':1}         | sample.x",
                "'destination_id':'ID','sample':{'headers':{'a b':''}} | sample.headers.a b",
                "'destination_id':'ID','sample':{'headers':{'a':'b\\nc'}} | sample.headers.a",
                "'connection_id':null,'sample':{}               | connection_id",
                "'destination_id':'ID','sample':null            | event_id",
                "'destination_id':'ID','sample':{'body':1}      | sample.body",
                "'destination_id':'ID','sample':{'body':'','body_base64':''} | sample.body_base64",
                "'destination_id':'ID','sample':{'body_base64':'?'} | sample.body_base64",
                "'destination_id':'ID','sample':{},'filter_rules':{'operator':'and','rules':[{'path':'x','op':'eq','value':1}]}"
                    + " | filter_rules.rules.0.path",
                "'destination_id':'ID','sample':{},'transformation':{'x':1} | transformation.x",
                "'destination_id':'ID','sample':{},'more':1     | more",
            })
    void what_is_wrong_is_named(String body, String field) {
        var refused = api.post(PREVIEW_PATH, "{" + body.replace("ID", UNKNOWN_ID) + "}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.json().path("error").path("details"))
                .extracting(detail -> detail.path("field").asString())
                .containsExactly(field);
    }

    @Test
    void every_wrong_header_is_named() {
        var refused =
                api.post(
                        PREVIEW_PATH,
                        "{'destination_id':'%s','sample':{'headers':{'a b':'1','c':2,'d':'e','f(':''}}}"
                                .formatted(UNKNOWN_ID));

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.json().path("error").path("details"))
                .extracting(detail -> detail.path("field").asString())
                .containsExactlyInAnyOrder(
                        "sample.headers.a b", "sample.headers.c", "sample.headers.f(");
    }

    @Test
    void null_counts_as_left_out_where_there_is_a_choice() {
        var preview =
                preview(
                        "'connection_id': null, 'destination_id': '%s', 'event_id': null, 'sample': {}"
                                .formatted(destination("").text("id")));

        assertThat(preview.path("passes").asBoolean()).isTrue();
    }

    @Test
    void a_payload_as_large_as_ingest_takes_can_be_tried() {
        String to = "{'destination_id': '" + destination("").text("id") + "', 'sample': {";
        byte[] most = new byte[1 << 20];

        assertThat(api.post(PREVIEW_PATH, to + "'body_base64': '" + base64(most) + "'}}").status())
                .isEqualTo(200);
        assertThat(api.post(PREVIEW_PATH, to + "'body': '" + "x".repeat(1 << 20) + "'}}").status())
                .isEqualTo(200);
        for (String over :
                List.of(
                        "'body_base64': '" + base64(new byte[most.length + 1]) + "'",
                        "'body': '" + "x".repeat(most.length + 1) + "'",
                        "'body': '" + "\u00fc".repeat(most.length / 2 + 1) + "'")) {
            var refused = api.post(PREVIEW_PATH, to + over + "}}");

            assertThat(refused.status()).isEqualTo(422);
            assertThat(refused.errorMessage()).startsWith("sample.body").contains("1048576");
        }
        assertThat(api.post(PREVIEW_PATH, "{}" + " ".repeat(1536 * 1024)).status()).isEqualTo(413);
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    @ParameterizedTest
    @CsvSource({"connection_id", "destination_id"})
    void what_does_not_exist_is_not_found(String field) {
        var refused =
                api.post(PREVIEW_PATH, "{'%s': '%s', 'sample': {}}".formatted(field, UNKNOWN_ID));

        assertThat(refused.status()).isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource({UNKNOWN_ID, "018f0000-0000-7000-8000-000000000001"})
    void an_event_that_does_not_exist_is_not_found(String event) {
        var refused =
                api.post(
                        PREVIEW_PATH,
                        "{'destination_id': '%s', 'event_id': '%s'}"
                                .formatted(destination("").text("id"), event));

        assertThat(refused.status()).isEqualTo(404);
        assertThat(refused.errorMessage()).isEqualTo("There is no such event.");
    }

    @Test
    void anothers_are_not_found() {
        var theirs = WorkspaceFixture.create(sluice, "team");
        var source = api.source("s");
        var destination = destination("");
        var connection = api.connect(source, destination);
        var event = api.ingest(source.text("ingest_path"), "{}");
        String own = theirs.destination("https://example.com/", "").text("id");

        assertThat(status(theirs, "connection_id", connection.text("id"), "'sample':{}"))
                .isEqualTo(404);
        assertThat(status(theirs, "destination_id", destination.text("id"), "'sample':{}"))
                .isEqualTo(404);
        assertThat(
                        status(
                                theirs,
                                "destination_id",
                                own,
                                "'event_id':'" + event.text("request_id") + "'"))
                .isEqualTo(404);
        assertThat(status(theirs, "destination_id", own, "'sample':{}")).isEqualTo(200);
    }

    private static int status(ApiClient as, String field, String id, String more) {
        return as.post(PREVIEW_PATH, "{'%s': '%s', %s}".formatted(field, id, more)).status();
    }

    private static ApiClient.ApiResponse destination(String more) {
        return api.destination(receiver.url(), more);
    }

    private static JsonNode preview(String fields) {
        var answer = api.post(PREVIEW_PATH, "{" + fields + "}");
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private static List<String> lines(JsonNode request) {
        var lines = new ArrayList<String>();
        for (var header : request.path("headers")) {
            lines.add(header.path("name").asString() + ": " + header.path("value").asString());
        }
        return lines;
    }
}
