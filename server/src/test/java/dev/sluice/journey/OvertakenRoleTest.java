package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.account.workspace.MemberStore;
import dev.sluice.account.workspace.Role;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Tx;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.Overtaking;
import dev.sluice.testkit.Person;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/// Tests that a request has no effect if its person loses the role while it is in flight.
class OvertakenRoleTest {

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"));

    private static final ApiClient api = sluice.api();

    private static Person owner;
    private static WorkspaceId workspace;
    private static String path;
    private static int invited;

    @BeforeAll
    static void createWorkspace() {
        owner = Person.register(api, "owner@example.com");
        workspace =
                new WorkspaceId(
                        UUID.fromString(
                                owner.get("/api/v1/me")
                                        .json()
                                        .path("workspace")
                                        .path("id")
                                        .asString()));
        path = "/api/v1/workspaces/" + workspace;
    }

    private static Person admin() {
        String email = "admin" + ++invited + "@example.com";
        var invite = owner.post(path + "/invites", "{'email':'" + email + "','role':'admin'}");
        return Person.registerInvited(api, email, invite.text("token"));
    }

    private static UUID account(Person person) {
        return UUID.fromString(person.get("/api/v1/me").json().path("user").path("id").asString());
    }

    private static int during(Consumer<Tx> change, Callable<ApiResponse> request) throws Exception {
        return Overtaking.overtake(
                        sluice.db(), request, tx -> WorkspaceStore.lock(tx, workspace), change)
                .status();
    }

    /// Returns the status of a request during which its person is removed.
    private static int whileRemoved(Person person, Callable<ApiResponse> request) throws Exception {
        var account = account(person);
        return during(tx -> MemberStore.delete(tx, workspace, account), request);
    }

    private static long count(String table) {
        return sluice.db()
                .call(tx ->
                        tx.single(
                                "select count(*) as n from "
                                        + table
                                        + " where workspace_id = '"
                                        + workspace
                                        + "'",
                                row -> row.number("n")));
    }

    @Test
    void a_removed_admin_leaves_no_invite() throws Exception {
        var admin = admin();
        long before = count("invite");

        assertThat(
                        whileRemoved(
                                admin,
                                () ->
                                        admin.post(
                                                path + "/invites",
                                                "{'email':'x@example.com','role':'admin'}")))
                .isEqualTo(404);

        assertThat(count("invite")).isEqualTo(before);
    }

    @Test
    void a_removed_admin_leaves_no_key() throws Exception {
        var admin = admin();
        long before = count("api_key");

        assertThat(whileRemoved(admin, () -> admin.post("/api/v1/api-keys", "{'name':'Left'}")))
                .isEqualTo(403);

        assertThat(count("api_key")).isEqualTo(before);
    }

    @Test
    void a_removed_admin_deletes_no_key_and_no_invite() throws Exception {
        var admin = admin();
        var key = owner.post("/api/v1/api-keys", "{'name':'Kept'}").text("id");
        assertThat(whileRemoved(admin, () -> admin.delete("/api/v1/api-keys/" + key)))
                .isEqualTo(403);
        var another = admin();
        var invite =
                owner.post(path + "/invites", "{'email':'y@example.com','role':'member'}")
                        .text("id");
        assertThat(whileRemoved(another, () -> another.delete(path + "/invites/" + invite)))
                .isEqualTo(404);

        assertThat(owner.get("/api/v1/api-keys").body()).contains(key);
        assertThat(owner.get(path + "/invites").body()).contains(invite);
    }

    @Test
    void a_demoted_admin_renames_nothing() throws Exception {
        var admin = admin();
        var account = account(admin);

        assertThat(
                        during(
                                tx -> MemberStore.setRole(tx, workspace, account, Role.MEMBER),
                                () -> admin.patch(path, "{'name':'Renamed'}")))
                .isEqualTo(403);

        assertThat(owner.get(path).text("name")).isEqualTo("Main");
    }

    @Test
    void a_demoted_owner_changes_no_plan() throws Exception {
        var second = admin();
        var account = account(second);
        sluice.db().run(tx -> MemberStore.setRole(tx, workspace, account, Role.OWNER));

        assertThat(
                        during(
                                tx -> MemberStore.setRole(tx, workspace, account, Role.ADMIN),
                                () -> second.put(path + "/plan", "{'plan':'business'}")))
                .isEqualTo(403);

        assertThat(owner.get(path).text("plan")).isEqualTo("free");
    }
}
