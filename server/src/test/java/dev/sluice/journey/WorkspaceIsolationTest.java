package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests that a workspace cannot see the resources of another: they look as if they did not exist.
class WorkspaceIsolationTest {

    private static final String DESTINATION_URL = "https://example.com/hook";

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient ours = sluice.api();
    private static final ApiClient theirs = WorkspaceFixture.create(sluice, "team");
    private static ApiClient.ApiResponse source;
    private static ApiClient.ApiResponse destination;
    private static ApiClient.ApiResponse connection;
    private static ApiClient.ApiResponse event;

    @BeforeAll
    static void configure() {
        source = ours.source("ours");
        destination = ours.destination(DESTINATION_URL, ", 'status': 'paused'");
        connection = ours.connect(source, destination);
        event = ours.ingest(source.text("ingest_path"), "{}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sources", "destinations", "connections"})
    void what_is_anothers_is_not_found(String kind) {
        String path = "/api/v1/" + kind + "/" + idOf(kind);
        String unknown = "/api/v1/" + kind + "/018f0000-0000-7000-8000-000000000000";

        assertThat(ours.get(path).status()).isEqualTo(200);
        var read = theirs.get(path);
        var patched = theirs.patch(path, "{}");
        var deleted = theirs.delete(path);

        assertThat(read.status()).isEqualTo(404);
        assertThat(patched.status()).isEqualTo(404);
        assertThat(deleted.status()).isEqualTo(404);
        assertThat(read.body()).isEqualTo(theirs.get(unknown).body());
        assertThat(ours.get(path).status()).isEqualTo(200);
    }

    @Test
    void anothers_event_is_not_found() {
        String path = "/api/v1/events/" + event.text("request_id");

        assertThat(ours.get(path).status()).isEqualTo(200);
        assertThat(theirs.get(path).status()).isEqualTo(404);
    }

    @Test
    void anothers_event_cannot_be_resent() {
        String path = "/api/v1/events/" + event.text("request_id") + "/resend";
        var ownSource = theirs.source("theirs");
        var own = theirs.ingest(ownSource.text("ingest_path"), "{}");
        String ownPath = "/api/v1/events/" + own.text("request_id") + "/resend";
        String toOurs = "{'connection_ids': ['" + connection.text("id") + "']}";

        assertThat(theirs.post(path, "{}").status()).isEqualTo(404);
        assertThat(theirs.post(path, toOurs).status()).isEqualTo(404);
        assertThat(theirs.post(ownPath, toOurs).status()).isEqualTo(404);
        assertThat(theirs.post(ownPath, "{}").status()).isEqualTo(202);
        theirs.delete("/api/v1/sources/" + ownSource.text("id"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"sources", "destinations", "connections", "events"})
    void lists_have_nothing_of_anothers(String kind) {
        assertThat(ours.get("/api/v1/" + kind).json().path("items")).isNotEmpty();
        assertThat(theirs.get("/api/v1/" + kind).json().path("items")).isEmpty();
    }

    @Test
    void totals_count_nothing_of_anothers() {
        for (String kind : new String[] {"sources", "destinations", "connections", "events"}) {
            assertThat(theirs.get("/api/v1/" + kind + "?limit=1").json().path("total").asInt(-1))
                    .as(kind)
                    .isZero();
        }
    }

    @Test
    void events_filtered_by_anothers_source_are_none() {
        var list = theirs.get("/api/v1/events?source_id=" + source.text("id"));

        assertThat(list.status()).isEqualTo(200);
        assertThat(list.json().path("items")).isEmpty();
        assertThat(list.json().path("total").asInt(-1)).isZero();
    }

    @Test
    void anothers_source_or_destination_cannot_be_connected() {
        var ownSource = theirs.source("theirs");
        var ownDestination = theirs.destination(DESTINATION_URL, "");

        var toOurs = connect(ownSource, destination);
        var fromOurs = connect(source, ownDestination);

        assertThat(toOurs.status()).isEqualTo(404);
        assertThat(toOurs.errorMessage()).isEqualTo("There is no such destination.");
        assertThat(fromOurs.status()).isEqualTo(404);
        assertThat(fromOurs.errorMessage()).isEqualTo("There is no such source.");
        theirs.delete("/api/v1/sources/" + ownSource.text("id"));
        theirs.delete("/api/v1/destinations/" + ownDestination.text("id"));
    }

    @Test
    void each_key_names_its_own_workspace() {
        assertThat(ours.get("/api/v1/me").json().path("workspace").path("name").asString())
                .isEqualTo("Default");
        assertThat(theirs.get("/api/v1/me").json().path("workspace").path("name").asString())
                .isEqualTo("Other");
    }

    private static ApiClient.ApiResponse connect(
            ApiClient.ApiResponse from, ApiClient.ApiResponse to) {
        return theirs.post(
                "/api/v1/connections",
                "{'source_id': '%s', 'destination_id': '%s'}"
                        .formatted(from.text("id"), to.text("id")));
    }

    private static String idOf(String kind) {
        return switch (kind) {
            case "sources" -> source.text("id");
            case "destinations" -> destination.text("id");
            default -> connection.text("id");
        };
    }
}
