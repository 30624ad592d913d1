package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.GivenRows;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/// Tests the list of a source's connections.
class SourceConnectionRoutesTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    @Test
    void a_connection_is_listed_with_its_destination() {
        var source = api.source("s");
        var destination = destination("billing");
        var connection = api.connect(source, destination);
        api.connect(api.source("another"), destination);

        var list = api.get(path(source));

        assertThat(list.status()).isEqualTo(200);
        assertThat(list.json().path("total").asInt()).isEqualTo(1);
        assertThat(list.json().path("items")).hasSize(1);
        var item = list.json().path("items").path(0);
        assertThat(item.path("id").asString()).isEqualTo(connection.text("id"));
        assertThat(item.path("source_id").asString()).isEqualTo(source.text("id"));
        assertThat(item.path("enabled").asBoolean()).isTrue();
        var summary = item.path("destination");
        assertThat(summary.propertyNames())
                .containsExactlyInAnyOrder(
                        "id", "name", "url", "status", "circuit_state", "circuit_reopen_at");
        assertThat(summary.path("id").asString()).isEqualTo(destination.text("id"));
        assertThat(summary.path("name").asString()).isEqualTo("billing");
        assertThat(summary.path("url").asString()).isEqualTo("https://example.com/hook");
        assertThat(summary.path("status").asString()).isEqualTo("active");
        assertThat(summary.path("circuit_state").asString()).isEqualTo("closed");
        assertThat(summary.path("circuit_reopen_at").isNull()).isTrue();
    }

    @Test
    void an_open_circuit_is_seen_in_the_list() {
        var source = api.source("s");
        var destination = destination("broken");
        api.connect(source, destination);
        var reopenAt = Instant.parse("2030-01-02T03:04:05Z");
        try (var db = sluice.db()) {
            var id = new DestinationId(UUID.fromString(destination.text("id")));
            db.run(tx -> GivenRows.insertOpenCircuit(tx, id, reopenAt));
        }

        var summary = api.get(path(source)).json().path("items").path(0).path("destination");

        assertThat(summary.path("circuit_state").asString()).isEqualTo("open");
        assertThat(summary.path("circuit_reopen_at").asString())
                .isEqualTo("2030-01-02T03:04:05.000Z");
    }

    @Test
    void the_newest_comes_first_in_pages_and_q_is_a_part_of_the_destinations_name() {
        var source = api.source("s");
        for (String name : List.of("Mail 1", "mail 2", "mail 3", "store")) {
            api.connect(source, destination(name));
        }

        var first = api.get(path(source) + "?q=MAIL&limit=2");
        var second = api.get(path(source) + "/?q=mail&limit=2&page=2");

        assertThat(destinations(first)).containsExactly("mail 3", "mail 2");
        assertThat(destinations(second)).containsExactly("Mail 1");
        assertThat(first.json().path("total").asInt()).isEqualTo(3);
        assertThat(destinations(api.get(path(source)))).hasSize(4);
    }

    @Test
    void what_was_deleted_is_not_listed() {
        var source = api.source("s");
        var gone = destination("gone");
        api.connect(source, gone);
        var unplugged = api.connect(source, destination("unplugged"));

        api.delete("/api/v1/destinations/" + gone.text("id"));
        api.delete("/api/v1/connections/" + unplugged.text("id"));

        assertThat(api.get(path(source)).json().path("items")).isEmpty();
        assertThat(api.get(path(source)).json().path("total").asInt(-1)).isZero();
    }

    @Test
    void the_connections_of_a_source_that_is_gone_or_anothers_are_not_found() {
        var trashed = api.source("trashed");
        api.delete("/api/v1/sources/" + trashed.text("id"));
        var ours = api.source("ours");
        var other = WorkspaceFixture.create(sluice, "team");

        assertThat(api.get(path(trashed)).status()).isEqualTo(404);
        assertThat(other.get(path(ours)).status()).isEqualTo(404);
        assertThat(api.get("/api/v1/sources/not-an-id/connections").status()).isEqualTo(404);
    }

    private static ApiClient.ApiResponse destination(String name) {
        var answer =
                api.post(
                        "/api/v1/destinations",
                        "{'name': '" + name + "', 'url': 'https://example.com/hook'}");
        assertThat(answer.status()).isEqualTo(201);
        return answer;
    }

    private static String path(ApiClient.ApiResponse source) {
        return "/api/v1/sources/" + source.text("id") + "/connections";
    }

    private static List<String> destinations(ApiClient.ApiResponse list) {
        return list.json()
                .path("items")
                .valueStream()
                .map((JsonNode item) -> item.path("destination").path("name").asString())
                .toList();
    }
}
