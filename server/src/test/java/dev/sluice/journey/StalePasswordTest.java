package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.account.access.Account;
import dev.sluice.account.access.AccountStore;
import dev.sluice.account.access.PasswordHasher;
import dev.sluice.account.access.SessionStore;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.secret.Secret;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Overtaking;
import dev.sluice.testkit.Person;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.net.http.HttpRequest;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;

/// Tests that a password is worth nothing once it was changed, even to a request that began, and
/// compared it, before the change.
class StalePasswordTest {

    private static final String NEW_PASSWORD = "another password";

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"));

    private static final ApiClient api = sluice.api();

    /// Sends a request that compares the person's password, and makes the change before the request
    /// makes its own. Returns the request's status.
    private static int during(
            BiConsumer<Tx, Account> change, String email, Callable<ApiClient.ApiResponse> request)
            throws Exception {
        var account = sluice.db().call(tx -> AccountStore.find(tx, email)).orElseThrow();
        return Overtaking.overtake(
                        sluice.db(),
                        request,
                        tx -> AccountStore.lock(tx, account.id()),
                        tx -> change.accept(tx, account))
                .status();
    }

    private static void reset(Tx tx, Account account) {
        var hash = PasswordHasher.hash(new Secret(NEW_PASSWORD), new byte[16]);
        AccountStore.setPasswordHash(tx, account.id(), hash);
        SessionStore.endAll(tx, account.id(), Optional.empty());
    }

    private static void endSessions(Tx tx, Account account) {
        SessionStore.endAll(tx, account.id(), Optional.empty());
    }

    private static ApiClient.ApiResponse login(String email, String password) {
        return api.send(
                Person.withBody(
                        api.anonymous("/api/v1/auth/login"),
                        "{'email':'" + email + "','password':'" + password + "'}"));
    }

    private static ApiClient.ApiResponse changePassword(Person person) {
        return person.post(
                "/api/v1/auth/password",
                "{'current_password':'%s','new_password':'a third password'}"
                        .formatted(Person.PASSWORD));
    }

    private static ApiClient.ApiResponse deleteAccount(Person person) {
        return person.send(
                person.request("/api/v1/auth/account")
                        .header("Content-Type", "application/json")
                        .method(
                                "DELETE",
                                HttpRequest.BodyPublishers.ofString(
                                        "{\"password\":\"" + Person.PASSWORD + "\"}")));
    }

    @Test
    void a_sign_in_with_the_password_of_before_a_reset_is_refused() throws Exception {
        String email = "login@example.com";
        Person.register(api, email);

        assertThat(during(StalePasswordTest::reset, email, () -> login(email, Person.PASSWORD)))
                .isEqualTo(401);

        assertThat(login(email, NEW_PASSWORD).status()).isEqualTo(200);
    }

    @Test
    void a_password_change_does_not_undo_a_reset() throws Exception {
        String email = "change@example.com";
        var person = Person.register(api, email);

        assertThat(during(StalePasswordTest::reset, email, () -> changePassword(person)))
                .isEqualTo(403);

        assertThat(login(email, NEW_PASSWORD).status()).isEqualTo(200);
    }

    @Test
    void a_password_change_is_refused_if_its_session_ends() throws Exception {
        String email = "ended@example.com";
        var person = Person.register(api, email);

        assertThat(during(StalePasswordTest::endSessions, email, () -> changePassword(person)))
                .isEqualTo(401);

        assertThat(login(email, Person.PASSWORD).status()).isEqualTo(200);
    }

    @Test
    void an_account_is_not_deleted_with_the_password_of_before_a_reset() throws Exception {
        String email = "delete@example.com";
        var person = Person.register(api, email);
        String workspace = person.get("/api/v1/me").json().path("workspace").path("id").asString();
        // Without a workspace, nothing else keeps the account.
        assertThat(person.delete("/api/v1/workspaces/" + workspace).status()).isEqualTo(204);

        assertThat(during(StalePasswordTest::reset, email, () -> deleteAccount(person)))
                .isEqualTo(403);

        assertThat(login(email, NEW_PASSWORD).status()).isEqualTo(200);
    }
}
