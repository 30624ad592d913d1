package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.HashMap;

/// The public status while a part of the server does not get on.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DegradedStatusTest {

    @AutoClose private final RunningSluice sluice = RunningSluice.start();
    @AutoClose private final Db db = sluice.db();
    private final ApiClient api = sluice.api();

    @AfterEach
    void it_recovers_by_itself() {
        await().untilAsserted(() ->
                assertThat(status().path("status").asString())
                        .as(status().toString())
                        .isEqualTo("ok"));
    }

    private JsonNode status() {
        var answer = api.send(api.anonymous("/api/v1/status").GET());
        assertThat(answer.status()).isEqualTo(200);
        return answer.json();
    }

    private void awaitReason(String component, String reason) {
        await().untilAsserted(() -> {
            var status = status();
            assertThat(status.path("status").asString()).isEqualTo("degraded");
            assertThat(status.path("components").path(component).asString()).isEqualTo("degraded");
            assertThat(status.path("reasons").toString()).contains(reason);
        });
    }

    @Test
    void a_loop_that_fails_again_and_again_is_named() {
        db.run(tx -> tx.update("alter table lane rename to elsewhere"));
        awaitReason("background", "The background task \\\"backlog\\\" fails again and again.");
        db.run(tx -> tx.update("alter table elsewhere rename to lane"));
    }

    @Test
    void commits_that_fail_are_told_and_what_they_hold_is_not_lost() throws IOException {
        try (var receiver = Receiver.start()) {
            var source = api.source("s");
            api.connect(source, api.destination(receiver.url(), ""));
            db.run(tx -> {
                tx.update(
                        """
                        create function be_full() returns trigger language plpgsql as $$
                        begin
                          raise exception 'No space left on device' using errcode = '53100';
                        end $$
                        """);
                tx.update(
                        "create trigger full_disk before insert on delivery for each row execute"
                                + " function be_full()");
            });
            var event = api.ingest(source.text("ingest_path"), "{}");
            awaitReason("delivery", "Results cannot be written: commits fail.");
            assertThat(status().toString()).doesNotContain(source.text("id"));

            db.run(tx -> tx.update("drop trigger full_disk on delivery"));
            await().until(() ->
                    api.get("/api/v1/events/" + event.text("request_id"))
                            .json()
                            .path("deliveries")
                            .get(0)
                            .path("status")
                            .asString()
                            .equals("succeeded"));
            assertThat(receiver.requests()).hasSize(1);
        }
    }

    @Test
    void a_day_whose_tables_cannot_be_made_is_told_while_its_webhooks_are_refused() {
        var source = api.source("s");
        var bounds = new HashMap<String, String>();
        db.run(tx -> {
            boolean _ =
                    tx.query(
                                    """
                                    select relname, pg_get_expr(relpartbound, oid) as bounds from pg_class
                                     where relname ~ '^event_[0-9]{8}$'
                                    """,
                                    row -> bounds.put(row.text("relname"), row.text("bounds")))
                            .isEmpty();
            // their names are taken by tables that are no partitions
            bounds.keySet().forEach(day -> tx.update("alter table event detach partition " + day));
        });
        var path = source.text("ingest_path");
        assertThat(api.send(api.anonymous(path).POST(BodyPublishers.ofString("{}"))).status())
                .isEqualTo(500);
        awaitReason("ingest", "Events cannot be stored: commits fail.");

        db.run(tx ->
                bounds.forEach((day, range) ->
                        tx.update("alter table event attach partition " + day + " " + range)));
        await().untilAsserted(() ->
                assertThat(
                                api.send(api.anonymous(path).POST(BodyPublishers.ofString("{}")))
                                        .status())
                        .isEqualTo(200));
    }
}
