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
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Overtaking;
import dev.sluice.testkit.Person;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/// Tests that an invite works only while its inviter may still give the role.
class InviterRoleTest {

    private static final ManualClock clock = new ManualClock(Some.NOON);

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(clock, Map.of("SLUICE_REGISTRATION", "open"));

    private static final ApiClient api = sluice.api();
    private static int people;

    private Person owner;
    private Person admin;
    private WorkspaceId workspace;
    private String path;

    @BeforeEach
    void createWorkspace() {
        clock.advance(Duration.ofMinutes(1)); // a network registers thirty accounts a minute
        owner = Person.register(api, newAddress());
        workspace = new WorkspaceId(idIn(owner, "workspace"));
        path = "/api/v1/workspaces/" + workspace;
        String email = newAddress();
        admin = Person.registerInvited(api, email, invite(owner, email, "admin").text("token"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"admin", "member"})
    void a_demoted_admin_returns_by_no_invite_of_their_own(String role) {
        var second = Person.register(api, "second" + newAddress());
        var invite = invite(admin, emailOf(second), role);
        var unregistered = newAddress();
        var other = invite(admin, unregistered, role);

        changeRole(admin, "member");

        assertThat(accept(second, invite).status()).isEqualTo(404);
        assertThat(register(unregistered, other).status()).isEqualTo(404);
        assertThat(owner.get(path + "/invites").json().path("items")).isEmpty();
        changeRole(admin, "admin");
        assertThat(accept(second, invite).status()).as("promoted again").isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"removed", "left", "deleted"})
    void an_invite_ends_with_the_membership_of_its_inviter(String how) {
        var second = Person.register(api, "second" + newAddress());
        var invite = invite(admin, emailOf(second), "member");

        var ended =
                switch (how) {
                    case "removed" -> owner.delete(path + "/members/" + idIn(admin, "user"));
                    case "left" -> admin.post(path + "/leave", "");
                    default ->
                            admin.send(
                                    admin.request("/api/v1/auth/account")
                                            .header("Content-Type", "application/json")
                                            .method(
                                                    "DELETE",
                                                    BodyPublishers.ofString(
                                                            "{\"password\":\""
                                                                    + Person.PASSWORD
                                                                    + "\"}")));
                };

        assertThat(ended.status()).isEqualTo(204);
        assertThat(accept(second, invite).status()).isEqualTo(404);
    }

    @Test
    void an_owner_who_becomes_an_admin_keeps_the_invites_that_admins_may_give() {
        var second = Person.register(api, "second" + newAddress());
        var invite = invite(owner, emailOf(second), "admin");

        assertThat(
                        owner.post(path + "/transfer", "{'user_id':'" + idIn(admin, "user") + "'}")
                                .status())
                .isEqualTo(204);

        assertThat(accept(second, invite).text("role")).isEqualTo("admin");
    }

    @Test
    void who_was_an_owner_and_is_a_member_returns_by_no_invite() {
        var second = Person.register(api, "second" + newAddress());
        var invite = invite(owner, emailOf(second), "admin");
        owner.post(path + "/transfer", "{'user_id':'" + idIn(admin, "user") + "'}");

        admin.patch(path + "/members/" + idIn(owner, "user"), "{'role':'member'}");

        assertThat(accept(second, invite).status()).isEqualTo(404);
    }

    @Test
    void invites_of_others_outlast_a_demotion() {
        var second = Person.register(api, "second" + newAddress());
        var invite = invite(owner, emailOf(second), "admin");

        changeRole(admin, "member");

        assertThat(accept(second, invite).text("role")).isEqualTo("admin");
    }

    /// An invite of a demoted person may be left over from an older version.
    @Test
    void an_invite_that_outlasted_its_inviters_role_is_refused() {
        var second = Person.register(api, "second" + newAddress());
        var invite = invite(admin, emailOf(second), "member");
        var unregistered = newAddress();
        var other = invite(admin, unregistered, "member");
        UUID inviter = idIn(admin, "user");

        sluice.db().run(tx -> MemberStore.setRole(tx, workspace, inviter, Role.MEMBER));

        isRefused(accept(second, invite));
        isRefused(register(unregistered, other));
        sluice.db().run(tx -> MemberStore.delete(tx, workspace, inviter));
        isRefused(accept(second, invite));
    }

    @Test
    void a_demotion_that_overtakes_an_acceptance_wins() throws Exception {
        var second = Person.register(api, "second" + newAddress());
        var invite = invite(admin, emailOf(second), "admin");
        var unregistered = newAddress();
        var other = invite(admin, unregistered, "admin");
        UUID inviter = idIn(admin, "user");
        Consumer<Tx> demotion = tx -> MemberStore.setRole(tx, workspace, inviter, Role.MEMBER);

        isRefused(during(demotion, () -> accept(second, invite)));
        sluice.db().run(tx -> MemberStore.setRole(tx, workspace, inviter, Role.ADMIN));
        isRefused(during(demotion, () -> register(unregistered, other)));

        assertThat(second.get(path).status()).isEqualTo(404);
    }

    @Test
    void a_demotion_and_an_acceptance_at_once_never_deadlock() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 0; round < 10; round++) {
                var second = Person.register(api, "second" + newAddress());
                var invite = invite(admin, emailOf(second), "admin");
                var start = new CyclicBarrier(2);

                var accepted =
                        threads.submit(() -> {
                            start.await();
                            return accept(second, invite);
                        });
                var demoted =
                        threads.submit(() -> {
                            start.await();
                            return changeRole(admin, "member");
                        });

                assertThat(accepted.get().status()).isIn(200, 403, 404);
                assertThat(demoted.get().status()).isEqualTo(200);
                changeRole(admin, "admin");
            }
        }
    }

    private ApiResponse during(Consumer<Tx> change, Callable<ApiResponse> request)
            throws Exception {
        return Overtaking.overtake(
                sluice.db(), request, tx -> WorkspaceStore.lock(tx, workspace), change);
    }

    private static void isRefused(ApiResponse refused) {
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.errorMessage())
                .isEqualTo(
                        "The person who sent this invite may no longer invite anyone with its role."
                                + " Ask an admin of the workspace for a new invite.");
    }

    private ApiResponse invite(Person by, String email, String role) {
        var invite = by.post(path + "/invites", "{'email':'" + email + "','role':'" + role + "'}");
        assertThat(invite.status()).isEqualTo(201);
        return invite;
    }

    private static ApiResponse accept(Person person, ApiResponse invite) {
        return person.post("/api/v1/invites/accept", "{'token':'" + invite.text("token") + "'}");
    }

    private static ApiResponse register(String email, ApiResponse invite) {
        return Person.tryRegisterInvited(api, email, invite.text("token"));
    }

    private ApiResponse changeRole(Person person, String role) {
        return owner.patch(path + "/members/" + idIn(person, "user"), "{'role':'" + role + "'}");
    }

    private static UUID idIn(Person person, String of) {
        return UUID.fromString(person.get("/api/v1/me").json().path(of).path("id").asString());
    }

    private static String emailOf(Person person) {
        return person.get("/api/v1/me").json().path("user").path("email").asString();
    }

    private static String newAddress() {
        return "person" + ++people + "@example.com";
    }
}
