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

import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.Map;

/// Tests workspaces, their members and their invites.
class WorkspaceMembersTest {

    private static final ManualClock clock = new ManualClock(Some.NOON);

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(clock, Map.of("SLUICE_REGISTRATION", "open"));

    private static final ApiClient api = sluice.api();

    private static String workspaceOf(Person person) {
        return person.get("/api/v1/me").json().path("workspace").path("id").asString();
    }

    private static String idOf(Person person) {
        return person.get("/api/v1/me").json().path("user").path("id").asString();
    }

    private static ApiResponse invite(Person by, String workspace, String email, String role) {
        return by.post(
                "/api/v1/workspaces/" + workspace + "/invites",
                "{'email':'" + email + "','role':'" + role + "'}");
    }

    private static ApiResponse accept(Person person, ApiResponse invite) {
        return person.post("/api/v1/invites/accept", "{'token':'" + invite.text("token") + "'}");
    }

    /// Registers a person who joins the workspace.
    private static Person join(Person owner, String email, String role) {
        var person = Person.register(api, email);
        var invite = invite(owner, workspaceOf(owner), email, role);
        assertThat(invite.status()).isEqualTo(201);
        assertThat(accept(person, invite).status()).isEqualTo(200);
        return person;
    }

    @Test
    void an_invited_person_joins_with_the_role_of_the_invite_and_only_once() {
        var owner = Person.register(api, "owner1@example.com");
        var workspace = workspaceOf(owner);
        var guest = Person.register(api, "guest1@example.com");
        var stranger = Person.register(api, "stranger1@example.com");
        var invite = invite(owner, workspace, "Guest1@example.com", "admin");

        assertThat(invite.text("accept_url")).endsWith("/invite#" + invite.text("token"));
        assertThat(invite.json().path("mail_queued").asBoolean())
                .as("this server sends no mail")
                .isFalse();
        assertThat(accept(stranger, invite).status()).as("for another address").isEqualTo(403);
        var joined = accept(guest, invite);
        assertThat(joined.status()).isEqualTo(200);
        assertThat(joined.text("role")).isEqualTo("admin");
        assertThat(workspaceOf(guest)).as("the session acts there").isEqualTo(workspace);
        assertThat(accept(guest, invite).status()).as("single use").isEqualTo(404);
        assertThat(invite(owner, workspace, "guest1@example.com", "member").status())
                .as("a member already")
                .isEqualTo(409);
        assertThat(guest.get("/api/v1/workspaces").json().path("items")).hasSize(2);
    }

    @Test
    void an_invite_expires_and_can_be_withdrawn_and_replaced() {
        var owner = Person.register(api, "owner2@example.com");
        var workspace = workspaceOf(owner);
        var guest = Person.register(api, "guest2@example.com");
        var first = invite(owner, workspace, "guest2@example.com", "member");
        var second = invite(owner, workspace, "guest2@example.com", "member");
        var path = "/api/v1/workspaces/" + workspace + "/invites";

        assertThat(accept(guest, first).status()).as("replaced").isEqualTo(404);
        assertThat(owner.get(path).json().path("items")).hasSize(1);
        assertThat(owner.get(path).body()).doesNotContain(second.text("token"));
        assertThat(owner.delete(path + "/" + second.text("id")).status()).isEqualTo(204);
        assertThat(owner.delete(path + "/" + second.text("id")).status()).isEqualTo(404);
        assertThat(accept(guest, second).status()).as("withdrawn").isEqualTo(404);

        var third = invite(owner, workspace, "guest2@example.com", "member");
        clock.advance(Duration.ofDays(7));
        assertThat(accept(guest, third).status()).as("expired").isEqualTo(404);
        assertThat(owner.get(path).json().path("items")).isEmpty();
        assertThat(invite(owner, workspace, "not an address", "member").status()).isEqualTo(422);
        assertThat(invite(owner, workspace, "a@b.example", "owner").status()).isEqualTo(422);
    }

    @Test
    void each_role_may_do_what_its_role_says() {
        var owner = Person.register(api, "owner3@example.com");
        var workspace = "/api/v1/workspaces/" + workspaceOf(owner);
        var admin = join(owner, "admin3@example.com", "admin");
        var member = join(owner, "member3@example.com", "member");
        var other = Person.register(api, "other3@example.com");

        assertThat(member.get("/api/v1/sources").status()).isEqualTo(200);
        assertThat(member.get(workspace + "/members").status()).isEqualTo(403);
        assertThat(member.patch(workspace, "{'name':'Mine'}").status()).isEqualTo(403);
        assertThat(admin.get(workspace + "/members").json().path("items")).hasSize(3);
        assertThat(admin.patch(workspace, "{'name':'Ours'}").text("name")).isEqualTo("Ours");
        assertThat(admin.patch(workspace + "/members/" + idOf(owner), "{'role':'member'}").status())
                .as("admins do not touch owners")
                .isEqualTo(403);
        assertThat(admin.delete(workspace + "/members/" + idOf(owner)).status()).isEqualTo(403);
        assertThat(admin.patch(workspace + "/members/" + idOf(admin), "{'role':'owner'}").status())
                .as("admins make no owners")
                .isEqualTo(403);
        assertThat(
                        admin.patch(workspace + "/members/" + idOf(member), "{'role':'admin'}")
                                .text("role"))
                .isEqualTo("admin");
        assertThat(
                        admin.post(workspace + "/transfer", "{'user_id':'" + idOf(admin) + "'}")
                                .status())
                .isEqualTo(403);

        assertThat(other.get(workspace + "/members").status()).isEqualTo(404);
        assertThat(other.patch(workspace, "{'name':'Theirs'}").status()).isEqualTo(404);
        assertThat(other.post(workspace + "/switch", "").status()).isEqualTo(404);
        assertThat(other.post(workspace + "/leave", "").status()).isEqualTo(404);
        assertThat(api.get(workspace + "/members").status()).as("another's key").isEqualTo(404);
        assertThat(api.patch(workspace, "{'name':'Theirs'}").status()).as("a key").isEqualTo(403);
    }

    @Test
    void a_person_owns_two_hundred_workspaces_at_most() {
        var owner = Person.register(api, "collector@example.com");
        for (int owned = 1; owned < 200; owned++) {
            assertThat(owner.post("/api/v1/workspaces", "{'name':'More'}").status()).isEqualTo(201);
        }

        var refused = owner.post("/api/v1/workspaces", "{'name':'Too many'}");

        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.body())
                .contains("at most 200 workspaces. Delete or transfer one first.");

        // Nor does somebody else make them the owner of another one.
        var giver = Person.register(api, "giver@example.com");
        var given = "/api/v1/workspaces/" + workspaceOf(giver);
        var invite = invite(giver, workspaceOf(giver), "collector@example.com", "admin");
        assertThat(accept(owner, invite).status()).isEqualTo(200);
        String member = "{'user_id':'" + idOf(owner) + "'}";
        assertThat(giver.post(given + "/transfer", member).status()).isEqualTo(409);
        var promoted = giver.patch(given + "/members/" + idOf(owner), "{'role':'owner'}");
        assertThat(promoted.status()).isEqualTo(409);
        assertThat(promoted.body()).contains("The member must delete or transfer one first");
        assertThat(giver.get("/api/v1/me").text("role")).isEqualTo("owner");
    }

    @Test
    void a_workspace_never_loses_its_last_owner() {
        var owner = Person.register(api, "owner4@example.com");
        var workspace = "/api/v1/workspaces/" + workspaceOf(owner);
        var member = join(owner, "member4@example.com", "member");

        assertThat(owner.post(workspace + "/leave", "").status()).isEqualTo(409);
        assertThat(owner.patch(workspace + "/members/" + idOf(owner), "{'role':'admin'}").status())
                .isEqualTo(409);
        assertThat(owner.delete(workspace + "/members/" + idOf(owner)).status()).isEqualTo(409);
        assertThat(
                        owner.post(workspace + "/transfer", "{'user_id':'" + idOf(member) + "'}")
                                .status())
                .isEqualTo(204);
        assertThat(owner.get("/api/v1/me").text("role")).isEqualTo("admin");
        assertThat(member.get("/api/v1/me").text("role")).isEqualTo("owner");
        assertThat(owner.post(workspace + "/leave", "").status()).isEqualTo(204);
        assertThat(owner.get("/api/v1/me").status()).as("a member of none").isEqualTo(403);
        assertThat(owner.post("/api/v1/workspaces", "{'name':'New'}").status()).isEqualTo(201);
    }

    @Test
    void who_is_removed_is_out_at_once_and_the_invites_of_that_person_are_gone() {
        var owner = Person.register(api, "owner5@example.com");
        var workspace = workspaceOf(owner);
        var path = "/api/v1/workspaces/" + workspace;
        var admin = join(owner, "admin5@example.com", "admin");
        var guest = Person.register(api, "guest5@example.com");
        var invite = invite(admin, workspace, "guest5@example.com", "member");

        assertThat(owner.delete(path + "/members/" + idOf(admin)).status()).isEqualTo(204);

        assertThat(admin.get("/api/v1/me").status()).isEqualTo(401);
        assertThat(accept(guest, invite).status()).isEqualTo(404);
        var again = Person.signIn(api, "admin5@example.com");
        assertThat(again.post(path + "/switch", "").status()).isEqualTo(404);
    }

    @Test
    void a_session_acts_in_the_workspace_that_it_switched_to() {
        var person = Person.register(api, "person6@example.com");
        person.post("/api/v1/sources", "{'name':'In the first'}");
        var second = person.post("/api/v1/workspaces", "{'name':'Second'}");

        assertThat(second.status()).isEqualTo(201);
        var switched = person.post("/api/v1/workspaces/" + second.text("id") + "/switch", "");
        assertThat(switched.text("name")).isEqualTo("Second");
        assertThat(workspaceOf(person)).isEqualTo(second.text("id"));
        assertThat(person.get("/api/v1/sources").json().path("items")).isEmpty();
    }

    @Test
    void a_workspace_is_changed_and_deleted_only_with_its_present_tag() {
        var owner = Person.register(api, "owner7@example.com");
        var stranger = Person.register(api, "stranger7@example.com");
        var created = owner.post("/api/v1/workspaces", "{'name':'Tagged'}");
        String path = "/api/v1/workspaces/" + created.text("id");
        String first = tag(created);

        assertThat(created.header("Location")).contains(path);
        assertThat(tag(owner.get(path))).isEqualTo(first);
        assertThat(owner.get(path).json()).isEqualTo(created.json());
        assertThat(stranger.get(path).status()).isEqualTo(404);

        var renamed = rename(owner, path, first, "Renamed");
        assertThat(renamed.text("name")).isEqualTo("Renamed");
        String second = tag(renamed);
        assertThat(second).as("the clock stands still").isNotEqualTo(first);
        assertThat(rename(owner, path, first, "Late").errorCode()).isEqualTo("precondition_failed");
        assertThat(delete(owner, path, first).status()).isEqualTo(412);
        assertThat(rename(stranger, path, first, "Theirs").status()).isEqualTo(404);
        assertThat(owner.get(path).text("name")).isEqualTo("Renamed");
        assertThat(tag(owner.post(path + "/switch", ""))).isEqualTo(second);
        assertThat(rename(owner, path, "*", "Renamed").status()).isEqualTo(200);

        String third = tag(owner.get(path));
        assertThat(third).as("a change to the same name").isNotEqualTo(second);
        assertThat(changePlan(owner, path, second).errorCode()).isEqualTo("precondition_failed");
        assertThat(tag(owner.get(path))).as("nothing was changed").isEqualTo(third);
        var onAnotherPlan = changePlan(owner, path, third);
        assertThat(tag(onAnotherPlan)).isNotEqualTo(third);
        assertThat(delete(owner, path, third).status()).isEqualTo(412);
        assertThat(delete(owner, path, tag(onAnotherPlan)).status()).isEqualTo(204);
        assertThat(owner.get(path).status()).isEqualTo(404);
    }

    private static String tag(ApiResponse answer) {
        return answer.header("ETag").orElseThrow(() -> new AssertionError(answer.toString()));
    }

    private static ApiResponse rename(Person person, String path, String ifMatch, String name) {
        return person.send(
                person.request(path)
                        .header("Content-Type", "application/json")
                        .header("If-Match", ifMatch)
                        .method("PATCH", BodyPublishers.ofString("{\"name\":\"" + name + "\"}")));
    }

    private static ApiResponse changePlan(Person owner, String path, String ifMatch) {
        return owner.send(
                owner.request(path + "/plan")
                        .header("Content-Type", "application/json")
                        .header("If-Match", ifMatch)
                        .PUT(BodyPublishers.ofString("{\"plan\":\"free\",\"confirm\":true}")));
    }

    private static ApiResponse delete(Person person, String path, String ifMatch) {
        return person.send(person.request(path).header("If-Match", ifMatch).DELETE());
    }

    @Test
    void members_and_invites_are_read_with_the_role_of_the_keys_creator() {
        var me = api.get("/api/v1/me");
        var path = "/api/v1/workspaces/" + me.json().path("workspace").path("id").asString();

        assertThat(api.get(path + "/members").json().path("items")).hasSize(1);
        assertThat(api.get(path + "/invites").status()).isEqualTo(200);
        assertThat(api.get("/api/v1/workspaces").json().path("items")).hasSize(1);
        try (var db = sluice.db()) {
            db.run(tx ->
                    tx.update(
                            "update member set role = 'member' where account_id = (select"
                                    + " created_by from api_key limit 1)"));
            assertThat(api.get(path + "/members").status()).isEqualTo(403);
            assertThat(api.get(path + "/invites").status()).isEqualTo(403);
            db.run(tx ->
                    tx.update(
                            "update member set role = 'owner' where account_id = (select created_by"
                                    + " from api_key limit 1)"));
        }
    }
}
