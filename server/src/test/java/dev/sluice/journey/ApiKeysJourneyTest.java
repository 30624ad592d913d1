package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Person;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Map;

/// Tests how people create and delete API keys, and what a key may do.
class ApiKeysJourneyTest {

    private static final String KEYS = "/api/v1/api-keys/";

    private static final ManualClock clock = new ManualClock(Some.NOON);

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(
                    clock,
                    Map.of("SLUICE_REGISTRATION", "open", "SLUICE_TRUSTED_PROXIES", "127.0.0.0/8"));

    private static final ApiClient api = sluice.api();

    private static ApiResponse create(Person person, String fields) {
        var created = person.post(KEYS, "{'name':'Deploy'" + fields + "}");
        assertThat(created.status()).isEqualTo(201);
        return created;
    }

    private static ApiClient client(ApiResponse created) {
        return new ApiClient(sluice.port(), created.text("key"));
    }

    private static JsonNode listed(Person person, ApiResponse created) {
        for (var key : person.get(KEYS).json().path("items")) {
            if (key.path("id").asString().equals(created.text("id"))) {
                return key;
            }
        }
        throw new AssertionError("not in the list");
    }

    private static void insertMember(Person owner, String email, String role) {
        var workspace = owner.get("/api/v1/me").json().path("workspace").path("id").asString();
        var person = Person.register(api, email);
        var invite =
                owner.post(
                        "/api/v1/workspaces/" + workspace + "/invites",
                        "{'email':'" + email + "','role':'" + role + "'}");
        assertThat(
                        person.post(
                                        "/api/v1/invites/accept",
                                        "{'token':'" + invite.text("token") + "'}")
                                .status())
                .isEqualTo(200);
    }

    @Test
    void a_new_key_is_shown_once_and_works_in_its_workspace() {
        var owner = Person.register(api, "keys1@example.com");

        var created = create(owner, "");

        String key = created.text("key");
        assertThat(key).matches("slk_[0-9A-Za-z]{36}").startsWith(created.text("prefix"));
        assertThat(created.text("prefix")).hasSize(12);
        assertThat(created.text("access")).isEqualTo("full");
        var list = owner.get(KEYS);
        assertThat(list.body()).doesNotContain(key);
        assertThat(list.json().path("items")).hasSize(1);
        assertThat(listed(owner, created).path("created_by").path("name").asString())
                .isEqualTo("keys1");
        assertThat(listed(owner, created).path("last_used_at").isNull()).isTrue();

        assertThat(client(created).get("/api/v1/me").text("auth")).isEqualTo("api_key");
        assertThat(client(created).get(KEYS).body()).isEqualTo(owner.get(KEYS).body());
        assertThat(listed(owner, created).path("last_used_at").asString())
                .isEqualTo(created.text("created_at"));
    }

    @Test
    void the_database_has_no_key() {
        var created = create(Person.register(api, "keys2@example.com"), "");

        try (var db = sluice.db()) {
            var rows =
                    db.call(tx ->
                            tx.query(
                                    "select api_key::text as row from api_key",
                                    row -> row.text("row")));
            assertThat(rows)
                    .isNotEmpty()
                    .noneMatch(row -> row.contains(created.text("key").substring(12)));
        }
    }

    @Test
    void a_deleted_key_ends_at_once_on_every_node() {
        var owner = Person.register(api, "keys3@example.com");
        var created = create(owner, "");
        try (var second = sluice.startBeside()) {
            var there = client(created).onPort(second.port());
            assertThat(there.get("/api/v1/me").status()).isEqualTo(200);

            assertThat(owner.delete(KEYS + created.text("id")).status()).isEqualTo(204);

            assertThat(there.get("/api/v1/me").status()).isEqualTo(401);
            assertThat(client(created).get("/api/v1/me").status()).isEqualTo(401);
            assertThat(owner.delete(KEYS + created.text("id")).status()).isEqualTo(404);
            assertThat(owner.get(KEYS).json().path("items")).isEmpty();
        }
    }

    @Test
    void keys_and_members_neither_create_nor_delete_keys() {
        var owner = Person.register(api, "keys4@example.com");
        insertMember(owner, "member4@example.com", "member");
        var admin = Person.signIn(api, "keys4@example.com");
        var created = create(admin, "");
        var key = client(created);
        var member = Person.signIn(api, "member4@example.com");
        var id = owner.get("/api/v1/me").json().path("workspace").path("id").asString();
        member.post("/api/v1/workspaces/" + id + "/switch", "");

        assertThat(key.post(KEYS, "{'name':'Another'}").status()).isEqualTo(403);
        assertThat(key.delete(KEYS + created.text("id")).status()).as("itself").isEqualTo(403);
        assertThat(member.get(KEYS).json().path("items")).hasSize(1);
        assertThat(member.post(KEYS, "{'name':'Another'}").status()).isEqualTo(403);
        assertThat(member.delete(KEYS + created.text("id")).status()).isEqualTo(403);
        assertThat(key.get("/api/v1/me").status()).isEqualTo(200);
    }

    @Test
    void an_admin_may_create_and_delete_keys_and_they_outlive_the_membership() {
        var owner = Person.register(api, "keys5@example.com");
        insertMember(owner, "admin5k@example.com", "admin");
        var admin = Person.signIn(api, "admin5k@example.com");
        var workspace =
                "/api/v1/workspaces/"
                        + owner.get("/api/v1/me").json().path("workspace").path("id").asString();
        admin.post(workspace + "/switch", "");
        var kept = create(admin, "");
        var deleted = create(admin, "");
        assertThat(admin.delete(KEYS + deleted.text("id")).status()).isEqualTo(204);

        assertThat(admin.post(workspace + "/leave", "").status()).isEqualTo(204);

        var key = client(kept);
        assertThat(key.get("/api/v1/sources").status()).isEqualTo(200);
        assertThat(key.get(workspace + "/members").status()).isEqualTo(403);
        assertThat(key.get(workspace + "/invites").status()).isEqualTo(403);
        assertThat(listed(owner, kept).path("created_by").path("name").asString())
                .isEqualTo("admin5k");
    }

    @Test
    void a_key_of_another_workspace_is_not_found() {
        var created = create(Person.register(api, "keys6@example.com"), "");
        var other = Person.register(api, "other6@example.com");

        assertThat(other.delete(KEYS + created.text("id")).status()).isEqualTo(404);
        assertThat(other.delete(KEYS + "no-uuid").status()).isEqualTo(404);
        assertThat(other.get(KEYS).json().path("items")).isEmpty();
        assertThat(client(created).get("/api/v1/me").status()).isEqualTo(200);
    }

    @Test
    void a_read_key_only_reads() {
        var owner = Person.register(api, "keys7@example.com");
        var key = client(create(owner, ",'access':'read'"));
        var source = owner.post("/api/v1/sources", "{'name':'Shop'}");
        String path = "/api/v1/sources/" + source.text("id");

        assertThat(key.get(path).status()).isEqualTo(200);
        var head = key.request(path).method("HEAD", HttpRequest.BodyPublishers.noBody());
        assertThat(key.send(head).status()).isEqualTo(200);
        var refused = key.delete(path);
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.errorCode()).isEqualTo("forbidden");
        assertThat(refused.errorMessage())
                .isEqualTo(
                        "This API key may only read, with GET and HEAD. Use a key with full"
                                + " access.");
        assertThat(key.patch(path, "{'name':'Mine'}").status()).isEqualTo(403);
        assertThat(key.post("/api/v1/sources", "{'name':'New'}").status()).isEqualTo(403);
        assertThat(key.get(path).text("name")).isEqualTo("Shop");
    }

    @Test
    void an_expired_key_is_401_and_the_message_says_so() {
        var owner = Person.register(api, "keys8@example.com");
        var end = clock.instant().plus(Duration.ofMinutes(2));
        var created = create(owner, ",'expires_at':'" + end + "'");
        assertThat(client(created).get("/api/v1/me").status()).isEqualTo(200);

        clock.advance(Duration.ofMinutes(2));

        var refused = client(created).get("/api/v1/me");
        assertThat(refused.status()).isEqualTo(401);
        assertThat(refused.errorMessage()).contains("expired");
        for (int i = 0; i < 30; i++) {
            assertThat(from("2001:db8:5:6::" + i, created.text("key")).status()).isEqualTo(401);
        }
        assertThat(from("2001:db8:5:6::", created.text("key")).status())
                .as("as with unknown keys")
                .isEqualTo(429);
        assertThat(listed(owner, created).path("expires_at").isNull()).isFalse();
    }

    @Test
    void who_sends_unknown_keys_must_wait_and_a_right_key_from_there_goes_on() {
        var key = client(create(Person.register(api, "keys10@example.com"), ""));
        for (int i = 0; i < 30; i++) {
            assertThat(from("2001:db8:1:2::" + i, "unknown").status()).isEqualTo(401);
        }

        var refused = from("2001:db8:1:2:3::", "unknown");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.errorCode()).isEqualTo("rate_limited");
        assertThat(refused.header("Retry-After")).contains("60");
        assertThat(from("2001:db8:1:3::", "unknown").status()).as("elsewhere").isEqualTo(401);
        var right = key.request("/api/v1/me").header("X-Forwarded-For", "2001:db8:1:2:3::").GET();
        assertThat(key.send(right).status()).isEqualTo(200);

        clock.advance(Duration.ofMinutes(1));
        assertThat(from("2001:db8:1:2::", "unknown").status()).isEqualTo(401);
    }

    private static ApiResponse from(String address, String key) {
        return api.send(
                api.anonymous("/api/v1/me")
                        .header("Authorization", "Bearer " + key)
                        .header("X-Forwarded-For", address)
                        .GET());
    }

    @Test
    void wrong_fields_are_named_and_a_workspace_has_a_hundred_keys_at_most() {
        var owner = Person.register(api, "keys9@example.com");

        assertThat(owner.post(KEYS, "{}").errorMessage()).isEqualTo("name is required.");
        assertThat(owner.post(KEYS, "{'name':'K','access':'admin'}").errorMessage())
                .isEqualTo("access must be one of full, read.");
        assertThat(
                        owner.post(KEYS, "{'name':'K','expires_at':'" + clock.instant() + "'}")
                                .errorMessage())
                .isEqualTo("expires_at must be in the future.");
        for (int i = 0; i < 100; i++) {
            create(owner, "");
        }
        assertThat(owner.post(KEYS, "{'name':'One too many'}").status()).isEqualTo(409);
    }
}
