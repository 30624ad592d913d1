package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.ManualClock;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/// Tests the ingest tokens of sources: rotation, and tokens of one's own.
class SourceTokenTest {

    private static final ManualClock clock = ManualClock.ofNow();

    @AutoClose private static final RunningSluice first = RunningSluice.start(clock);
    private static final RunningSluice second = first.second();
    private static final ApiClient api = first.api();

    /// The client of a node that must learn of each change.
    private static final ApiClient other = api.onPort(second.port());

    @Test
    void the_old_token_goes_on_for_the_overlap_and_stops_by_itself_on_every_node() {
        var source = api.source("rotated");
        String old = source.text("ingest_path");

        var rotated = rotate(source, "{'overlap_seconds': 3600}");

        String fresh = rotated.text("ingest_path");
        assertThat(rotated.status()).isEqualTo(200);
        assertThat(rotated.text("token")).matches("[0-9A-Za-z]{32}");
        assertThat(fresh).isEqualTo("/in/" + rotated.text("token")).isNotEqualTo(old);
        assertThat(Instant.parse(rotated.text("previous_token_until")))
                .isBetween(clock.instant().plusSeconds(3_599), clock.instant().plusSeconds(3_600));
        assertThat(api.get(path(source)).json()).isEqualTo(rotated.json());
        await().untilAsserted(() -> assertThat(status(other, fresh)).isEqualTo(200));
        for (var node : new ApiClient[] {api, other}) {
            assertThat(status(node, old)).isEqualTo(200);
            assertThat(status(node, fresh)).isEqualTo(200);
        }

        clock.advance(Duration.ofHours(1));

        for (var node : new ApiClient[] {api, other}) {
            var unknown = node.ingest("/in/" + "0".repeat(32), "{}");
            var ended = node.ingest(old, "{}");
            assertThat(ended.status()).isEqualTo(404).isEqualTo(unknown.status());
            assertThat(ended.errorMessage()).isEqualTo(unknown.errorMessage());
            assertThat(status(node, fresh)).isEqualTo(200);
        }
    }

    @Test
    void without_an_overlap_the_old_token_ends_at_once() {
        var source = api.source("leaked");

        var rotated = rotate(source, "{'overlap_seconds': 0}");

        assertThat(status(api, source.text("ingest_path"))).isEqualTo(404);
        assertThat(status(api, rotated.text("ingest_path"))).isEqualTo(200);
        await().untilAsserted(
                        () -> assertThat(status(other, source.text("ingest_path"))).isEqualTo(404));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{'overlap_seconds': null}"})
    void the_overlap_is_a_day_unless_it_is_given(String body) {
        var rotated = rotate(api.source("a day"), body);

        assertThat(Instant.parse(rotated.text("previous_token_until")))
                .isBetween(
                        clock.instant().plusSeconds(86_399), clock.instant().plusSeconds(86_400));
    }

    @Test
    void a_second_rotation_ends_the_oldest_token() {
        var source = api.source("rotated twice");
        var once = rotate(source, "{}");

        var twice = rotate(source, "{}");

        assertThat(status(api, source.text("ingest_path"))).isEqualTo(404);
        assertThat(status(api, once.text("ingest_path"))).isEqualTo(200);
        assertThat(status(api, twice.text("ingest_path"))).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"-1", "604801", "1.5", "'\"long\"'"})
    void a_wrong_overlap_is_refused(String overlap) {
        var source = api.source("kept");

        var refused = rotate(source, "{'overlap_seconds': " + overlap + "}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage())
                .isEqualTo("overlap_seconds must be a whole number from 0 to 604800.");
        assertThat(api.get(path(source)).text("token")).isEqualTo(source.text("token"));
    }

    @Test
    void the_overlap_goes_through_the_trash_and_a_trashed_source_cannot_be_rotated() {
        var source = api.source("trashed");
        var rotated = rotate(source, "{}");
        api.delete(path(source));

        assertThat(rotate(source, "{}").status()).isEqualTo(404);
        assertThat(status(api, source.text("ingest_path"))).isEqualTo(404);
        assertThat(status(api, rotated.text("ingest_path"))).isEqualTo(404);

        api.post(path(source) + "/restore", "{}");

        assertThat(status(api, source.text("ingest_path"))).isEqualTo(200);
        assertThat(status(api, rotated.text("ingest_path"))).isEqualTo(200);
    }

    @Test
    void another_workspaces_source_is_out_of_reach() {
        var source = api.source("ours");

        assertThat(
                        WorkspaceFixture.create(first, "team")
                                .post(path(source) + "/rotate-token", "{}"))
                .extracting(ApiResponse::status)
                .isEqualTo(404);
        assertThat(api.get(path(source)).text("token")).isEqualTo(source.text("token"));
    }

    @Test
    void the_audit_log_says_that_a_token_was_rotated_and_shows_none() {
        var source = api.source("audited");
        var rotated = rotate(source, "{}");

        var log =
                first.db()
                        .call(tx ->
                                tx.query(
                                        "select audit_log::text as entry from audit_log where"
                                                + " target_id = ?",
                                        row -> row.text("entry"),
                                        UUID.fromString(source.text("id"))));

        assertThat(log).anyMatch(entry -> entry.contains("source.token_rotated"));
        assertThat(log.toString())
                .doesNotContain(source.text("token"))
                .doesNotContain(rotated.text("token"));
    }

    @ParameterizedTest
    @ValueSource(ints = {22, 64})
    void a_source_is_created_with_a_token_of_ones_own(int length) {
        String token = token(length);

        var source = create(api, token);

        assertThat(source.status()).isEqualTo(201);
        assertThat(source.text("token")).isEqualTo(token);
        assertThat(source.json().path("previous_token_until").isNull()).isTrue();
        assertThat(status(api, "/in/" + token)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'abcdefghijklmnopqrstu'",
                "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'",
                "'abcdefghijklmnopqrstu-'",
                "'abcdefghijklmnopqrstuv\\n'",
                "'abcdefghijklmnopqrstuv/x'",
                "'ăbcdefghijklmnopqrstuvw'",
                "''"
            })
    void a_wrong_token_is_refused(String token) {
        var refused = api.post("/api/v1/sources", "{'name': 's', 'token': " + token + "}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage())
                .isEqualTo("token must have 22 to 64 letters (a to z, A to Z) and digits.");
    }

    @Test
    void a_token_that_is_in_use_is_refused_alike_wherever_it_is() {
        var team = WorkspaceFixture.create(first, "team");
        var living = api.source("living");
        var trashed = api.source("in the trash");
        api.delete(path(trashed));
        var rotated = api.source("in overlap");
        rotate(rotated, "{}");

        for (var asker : new ApiClient[] {api, team}) {
            for (var used : new ApiResponse[] {living, trashed, rotated}) {
                var refused = create(asker, used.text("token"));
                assertThat(refused.status()).isEqualTo(409);
                assertThat(refused.errorMessage())
                        .isEqualTo("token is in use already. Choose another one.");
            }
        }
    }

    @Test
    void a_token_that_ended_is_free_in_its_workspace_only() {
        var team = WorkspaceFixture.create(first, "team");
        var source = api.source("moved");
        String old = source.text("token");
        rotate(source, "{'overlap_seconds': 0}");

        assertThat(create(team, old).status()).isEqualTo(409);
        var taken = create(api, old);

        assertThat(taken.status()).isEqualTo(201);
        assertThat(api.get(path(source)).json().path("previous_token_until").isNull()).isTrue();
        var event = api.ingest("/in/" + old, "{}");
        await().untilAsserted(() ->
                assertThat(api.get("/api/v1/events/" + event.text("request_id")).text("source_id"))
                        .isEqualTo(taken.text("id")));
        await().untilAsserted(() -> assertThat(status(other, "/in/" + old)).isEqualTo(200));
    }

    @Test
    void a_token_that_was_rotated_away_stays_its_workspaces() {
        var team = WorkspaceFixture.create(first, "team");
        var source = api.source("rotated on");
        String oldest = source.text("token");
        rotate(source, "{'overlap_seconds': 0}");
        rotate(source, "{'overlap_seconds': 0}");

        for (int i = 0; i < 2; i++) {
            var refused = create(team, oldest);
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.errorMessage())
                    .isEqualTo("token is in use already. Choose another one.");
            var taken = create(api, oldest);
            assertThat(taken.status()).isEqualTo(201);
            rotate(taken, "{'overlap_seconds': 0}");
            rotate(taken, "{'overlap_seconds': 0}");
        }
    }

    @Test
    void after_ten_thousand_later_ones_a_retired_token_is_free() {
        var team = WorkspaceFixture.create(first, "team");
        var other = WorkspaceFixture.create(first, "team");
        var source = team.source("rotated often");
        String oldest = source.text("token");
        for (int i = 0; i < 2; i++) {
            team.post(path(source) + "/rotate-token", "{'overlap_seconds': 0}");
        }
        assertThat(create(other, oldest).status()).isEqualTo(409);
        try (var db = first.db()) {
            db.run(tx ->
                    tx.update(
                            """
                            insert into retired_token (token_hash, workspace_id, retired_at)
                            select sha256(n::text::bytea), workspace_id, retired_at + interval '1 second'
                              from retired_token, generate_series(1, 10000) as n
                             where token_hash = sha256(convert_to(?, 'UTF8'))
                            """,
                            oldest));
        }

        team.post(path(source) + "/rotate-token", "{'overlap_seconds': 0}");

        assertThat(create(other, oldest).status()).isEqualTo(201);
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "'abcdefghijklmnopqrstuvwxyz'"})
    void a_change_cannot_set_the_token(String token) {
        var refused = api.patch(path(api.source("changed")), "{'token': " + token + "}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage())
                .isEqualTo(
                        "token can only be set when the source is created. POST"
                                + " /api/v1/sources/{id}/rotate-token gives it a new one.");
    }

    private static ApiResponse create(ApiClient client, String token) {
        return client.post("/api/v1/sources", "{'name': 'own', 'token': '" + token + "'}");
    }

    private static ApiResponse rotate(ApiResponse source, String body) {
        return api.post(path(source) + "/rotate-token", body);
    }

    private static String path(ApiResponse source) {
        return "/api/v1/sources/" + source.text("id");
    }

    private static int status(ApiClient node, String ingestPath) {
        return node.ingest(ingestPath, "{}").status();
    }

    private static String token(int length) {
        return (UUID.randomUUID() + "" + UUID.randomUUID()).replace("-", "").substring(0, length);
    }
}
