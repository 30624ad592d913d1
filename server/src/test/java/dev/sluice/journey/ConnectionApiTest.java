package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectionApiTest {

    private static final String DESTINATION_URL = "https://example.com/hook";
    private static final String UNKNOWN_ID = "018f0000-0000-7000-8000-000000000000";

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    @Test
    void a_new_connection_is_enabled() {
        var source = api.source("s");
        var destination = api.destination(DESTINATION_URL, "");

        var connection = api.connect(source, destination);

        var json = connection.json();
        assertThat(json.propertyNames())
                .containsExactlyInAnyOrder(
                        "id",
                        "source_id",
                        "destination_id",
                        "enabled",
                        "filter_rules",
                        "transformation",
                        "created_at",
                        "updated_at",
                        "destination");
        assertThat(connection.text("source_id")).isEqualTo(source.text("id"));
        assertThat(connection.text("destination_id")).isEqualTo(destination.text("id"));
        assertThat(json.path("enabled").asBoolean()).isTrue();
        assertThat(json.path("filter_rules").isNull()).isTrue();
        assertThat(json.path("transformation").isNull()).isTrue();
        assertThat(json.path("destination").path("id").asString())
                .isEqualTo(destination.text("id"));
        assertThat(json.path("destination").path("circuit_state").asString()).isEqualTo("closed");
        assertThat(api.get("/api/v1/connections/" + connection.text("id")).json()).isEqualTo(json);
    }

    @Test
    void a_connection_can_be_made_disabled() {
        var created =
                create(api.source("s"), api.destination(DESTINATION_URL, ""), ", 'enabled': false");

        assertThat(created.status()).isEqualTo(201);
        assertThat(created.json().path("enabled").asBoolean()).isFalse();
    }

    @Test
    void the_same_pair_again_is_a_conflict() {
        var source = api.source("s");
        var destination = api.destination(DESTINATION_URL, "");
        api.connect(source, destination);

        var again = create(source, destination, "");

        assertThat(again.status()).isEqualTo(409);
        assertThat(again.errorCode()).isEqualTo("conflict");
        assertThat(again.errorMessage())
                .isEqualTo("This source and this destination are already connected.");
    }

    @Test
    void a_pair_can_be_connected_again_after_its_connection_was_deleted() {
        var source = api.source("s");
        var destination = api.destination(DESTINATION_URL, "");
        var first = api.connect(source, destination);

        api.delete("/api/v1/connections/" + first.text("id"));

        assertThat(create(source, destination, "").status()).isEqualTo(201);
    }

    @Test
    void both_ends_are_required() {
        var refused = api.post("/api/v1/connections", "{}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.json().path("error").path("details"))
                .hasToString(
                        "[{\"field\":\"source_id\",\"message\":\"source_id is required.\"},"
                                + "{\"field\":\"destination_id\","
                                + "\"message\":\"destination_id is required.\"}]");
    }

    @Test
    void an_end_that_is_no_uuid_is_a_wrong_field() {
        var refused =
                api.post(
                        "/api/v1/connections",
                        "{'source_id': '1-2-3-4-5', 'destination_id': '" + UNKNOWN_ID + "'}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage()).isEqualTo("source_id must be a UUID.");
    }

    @Test
    void an_end_that_does_not_exist_is_not_found() {
        String source = api.source("s").text("id");
        String destination = api.destination(DESTINATION_URL, "").text("id");

        var noSource = create(UNKNOWN_ID, destination);
        var noDestination = create(source, UNKNOWN_ID);

        assertThat(noSource.status()).isEqualTo(404);
        assertThat(noSource.errorMessage()).isEqualTo("There is no such source.");
        assertThat(noDestination.status()).isEqualTo(404);
        assertThat(noDestination.errorMessage()).isEqualTo("There is no such destination.");
    }

    @Test
    void an_end_that_was_deleted_is_not_found() {
        String source = api.source("s").text("id");
        String trashed = api.source("s").text("id");
        String destination = api.destination(DESTINATION_URL, "").text("id");
        String deleted = api.destination(DESTINATION_URL, "").text("id");
        api.delete("/api/v1/sources/" + trashed);
        api.delete("/api/v1/destinations/" + deleted);

        assertThat(create(trashed, destination).status()).isEqualTo(404);
        assertThat(create(source, deleted).status()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"create", "patch"})
    void a_filter_and_a_transformation_read_as_they_were_sent(String way) {
        String filter =
                "{ \"rules\": [{\"value\": 1.50e2, \"op\":\"gt\", \"path\":\"body.n\"}],"
                        + " \"operator\":\"and\"}";
        String transformation =
                "{\"merge_body_fields\": {\"z\": 12345678901234567890.10, \"a\": [ ]} }";
        String fields = "\"filter_rules\": " + filter + ", \"transformation\": " + transformation;
        var source = api.source("s");
        var destination = api.destination(DESTINATION_URL, "");

        var sent =
                way.equals("create")
                        ? create(source, destination, ", " + fields)
                        : api.patch(
                                "/api/v1/connections/"
                                        + api.connect(source, destination).text("id"),
                                "{" + fields + "}");
        var read = api.get("/api/v1/connections/" + sent.text("id"));

        assertThat(sent.body())
                .contains("\"filter_rules\":" + filter)
                .contains("\"transformation\":" + transformation);
        assertThat(read.body()).isEqualTo(sent.body());
        assertThat(api.get("/api/v1/connections").body()).contains(sent.body());
    }

    @Test
    void patch_keeps_what_is_left_out_and_clears_what_is_null() {
        String rules =
                "'filter_rules': {'operator':'or','rules':[{'path':'body.a','op':'exists'}]}";
        var made =
                create(
                        api.source("s"),
                        api.destination(DESTINATION_URL, ""),
                        ", 'transformation': {'remove_headers':['X-A']}, " + rules);
        String path = "/api/v1/connections/" + made.text("id");

        var kept = api.patch(path, "{'enabled': false}");
        var unfiltered = api.patch(path, "{'filter_rules': null}");
        var untransformed = api.patch(path, "{'transformation': null, " + rules + "}");

        assertThat(kept.json().path("filter_rules")).isEqualTo(made.json().path("filter_rules"));
        assertThat(kept.json().path("transformation").isObject()).isTrue();
        assertThat(unfiltered.json().path("filter_rules").isNull()).isTrue();
        assertThat(unfiltered.json().path("transformation").isObject()).isTrue();
        assertThat(untransformed.json().path("filter_rules").isObject()).isTrue();
        assertThat(untransformed.json().path("transformation").isNull()).isTrue();
    }

    @Test
    void all_wrong_fields_of_a_filter_and_a_transformation_are_named() {
        var refused =
                create(
                        api.source("s"),
                        api.destination(DESTINATION_URL, ""),
                        """
                        , 'filter_rules': {'operator':'and','rules':[
                             {'path':'body.a','op':'exists'}, {'path':'x','op':'like','value':1},
                             {'operator':'or','rules':[{'path':'body.a','op':'in','value':1}]}]},
                          'transformation': {'set_headers':[{'name':'Host','value':'x'}],
                             'remove_headers':['a b']}
                        """);

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.json().path("error").path("details"))
                .extracting(detail -> detail.path("field").asString())
                .containsExactlyInAnyOrder(
                        "filter_rules.rules.1.path",
                        "filter_rules.rules.1.op",
                        "filter_rules.rules.2.rules.0.value",
                        "transformation.set_headers.0.name",
                        "transformation.remove_headers.0");
    }

    @Test
    void patch_turns_a_connection_off_and_on() {
        var connection = api.connect(api.source("s"), api.destination(DESTINATION_URL, ""));
        String path = "/api/v1/connections/" + connection.text("id");

        var off = api.patch(path, "{'enabled': false}");
        var kept = api.patch(path, "{}");
        var on = api.patch(path, "{'enabled': true}");

        assertThat(off.status()).isEqualTo(200);
        assertThat(off.json().path("enabled").asBoolean()).isFalse();
        assertThat(kept.json().path("enabled").asBoolean()).isFalse();
        assertThat(on.json().path("enabled").asBoolean()).isTrue();
        assertThat(on.text("created_at")).isEqualTo(connection.text("created_at"));
        assertThat(api.get(path).json()).isEqualTo(on.json());
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "1", "'yes'"})
    void enabled_is_true_or_false(String value) {
        var connection = api.connect(api.source("s"), api.destination(DESTINATION_URL, ""));

        var refused =
                api.patch(
                        "/api/v1/connections/" + connection.text("id"),
                        "{'enabled': " + value + "}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.json().path("error").path("details").get(0).path("field").asString())
                .isEqualTo("enabled");
    }

    @Test
    void the_ends_of_a_connection_cannot_be_changed() {
        var connection = api.connect(api.source("s"), api.destination(DESTINATION_URL, ""));

        var refused =
                api.patch(
                        "/api/v1/connections/" + connection.text("id"),
                        "{'source_id': '" + UNKNOWN_ID + "'}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage()).isEqualTo("source_id is not a known field.");
    }

    @Test
    void a_deleted_connection_is_gone_and_its_destination_stays() {
        var destination = api.destination(DESTINATION_URL, "");
        var connection = api.connect(api.source("s"), destination);
        String path = "/api/v1/connections/" + connection.text("id");

        var deleted = api.delete(path);

        assertThat(deleted.status()).isEqualTo(204);
        assertThat(api.get(path).status()).isEqualTo(404);
        assertThat(api.patch(path, "{'enabled': true}").status()).isEqualTo(404);
        assertThat(api.delete(path).status()).isEqualTo(404);
        assertThat(api.get("/api/v1/connections").body()).doesNotContain(connection.text("id"));
        assertThat(api.get("/api/v1/destinations/" + destination.text("id")).status())
                .isEqualTo(200);
    }

    @Test
    void a_connection_goes_with_its_source_or_destination() {
        var source = api.source("s");
        var destination = api.destination(DESTINATION_URL, "");
        var ofSource = api.connect(source, api.destination(DESTINATION_URL, ""));
        var ofDestination = api.connect(api.source("s"), destination);

        api.delete("/api/v1/sources/" + source.text("id"));
        api.delete("/api/v1/destinations/" + destination.text("id"));

        String list = api.get("/api/v1/connections").body();
        for (var gone : new ApiClient.ApiResponse[] {ofSource, ofDestination}) {
            assertThat(api.get("/api/v1/connections/" + gone.text("id")).status()).isEqualTo(404);
            assertThat(list).doesNotContain(gone.text("id"));
        }
    }

    @Test
    void the_list_has_the_newest_first_and_a_total_where_a_page_is_asked_for() {
        var own = WorkspaceFixture.create(sluice, "business");
        var source = own.source("s");
        var first = own.connect(source, own.destination(DESTINATION_URL, ""));
        var second = own.connect(source, own.destination(DESTINATION_URL, ""));

        var whole = own.get("/api/v1/connections/").json();
        var page = own.get("/api/v1/connections?limit=1").json();

        assertThat(whole.path("items")).containsExactly(second.json(), first.json());
        assertThat(whole.has("total")).isFalse();
        assertThat(page.path("items")).containsExactly(second.json());
        assertThat(page.path("total").asInt()).isEqualTo(2);
    }

    private static ApiClient.ApiResponse create(String source, String destination) {
        return api.post(
                "/api/v1/connections",
                "{'source_id': '%s', 'destination_id': '%s'}".formatted(source, destination));
    }

    private static ApiClient.ApiResponse create(
            ApiClient.ApiResponse source, ApiClient.ApiResponse destination, String more) {
        return api.post(
                "/api/v1/connections",
                "{'source_id': '%s', 'destination_id': '%s'%s}"
                        .formatted(source.text("id"), destination.text("id"), more));
    }
}
