package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.util.List;

class SourceApiTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    @Test
    void a_new_source_needs_only_a_name() {
        var source = api.post("/api/v1/sources/", "{'name': 'shop'}");

        assertThat(source.status()).isEqualTo(201);
        var json = source.json();
        assertThat(json.propertyNames())
                .containsExactlyInAnyOrder(
                        "id",
                        "name",
                        "description",
                        "color",
                        "token",
                        "ingest_path",
                        "ingest_url",
                        "previous_token_until",
                        "verification_config",
                        "response_config",
                        "status",
                        "created_at",
                        "updated_at");
        assertThat(source.text("id"))
                .matches("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}");
        assertThat(source.text("name")).isEqualTo("shop");
        assertThat(json.path("description").isNull()).isTrue();
        assertThat(source.text("color")).matches("#[0-9a-f]{6}");
        assertThat(source.text("token")).matches("[0-9A-Za-z]{32}");
        assertThat(source.text("ingest_path")).isEqualTo("/in/" + source.text("token"));
        assertThat(source.text("ingest_url"))
                .matches("http://localhost:[0-9]+" + source.text("ingest_path"));
        assertThat(json.path("verification_config")).hasToString("{\"provider\":\"none\"}");
        assertThat(json.path("response_config").isNull()).isTrue();
        assertThat(source.text("status")).isEqualTo("active");
        assertThat(source.text("created_at"))
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z")
                .isEqualTo(source.text("updated_at"));
    }

    @Test
    void create_takes_what_patch_takes() {
        var source =
                api.post(
                        "/api/v1/sources",
                        "{'name': 'shop', 'description': 'all orders', 'color': '#A0b1C2',"
                            + " 'status': 'paused', 'verification_config': {'provider': 'none'},"
                            + " 'response_config': null}");

        assertThat(source.status()).isEqualTo(201);
        assertThat(source.text("description")).isEqualTo("all orders");
        assertThat(source.text("color")).isEqualTo("#A0b1C2");
        assertThat(source.text("status")).isEqualTo("paused");
    }

    @Test
    void a_source_is_read_as_it_was_answered_when_it_was_created() {
        var created = api.source("Ünïcode ✓ 𝄞");

        var read = api.get("/api/v1/sources/" + created.text("id"));

        assertThat(read.status()).isEqualTo(200);
        assertThat(read.json()).isEqualTo(created.json());
        assertThat(read.text("name")).isEqualTo("Ünïcode ✓ 𝄞");
    }

    @Test
    void patch_changes_what_it_names_and_nothing_else() {
        var before = api.source("before");

        var after =
                api.patch(
                        "/api/v1/sources/" + before.text("id"),
                        "{'name': 'after', 'description': 'why'}");

        assertThat(after.status()).isEqualTo(200);
        assertThat(after.text("name")).isEqualTo("after");
        assertThat(after.text("description")).isEqualTo("why");
        for (String kept : List.of("id", "color", "token", "status", "created_at")) {
            assertThat(after.text(kept)).as(kept).isEqualTo(before.text(kept));
        }
        assertThat(api.get("/api/v1/sources/" + before.text("id")).json()).isEqualTo(after.json());
    }

    @Test
    void an_empty_patch_is_no_mistake() {
        var source = api.source("same");

        var patched = api.patch("/api/v1/sources/" + source.text("id"), "{}");

        assertThat(patched.status()).isEqualTo(200);
        assertThat(patched.text("name")).isEqualTo("same");
    }

    @Test
    void null_clears_the_description() {
        var source = api.post("/api/v1/sources/", "{'name': 's', 'description': 'old'}");

        var patched = api.patch("/api/v1/sources/" + source.text("id"), "{'description': null}");

        assertThat(patched.json().path("description").isNull()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {'name': null}           | name        | name cannot be null.
                    {'color': null}          | color       | color cannot be null.
                    {'status': null}         | status      | status cannot be null.
                    {'name': ''}             | name        | name must have 1 to 200 characters.
                    {'name': ' \\u2003'}      | name        | name must have at least one visible character.
                    {'name': '\\u200b\\ufeff'} | name      | name must not contain the character U+FEFF.
                    {'name': 7}              | name        | name must be a string.
                    {'name': 'a\\u0000b'}    | name        | name must not contain the character U+0000.
                    {'name': 'a\\ud800b'}    | name        | name must not contain the character U+D800.
                    {'description': ['x']}   | description | description must be a string.
                    {'color': 'red'}         | color       | color must have 7 characters.
                    {'color': '#12345g'}     | color       | color must be a colour such as #2563eb.
                    {'status': 'trash'}      | status      | status must be one of active, paused.
                    {'token': 'mine'}        | token       | token can only be set when the source is created. POST /api/v1/sources/{id}/rotate-token gives it a new one.
                    """)
    void patch_refuses_a_wrong_field(String json, String field, String message) {
        var source = api.source("s");

        var refused = api.patch("/api/v1/sources/" + source.text("id"), json);

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorCode()).isEqualTo("validation_failed");
        assertThat(refused.errorMessage()).isEqualTo(message);
        assertThat(refused.json().path("error").path("details").get(0).path("field").asString())
                .isEqualTo(field);
        assertThat(api.get("/api/v1/sources/" + source.text("id")).json()).isEqualTo(source.json());
    }

    @Test
    void a_name_of_200_characters_is_the_longest() {
        String longest = "𝄞".repeat(200);

        assertThat(api.post("/api/v1/sources", "{'name': '" + longest + "'}").status())
                .isEqualTo(201);
        assertThat(api.post("/api/v1/sources", "{'name': '" + longest + "x'}").errorMessage())
                .isEqualTo("name must have 1 to 200 characters.");
    }

    @Test
    void a_name_is_required() {
        assertThat(api.post("/api/v1/sources", "{}").errorMessage()).isEqualTo("name is required.");
        assertThat(api.post("/api/v1/sources", "{'name': null}").errorMessage())
                .isEqualTo("name is required.");
    }

    @Test
    void the_list_has_the_newest_first_in_pages() {
        for (String name : List.of("paged 1", "paged 2", "paged 3")) {
            api.source(name);
        }

        var first = api.get("/api/v1/sources/?q=paged&limit=2");
        var second = api.get("/api/v1/sources?q=paged&limit=2&page=2");
        var third = api.get("/api/v1/sources?q=paged&limit=2&page=3");

        assertThat(names(first)).containsExactly("paged 3", "paged 2");
        assertThat(names(second)).containsExactly("paged 1");
        assertThat(names(third)).isEmpty();
        assertThat(first.json().path("total").asInt()).isEqualTo(3);
        assertThat(third.json().path("total").asInt()).isEqualTo(3);
    }

    @Test
    void q_is_a_part_of_the_name_in_any_case_and_no_pattern() {
        api.source("Needle 100%");
        api.source("Needle 1000");

        assertThat(names(api.get("/api/v1/sources?q=nEEdle"))).hasSize(2);
        assertThat(names(api.get("/api/v1/sources?q=needle%20100%25")))
                .containsExactly("Needle 100%");
        assertThat(names(api.get("/api/v1/sources?q=needle_"))).isEmpty();
    }

    @Test
    void q_with_a_nul_is_refused() {
        var answer = api.get("/api/v1/sources?q=a%00b");

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.errorMessage()).isEqualTo("q must not contain the NUL character.");
    }

    @Test
    void the_list_counts_each_sources_events() {
        var source = api.source("counted");
        api.ingest(source.text("ingest_path"), "{}");
        api.ingest(source.text("ingest_path"), "{}");

        await().untilAsserted(() ->
                assertThat(
                                api.get("/api/v1/sources?q=counted")
                                        .json()
                                        .path("items")
                                        .get(0)
                                        .path("event_count")
                                        .asInt())
                        .isEqualTo(2));
        assertThat(api.get("/api/v1/sources/" + source.text("id")).json().has("event_count"))
                .isFalse();
    }

    @Test
    void a_deleted_source_is_gone_and_takes_nothing_in() {
        var source = api.source("gone");
        String path = "/api/v1/sources/" + source.text("id");

        var deleted = api.delete(path + "/");

        assertThat(deleted.status()).isEqualTo(204);
        assertThat(deleted.body()).isEmpty();
        assertThat(api.get(path).status()).isEqualTo(404);
        assertThat(api.patch(path, "{'name': 'back'}").status()).isEqualTo(404);
        assertThat(api.delete(path).status()).isEqualTo(404);
        assertThat(names(api.get("/api/v1/sources?q=gone"))).isEmpty();
        var ingested = api.ingest(source.text("ingest_path"), "{}");
        assertThat(ingested.status()).isEqualTo(404);
        assertThat(ingested.errorCode()).isEqualTo("not_found");
    }

    @Test
    void the_events_of_a_deleted_source_are_gone_with_it() {
        var source = api.source("gone");
        var event = api.ingest(source.text("ingest_path"), "{}");

        api.delete("/api/v1/sources/" + source.text("id"));

        assertThat(api.get("/api/v1/events/" + event.text("request_id")).status()).isEqualTo(404);
        assertThat(
                        api.get("/api/v1/events?source_id=" + source.text("id"))
                                .json()
                                .path("total")
                                .asInt())
                .isZero();
    }

    @Test
    void a_plan_has_room_for_so_many_sources() {
        var free = WorkspaceFixture.create(sluice, "free");
        for (int i = 1; i <= 5; i++) {
            free.source("source " + i);
        }

        var sixth = free.post("/api/v1/sources", "{'name': 'source 6'}");

        assertThat(sixth.status()).isEqualTo(402);
        assertThat(sixth.errorCode()).isEqualTo("plan_limit_reached");
        assertThat(sixth.errorMessage())
                .isEqualTo("The free plan allows 5 sources. Delete one first.");
    }

    @Test
    void a_deleted_source_makes_room_for_another() {
        var free = WorkspaceFixture.create(sluice, "free");
        for (int i = 1; i <= 4; i++) {
            free.source("source " + i);
        }
        var fifth = free.source("source 5");

        free.delete("/api/v1/sources/" + fifth.text("id"));

        assertThat(free.post("/api/v1/sources", "{'name': 'source 6'}").status()).isEqualTo(201);
    }

    private static List<String> names(ApiClient.ApiResponse list) {
        return list.json()
                .path("items")
                .valueStream()
                .map((JsonNode item) -> item.path("name").asString())
                .toList();
    }
}
