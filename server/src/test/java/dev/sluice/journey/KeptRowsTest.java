package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.account.changes.AuditActor;
import dev.sluice.account.changes.AuditTrail;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Person;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.net.http.HttpRequest;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

/// Tests how many rows a workspace or an account can make the server keep beside its configuration.
class KeptRowsTest {

    private static final ManualClock clock = ManualClock.ofNow();

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(clock, Map.of("SLUICE_REGISTRATION", "open"));

    @AutoClose private static final Db db = sluice.db();

    private static UUID workspace(ApiClient api) {
        return UUID.fromString(
                api.get("/api/v1/me").json().path("workspace").path("id").asString());
    }

    private static long count(String table, String column, UUID id) {
        return db.call(tx ->
                tx.single(
                        "select count(*) as n from %s where %s = ?".formatted(table, column),
                        row -> row.number("n"),
                        id));
    }

    private static int keyedPost(ApiClient api) {
        return api.send(
                        api.request("/api/v1/sources")
                                .header("Content-Type", "application/json")
                                .header("Idempotency-Key", UUID.randomUUID().toString())
                                .POST(HttpRequest.BodyPublishers.ofString("{\"name\":\"s\"}")))
                .status();
    }

    private static void fillKeys(UUID workspace, int keys, int bytes) {
        db.run(tx -> {
            tx.update("delete from idempotency_key where owner_id = ?", workspace);
            tx.update(
                    """
                    insert into idempotency_key (owner_id, key, answer, created_at)
                    select ?, 'k' || n, convert_to(repeat('x', ?), 'UTF8'), ?
                      from generate_series(1, ?) as n
                    """,
                    workspace,
                    bytes,
                    clock.instant(),
                    keys);
        });
    }

    @Test
    void a_workspace_keeps_ten_thousand_answers_of_32_mib_in_all() {
        var api = WorkspaceFixture.create(sluice, "business");
        var workspace = workspace(api);

        fillKeys(workspace, 9_999, 10);
        assertThat(keyedPost(api)).isEqualTo(201);
        assertThat(keyedPost(api)).isEqualTo(429);
        fillKeys(workspace, 32, 1024 * 1024);
        assertThat(keyedPost(api)).isEqualTo(429);

        assertThat(count("idempotency_key", "owner_id", workspace)).isEqualTo(32);
        assertThat(api.post("/api/v1/sources", "{'name': 'without a key'}").status())
                .isEqualTo(201);
    }

    @Test
    void the_audit_log_keeps_the_newest_hundred_thousand_entries() {
        var workspace = UUID.randomUUID();
        var ids = new Uuid7(clock, new Random(5));
        db.run(tx -> {
            tx.update(
                    """
                    insert into audit_log (id, workspace_id, actor_kind, actor_name, address, action,
                                           target_id, target_name, fields)
                    select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, ?,
                           'operator', '', '', 'source.updated', ?, '', ''
                      from generate_series(1, 101000) as n
                    """,
                    workspace,
                    workspace);
            var trail = new AuditTrail(AuditActor.operator(), "", ids);
            for (int i = 0; i < 2_000; i++) {
                trail.record(
                        tx, new WorkspaceId(workspace), "source.updated", workspace, "", Set.of());
            }
        });

        assertThat(count("audit_log", "workspace_id", workspace)).isBetween(100_000L, 101_000L);
    }

    @Test
    void an_account_has_a_hundred_sessions_and_the_oldest_end() {
        var person = Person.register(sluice.api(), "sessions@example.com");
        var account =
                db.call(tx ->
                        tx.single(
                                "select id from account where email = 'sessions@example.com'",
                                row -> row.uuid("id")));
        db.run(tx ->
                tx.update(
                        """
                        insert into session
                        select (jsonb_populate_record(
                                  session,
                                  jsonb_build_object(
                                    'id', gen_random_uuid(),
                                    'token_hash', '\\x' || encode(sha256(n::text::bytea), 'hex'),
                                    'last_seen_at', last_seen_at - n * interval '1 second'))).*
                          from session, generate_series(1, 120) as n
                         where account_id = ?
                        """,
                        account));

        var newest = Person.signIn(sluice.api(), "sessions@example.com");

        assertThat(count("session", "account_id", account)).isEqualTo(100);
        assertThat(newest.get("/api/v1/me").status()).isEqualTo(200);
        assertThat(person.get("/api/v1/me").status()).isEqualTo(200);
    }

    @Test
    void a_workspace_has_a_thousand_members_and_invites_together() {
        var owner = Person.register(sluice.api(), "inviter@example.com");
        var workspace =
                UUID.fromString(
                        owner.get("/api/v1/me").json().path("workspace").path("id").asString());
        String path = "/api/v1/workspaces/" + workspace + "/invites";
        assertThat(owner.post(path, "{'email':'a@example.com','role':'member'}").status())
                .isEqualTo(201);
        db.run(tx ->
                tx.update(
                        """
                        insert into invite
                        select (jsonb_populate_record(
                                  invite,
                                  jsonb_build_object(
                                    'id', gen_random_uuid(),
                                    'email', 'n' || n || '@example.com',
                                    'token_hash', '\\x' || encode(sha256(n::text::bytea), 'hex')))).*
                          from invite, generate_series(1, 998) as n
                         where workspace_id = ?
                        """,
                        workspace));

        assertThat(owner.post(path, "{'email':'b@example.com','role':'member'}").status())
                .isEqualTo(409);
        assertThat(owner.post(path, "{'email':'a@example.com','role':'admin'}").status())
                .as("another invite for the same address")
                .isEqualTo(201);
    }
}
