package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.account.changes.AuditLogTrimmer;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Person;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// Tests what the audit log shows of changes, and to whom.
class AuditLogTest {

    private static final Instant START = Instant.parse("2026-03-10T12:00:20Z");
    private static final ManualClock clock = new ManualClock(START);

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(
                    clock,
                    Map.of("SLUICE_REGISTRATION", "open", "SLUICE_TRUSTED_PROXIES", "127.0.0.0/8"));

    @AutoClose private static final Db db = sluice.db();

    private static int people;

    private Person owner;

    @BeforeEach
    void register() {
        owner = newPerson();
    }

    private static Person newPerson() {
        people++;
        return Person.register(sluice.api(), "person" + people + "@example.com");
    }

    private static JsonNode log(Person reader, String query) {
        var answer = reader.get("/api/v1/audit-log" + query);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private static List<String> actions(Person reader, String query) {
        return log(reader, query)
                .path("items")
                .valueStream()
                .map(item -> item.path("action").asString())
                .toList();
    }

    private static JsonNode newest(Person reader) {
        return log(reader, "").path("items").path(0);
    }

    private static String idOf(Person person) {
        return person.get("/api/v1/me").json().path("user").path("id").asString();
    }

    private static String workspaceOf(Person person) {
        return person.get("/api/v1/me").json().path("workspace").path("id").asString();
    }

    private ApiClient newKey() {
        var key = owner.post("/api/v1/api-keys", "{'name':'Deploy'}");
        return new ApiClient(sluice.port(), key.text("key"));
    }

    @Test
    void an_entry_says_who_changed_what_when_and_from_where_without_values() {
        var source = owner.post("/api/v1/sources", "{'name':'Shop'}");
        String path = "/api/v1/sources/" + source.text("id");
        String secret = "'secret':'do-not-show-me'";
        owner.send(
                owner.request(path)
                        .header("Content-Type", "application/json")
                        .header("X-Forwarded-For", "203.0.113.7")
                        .method(
                                "PATCH",
                                HttpRequest.BodyPublishers.ofString(
                                        ("{'status':'paused','verification_config':{"
                                                        + "'provider':'provider_payments',"
                                                        + secret
                                                        + "}}")
                                                .replace('\'', '"'))));

        var entry = newest(owner);

        assertThat(entry.path("action").asString()).isEqualTo("source.updated");
        assertThat(entry.path("actor").path("kind").asString()).isEqualTo("user");
        assertThat(entry.path("actor").path("id").asString()).isEqualTo(idOf(owner));
        assertThat(entry.path("actor").path("name").asString()).isEqualTo("person" + people);
        assertThat(entry.path("address").asString()).isEqualTo("203.0.113.7");
        assertThat(entry.path("target").path("id").asString()).isEqualTo(source.text("id"));
        assertThat(entry.path("target").path("name").asString()).isEqualTo("Shop");
        assertThat(entry.path("fields").toString())
                .isEqualTo("[\"status\",\"verification_config\"]");
        assertThat(Instant.parse(entry.path("created_at").asString()))
                .isBetween(START, clock.instant().plusSeconds(1));
        assertThat(log(owner, "").toString()).doesNotContain("do-not-show-me");
    }

    @Test
    void a_change_that_is_refused_leaves_no_entry() {
        owner.post("/api/v1/sources", "{'name':''}");
        owner.patch("/api/v1/sources/" + UUID.randomUUID(), "{'name':'x'}");
        owner.delete("/api/v1/destinations/" + UUID.randomUUID());

        assertThat(actions(owner, "")).containsExactly("workspace.created");
    }

    @Test
    void resends_are_named_with_the_key_that_asked() {
        var key = newKey();
        var source = key.source("Shop");
        var connection =
                key.connect(
                        source, key.destination("https://example.com/hook", ",'status':'paused'"));
        var event = key.ingest(source.text("ingest_path"), "{}").text("request_id");
        assertThat(key.post("/api/v1/events/" + event + "/resend", "{}").status()).isEqualTo(202);

        var entry = newest(owner);
        assertThat(entry.path("action").asString()).isEqualTo("event.resent");
        assertThat(entry.path("target").path("id").asString()).isEqualTo(event);
        assertThat(entry.path("actor").path("kind").asString()).isEqualTo("key");
        assertThat(entry.path("actor").path("name").asString()).isEqualTo("Deploy");

        db.run(tx ->
                tx.update(
                        """
                        insert into delivery (id, finished_at, source_id, connection_id, status,
                                              trigger, attempts)
                        select id, ?, source_id, connection_id, 5, 1, 1
                          from delivery_work
                         where connection_id = ?
                        """,
                        clock.instant(),
                        UUID.fromString(connection.text("id"))));
        db.run(tx ->
                tx.update(
                        "delete from delivery_work where connection_id = ?",
                        UUID.fromString(connection.text("id"))));
        var resent =
                key.post(
                        "/api/v1/deliveries/resend-bulk",
                        "{'connection_id':'" + connection.text("id") + "'}");
        assertThat(resent.status()).as(resent.body()).isEqualTo(202);

        var bulk = newest(owner);
        assertThat(bulk.path("action").asString()).isEqualTo("connection.resent");
        assertThat(bulk.path("target").path("name").asString()).isEqualTo("Shop to d");
    }

    @Test
    void a_job_that_is_cancelled_is_named() {
        UUID id = UUID.randomUUID();
        var nobody = new UUID(0, 0);
        db.run(tx ->
                tx.update(
                        """
                        insert into replay_job (id, workspace_id, source_id, connection_id, owner,
                                                connections, statuses, status, planned, created_at, updated_at,
                                                after_id, to_id, lease_until)
                        values (?, ?, ?, ?, ?, array[?::uuid], '{5}', 'running', 0, ?, ?, ?, ?, ?)
                        """,
                        id,
                        UUID.fromString(workspaceOf(owner)),
                        nobody,
                        nobody,
                        nobody,
                        nobody,
                        START,
                        START,
                        nobody,
                        nobody,
                        START.plus(Duration.ofDays(3_000)))); // leased, so that no worker ends it

        var cancelled = owner.post("/api/v1/replays/" + id + "/cancel", "");

        assertThat(cancelled.status()).as(cancelled.body()).isEqualTo(200);
        assertThat(newest(owner).path("action").asString()).isEqualTo("replay.cancelled");
        assertThat(newest(owner).path("target").path("id").asString()).isEqualTo(id.toString());
    }

    @Test
    void who_joins_by_an_invite_is_named() {
        var guest = newPerson();
        var invite =
                owner.post(
                        "/api/v1/workspaces/" + workspaceOf(owner) + "/invites",
                        "{'email':'person%d@example.com','role':'member'}".formatted(people));
        String guestId = idOf(guest);
        assertThat(
                        guest.post(
                                        "/api/v1/invites/accept",
                                        "{'token':'" + invite.text("token") + "'}")
                                .status())
                .isEqualTo(200);

        var entry = newest(owner);
        assertThat(entry.path("action").asString()).isEqualTo("invite.accepted");
        assertThat(entry.path("actor").path("id").asString()).isEqualTo(guestId);
        assertThat(entry.path("target").path("name").asString())
                .isEqualTo("person%d@example.com".formatted(people));
        assertThat(log(owner, "").toString()).doesNotContain(invite.text("token"));
    }

    @Test
    void a_persons_own_changes_are_in_each_workspace_of_the_person() {
        var second = owner.post("/api/v1/workspaces", "{'name':'Second'}");
        owner.post(
                "/api/v1/auth/password",
                "{'current_password':'%s','new_password':'even more correct horse'}"
                        .formatted(Person.PASSWORD));

        assertThat(actions(owner, ""))
                .containsExactly("person.password_changed", "workspace.created");
        owner.post("/api/v1/workspaces/" + second.text("id") + "/switch", "");
        assertThat(actions(owner, ""))
                .containsExactly("person.password_changed", "workspace.created");
    }

    @Test
    void only_admins_and_owners_read_it_and_no_key() {
        assertThat(newKey().get("/api/v1/audit-log").status()).isEqualTo(403);
        var member = newPerson();
        var invite =
                owner.post(
                        "/api/v1/workspaces/" + workspaceOf(owner) + "/invites",
                        "{'email':'person%d@example.com','role':'member'}".formatted(people));
        member.post("/api/v1/invites/accept", "{'token':'" + invite.text("token") + "'}");

        assertThat(member.get("/api/v1/audit-log").status()).isEqualTo(403);
        assertThat(actions(newPerson(), "")).as("the own one").containsExactly("workspace.created");
    }

    @Test
    void it_is_read_in_pages_and_by_actor_action_and_time() {
        var key = newKey();
        key.source("one");
        clock.advance(Duration.ofHours(1));
        var noon = clock.instant();
        clock.advance(Duration.ofHours(1));
        owner.post("/api/v1/sources", "{'name':'two'}");
        owner.post("/api/v1/destinations", "{'name':'d','url':'https://example.com/hook'}");

        assertThat(actions(owner, ""))
                .containsExactly(
                        "destination.created",
                        "source.created",
                        "source.created",
                        "api_key.created",
                        "workspace.created");
        assertThat(actions(owner, "?limit=1&page=2")).containsExactly("source.created");
        assertThat(log(owner, "?limit=1&page=2").path("total").asInt()).isEqualTo(5);
        assertThat(actions(owner, "?action=source.created")).hasSize(2);
        assertThat(actions(owner, "?after=" + noon)).hasSize(2);
        assertThat(actions(owner, "?before=" + noon))
                .containsExactly("source.created", "api_key.created", "workspace.created");
        assertThat(actions(owner, "?actor_id=" + idOf(owner) + "&action=source.created"))
                .hasSize(1);
        assertThat(log(owner, "?actor_id=" + UUID.randomUUID()).path("total").asInt()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    ?actor_id=me    | 400 | actor_id must be a UUID.
                    ?limit=201      | 422 | limit must be from 1 to 200.
                    ?action=%00     | 400 | action must not contain the NUL character.
                    """)
    void a_wrong_parameter_is_named(String query, int status, String message) {
        var refused = owner.get("/api/v1/audit-log" + query);

        assertThat(refused.status()).isEqualTo(status);
        assertThat(refused.errorMessage()).isEqualTo(message);
    }

    @Test
    void a_deleted_keys_name_stays() {
        newKey().source("one");
        var key = owner.get("/api/v1/api-keys").json().path("items").path(0).path("id");
        owner.delete("/api/v1/api-keys/" + key.asString());

        var byKey = log(owner, "?action=source.created").path("items").path(0).path("actor");
        assertThat(byKey.path("name").asString()).isEqualTo("Deploy");
    }

    @Test
    void an_entry_goes_after_400_days() {
        owner.post("/api/v1/sources", "{'name':'one'}");
        var atMost400Days =
                new AuditLogTrimmer(db, () -> clock.instant().plus(Duration.ofDays(399)));
        assertThat(atMost400Days.run()).isFalse();
        assertThat(actions(owner, "")).hasSize(2);

        var more = new AuditLogTrimmer(db, () -> clock.instant().plus(Duration.ofDays(401)));
        assertThat(more.run()).isFalse();

        assertThat(actions(owner, "")).isEmpty();
    }
}
