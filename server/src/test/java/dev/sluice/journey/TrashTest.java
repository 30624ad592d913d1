package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Tests the trash: a deleted source stays there for seven days, hidden and with all that belongs
/// to it.
class TrashTest {

    private static final ManualClock clock = ManualClock.ofNow();

    @AutoClose private static final RunningSluice sluice = RunningSluice.start(clock);

    private static ApiClient api = sluice.api();

    @Test
    void the_trash_shows_what_was_deleted_and_when_it_is_purged() {
        var source = api.source("shown in the trash");
        api.ingest(source.text("ingest_path"), "{}");

        delete(source);

        await().untilAsserted(() ->
                assertThat(trashed("shown in the trash").path("event_count").asInt()).isEqualTo(1));
        var item = trashed("shown in the trash");
        assertThat(item.path("id").asString()).isEqualTo(source.text("id"));
        assertThat(item.path("token").asString()).isEqualTo(source.text("token"));
        var trashedAt = Instant.parse(item.path("trashed_at").asString());
        assertThat(Instant.parse(item.path("purge_at").asString()))
                .isEqualTo(trashedAt.plus(Duration.ofDays(7)));
    }

    @Test
    void the_trash_has_the_latest_deletion_first_in_pages() {
        for (String name : List.of("paged trash 1", "paged trash 2", "paged trash 3")) {
            delete(api.source(name));
            clock.advance(Duration.ofMillis(1));
        }

        var first = api.get("/api/v1/sources/trash/?q=PAGED&limit=2");
        var second = api.get("/api/v1/sources/trash?q=paged&limit=2&page=2");

        assertThat(names(first)).containsExactly("paged trash 3", "paged trash 2");
        assertThat(names(second)).containsExactly("paged trash 1");
        assertThat(first.json().path("total").asInt()).isEqualTo(3);
    }

    @Test
    void a_source_that_was_not_deleted_is_not_in_the_trash() {
        var source = api.source("at work");

        assertThat(names(api.get("/api/v1/sources/trash?q=at%20work"))).isEmpty();
        var restored = api.post(restorePath(source), "{}");
        assertThat(restored.status()).isEqualTo(404);
        assertThat(restored.errorMessage()).isEqualTo("There is no such source in the trash.");
    }

    @Test
    void a_restored_source_is_what_it_was() {
        var source = api.source("restored");
        var event = api.ingest(source.text("ingest_path"), "{}");
        delete(source);

        var restored = api.send(api.request(restorePath(source)).method("POST", noBody()));

        assertThat(restored.status()).isEqualTo(200);
        for (String kept : List.of("id", "name", "token", "color", "status", "created_at")) {
            assertThat(restored.text(kept)).as(kept).isEqualTo(source.text(kept));
        }
        assertThat(restored.json().has("trashed_at")).isFalse();
        assertThat(api.get("/api/v1/sources/" + source.text("id")).json())
                .isEqualTo(restored.json());
        assertThat(names(api.get("/api/v1/sources/trash?q=restored"))).isEmpty();
        assertThat(api.get("/api/v1/events/" + event.text("request_id")).status()).isEqualTo(200);
        assertThat(api.ingest(source.text("ingest_path"), "{}").status()).isEqualTo(200);
        assertThat(api.post(restorePath(source), "{}").status()).isEqualTo(404);
    }

    @Test
    void what_was_held_in_the_trash_is_sent_after_the_restore() throws IOException {
        try (var receiver = Receiver.start()) {
            receiver.willAnswer(503, 200);
            var source = api.source("held");
            api.connect(
                    source,
                    api.destination(
                            receiver.url(), ", 'retry_policy': {'intervals_seconds': [30]}"));
            var event = api.ingest(source.text("ingest_path"), "{}");
            EventReader.deliveryAfter(1, api, event);
            delete(source);
            clock.advance(Duration.ofMinutes(5));

            api.post(restorePath(source), "{}");

            EventReader.delivery(api, event, "succeeded");
            assertThat(receiver.requests()).hasSize(2);
        }
    }

    @Test
    void a_restore_needs_room_in_the_plan() {
        var free = WorkspaceFixture.create(sluice, "free");
        var deleted = free.source("deleted");
        free.delete("/api/v1/sources/" + deleted.text("id"));
        for (int i = 1; i <= 5; i++) {
            free.source("source " + i);
        }

        var refused = free.post(restorePath(deleted), "{}");

        assertThat(refused.status()).isEqualTo(402);
        assertThat(refused.errorCode()).isEqualTo("plan_limit_reached");
        assertThat(names(free.get("/api/v1/sources/trash"))).containsExactly("deleted");
    }

    @Test
    void another_workspaces_trash_is_out_of_reach() {
        var other = WorkspaceFixture.create(sluice, "team");
        var source = api.source("ours in the trash");
        delete(source);

        assertThat(names(other.get("/api/v1/sources/trash"))).isEmpty();
        assertThat(other.get("/api/v1/sources/trash").json().path("total").asInt(-1)).isZero();
        assertThat(other.post(restorePath(source), "{}").status()).isEqualTo(404);
        assertThat(names(api.get("/api/v1/sources/trash?q=ours%20in"))).hasSize(1);
    }

    @Test
    void after_seven_days_a_source_is_gone_for_good() throws IOException {
        try (var receiver = Receiver.start()) {
            receiver.willAnswer(503);
            var source = api.source("purged");
            var connection = api.connect(source, api.destination(receiver.url(), ""));
            api.patch(
                    "/api/v1/connections/" + connection.text("id"),
                    "{'transformation': {'remove_headers': ['X-Private']}}");
            var event = api.ingest(source.text("ingest_path"), "{}");
            EventReader.deliveryAfter(1, api, event);
            delete(source);
            clock.advance(Duration.ofDays(7).minusSeconds(1));
            assertThat(names(api.get("/api/v1/sources/trash?q=purged"))).hasSize(1);

            clock.advance(Duration.ofSeconds(1));

            assertThat(names(api.get("/api/v1/sources/trash?q=purged"))).isEmpty();
            assertThat(api.post(restorePath(source), "{}").status()).isEqualTo(404);
            sluice.restart(); // the purge runs at the start, then every minute
            api = sluice.api();
            try (var db = sluice.db()) {
                await().untilAsserted(() ->
                        assertThat(
                                        (long)
                                                db.call(tx ->
                                                        tx.single(
                                                                """
                                                                select count(*) as n
                                                                  from delivery_work
                                                                 where source_id = ?::uuid
                                                                """,
                                                                row -> row.number("n"),
                                                                source.text("id"))))
                                .as("deliveries that wait for the purged source")
                                .isZero());
            }
            assertThat(written(connection))
                    .as("what its owner wrote into the connection")
                    .isEmpty();
            assertThat(receiver.requests()).hasSize(1);
            assertThat(api.post(restorePath(source), "{}").status()).isEqualTo(404);
            assertThat(api.ingest(source.text("ingest_path"), "{}").status()).isEqualTo(404);
        }
    }

    private static String written(ApiClient.ApiResponse connection) {
        try (var db = sluice.db()) {
            return db.call(tx ->
                    tx.single(
                            """
                            select concat(filter, transformation) as written
                              from connection
                             where id = ?::uuid and deleted_at is not null
                            """,
                            row -> row.text("written"),
                            connection.text("id")));
        }
    }

    private static java.net.http.HttpRequest.BodyPublisher noBody() {
        return java.net.http.HttpRequest.BodyPublishers.noBody();
    }

    private static void delete(ApiClient.ApiResponse source) {
        assertThat(api.delete("/api/v1/sources/" + source.text("id")).status()).isEqualTo(204);
    }

    private static String restorePath(ApiClient.ApiResponse source) {
        return "/api/v1/sources/" + source.text("id") + "/restore";
    }

    private static JsonNode trashed(String name) {
        return api.get("/api/v1/sources/trash?q=" + name.replace(" ", "%20"))
                .json()
                .path("items")
                .path(0);
    }

    private static List<String> names(ApiClient.ApiResponse list) {
        return list.json()
                .path("items")
                .valueStream()
                .map((JsonNode item) -> item.path("name").asString())
                .toList();
    }
}
