package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.Person;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;

/// Tests what ends with a person's account, and what goes on.
class AccountEndTest {

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"));

    private static final ApiClient api = sluice.api();

    private static ApiResponse deleteAccount(Person person, String password) {
        return person.send(
                person.request("/api/v1/auth/account")
                        .header("Content-Type", "application/json")
                        .method(
                                "DELETE",
                                HttpRequest.BodyPublishers.ofString(
                                        "{\"password\":\"" + password + "\"}")));
    }

    private static String workspaceOf(Person person) {
        return "/api/v1/workspaces/"
                + person.get("/api/v1/me").json().path("workspace").path("id").asString();
    }

    /// Registers a person who joins the owner's workspace and has no other one.
    private static Person join(Person owner, String email, String role) {
        var invite =
                owner.post(
                        workspaceOf(owner) + "/invites",
                        "{'email':'" + email + "','role':'" + role + "'}");
        return Person.registerInvited(api, email, invite.text("token"));
    }

    @Test
    void sessions_and_invites_end_and_the_keys_go_on_without_a_creator() {
        var owner = Person.register(api, "owner1@example.com");
        var workspace = workspaceOf(owner);
        var admin = join(owner, "admin1@example.com", "admin");
        var elsewhere = Person.signIn(api, "admin1@example.com");
        var guest = Person.register(api, "guest1@example.com");
        var invite =
                admin.post(
                        workspace + "/invites", "{'email':'guest1@example.com','role':'member'}");
        var key =
                new ApiClient(
                        sluice.port(),
                        admin.post("/api/v1/api-keys", "{'name':'Deploy'}").text("key"));
        assertThat(key.get(workspace + "/members").status()).isEqualTo(200);

        var deleted = deleteAccount(admin, Person.PASSWORD);

        assertThat(deleted.status()).as(deleted.body()).isEqualTo(204);
        assertThat(deleted.header("Set-Cookie").orElse("")).contains("Max-Age=0");
        assertThat(admin.get("/api/v1/me").status()).isEqualTo(401);
        assertThat(elsewhere.get("/api/v1/me").status()).isEqualTo(401);
        assertThat(
                        guest.post(
                                        "/api/v1/invites/accept",
                                        "{'token':'" + invite.text("token") + "'}")
                                .status())
                .isEqualTo(404);
        assertThat(owner.get(workspace + "/members").json().path("items")).hasSize(1);
        assertThat(owner.get("/api/v1/audit-log").body()).contains("person.account_deleted");
        assertThat(key.get("/api/v1/sources").status()).as("the key goes on").isEqualTo(200);
        assertThat(key.get(workspace + "/members").status()).isEqualTo(403);
        assertThat(key.get(workspace + "/invites").status()).isEqualTo(403);
        assertThat(key.get("/api/v1/workspaces").json().path("items")).isEmpty();
        var listed = owner.get("/api/v1/api-keys").json().path("items").get(0);
        assertThat(listed.path("name").asString()).isEqualTo("Deploy");
        assertThat(listed.path("created_by").isNull()).isTrue();
        assertThat(Person.tryRegister(api, "admin1@example.com").status())
                .as("the address is free again")
                .isEqualTo(201);
    }

    @Test
    void the_last_owner_of_a_workspace_is_refused_and_told_which() {
        var owner = Person.register(api, "owner2@example.com");
        owner.post("/api/v1/workspaces", "{'name':'Payments'}");
        var other = join(owner, "other2@example.com", "member");
        var otherId = other.get("/api/v1/me").json().path("user").path("id").asString();

        var refused = deleteAccount(owner, Person.PASSWORD);
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.body()).contains("the last owner of Main, Payments.");

        owner.post(workspaceOf(owner) + "/transfer", "{'user_id':'" + otherId + "'}");
        var stillRefused = deleteAccount(owner, Person.PASSWORD);
        assertThat(stillRefused.status()).isEqualTo(409);
        assertThat(stillRefused.body()).contains("the last owner of Payments.");
        assertThat(owner.get("/api/v1/me").status()).as("nothing changed").isEqualTo(200);
    }

    @Test
    void of_two_owners_who_go_at_once_one_stays() throws Exception {
        var one = Person.register(api, "one3@example.com");
        var workspace = workspaceOf(one);
        var two = join(one, "two3@example.com", "member");
        var twoId = two.get("/api/v1/me").json().path("user").path("id").asString();
        one.patch(workspace + "/members/" + twoId, "{'role':'owner'}");

        try (var threads = Executors.newFixedThreadPool(2)) {
            List<Callable<Integer>> deletions =
                    List.of(
                            () -> deleteAccount(one, Person.PASSWORD).status(),
                            () -> deleteAccount(two, Person.PASSWORD).status());
            var statuses =
                    threads.invokeAll(deletions).stream()
                            .map(future -> future.resultNow())
                            .toList();
            assertThat(statuses).containsExactlyInAnyOrder(204, 409);
        }
    }

    @Test
    void a_wrong_password_or_a_key_deletes_nothing() {
        var person = Person.register(api, "owner4@example.com");

        assertThat(deleteAccount(person, "wrong password").status()).isEqualTo(403);
        var empty =
                person.send(
                        person.request("/api/v1/auth/account")
                                .header("Content-Type", "application/json")
                                .method("DELETE", HttpRequest.BodyPublishers.ofString("{}")));
        assertThat(empty.status()).isEqualTo(422);
        assertThat(empty.body()).contains("password");
        assertThat(api.delete("/api/v1/auth/account").status()).as("a key").isEqualTo(403);
        assertThat(person.get("/api/v1/me").status()).isEqualTo(200);
    }
}
