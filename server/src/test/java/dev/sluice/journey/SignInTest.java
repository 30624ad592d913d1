package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.account.access.PasswordHasher;
import dev.sluice.account.access.SessionStore;
import dev.sluice.platform.secret.Secret;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Person;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/// Tests how people sign in and out, and what their sessions may do.
class SignInTest {

    private static final ManualClock clock = new ManualClock(Some.NOON);

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(
                    clock,
                    Map.of(
                            "SLUICE_REGISTRATION", "open",
                            "SLUICE_TRUSTED_PROXIES", "127.0.0.0/8",
                            "SLUICE_BASE_URL", "http://relay.example"));

    private static final ApiClient api = sluice.api();

    private static ApiResponse login(String email, String password, String address) {
        return api.send(
                Person.withBody(
                                api.anonymous("/api/v1/auth/login"),
                                "{'email':'" + email + "','password':'" + password + "'}")
                        .header("X-Forwarded-For", address));
    }

    @Test
    void who_registers_is_signed_in_and_owns_a_workspace_of_the_first_plan() {
        var ada = Person.register(api, "Ada@Example.com");

        var me = ada.get("/api/v1/me");
        assertThat(me.status()).isEqualTo(200);
        assertThat(me.text("auth")).isEqualTo("session");
        assertThat(me.text("role")).isEqualTo("owner");
        assertThat(me.json().path("user").path("email").asString()).isEqualTo("ada@example.com");
        assertThat(me.json().path("workspace").path("plan").asString()).isEqualTo("free");
        assertThat(ada.cookie())
                .contains("HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=2592000")
                .doesNotContain("Secure");
        assertThat(ada.get("/api/v1/sources").status()).isEqualTo(200);
        assertThat(Person.tryRegister(api, "ada@example.com").status()).isEqualTo(409);
    }

    @Test
    void a_session_ends_with_its_logout_and_after_thirty_days_without_a_request() {
        var person = Person.register(api, "bob@example.com");
        clock.advance(Duration.ofDays(29));
        assertThat(person.get("/api/v1/me").status()).isEqualTo(200);
        clock.advance(Duration.ofDays(29));
        assertThat(person.get("/api/v1/me").status()).as("it slides").isEqualTo(200);
        clock.advance(Duration.ofDays(31));
        assertThat(person.get("/api/v1/me").status()).isEqualTo(401);

        var again = Person.signIn(api, "bob@example.com");
        var out = again.post("/api/v1/auth/logout", "");
        assertThat(out.status()).isEqualTo(204);
        assertThat(out.header("Set-Cookie").orElse("")).contains("Max-Age=0");
        assertThat(again.get("/api/v1/me").status()).isEqualTo(401);
    }

    @Test
    void an_unknown_account_and_a_wrong_password_get_the_same_answer() {
        Person.register(api, "carol@example.com");

        var wrong = login("carol@example.com", "wrong password", "198.51.100.1");
        var unknown = login("nobody@example.com", "wrong password", "198.51.100.2");

        assertThat(wrong.status()).isEqualTo(401);
        assertThat(unknown.status()).isEqualTo(401);
        assertThat(unknown.body()).isEqualTo(wrong.body());
    }

    @Test
    void who_guesses_must_wait_and_the_owner_elsewhere_need_not() {
        Person.register(api, "dora@example.com");
        for (int i = 0; i < 5; i++) {
            assertThat(login("dora@example.com", "guess " + i, "198.51.100.9").status())
                    .isEqualTo(401);
        }

        var refused = login("dora@example.com", Person.PASSWORD, "198.51.100.9");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).contains("1");
        assertThat(login("dora@example.com", Person.PASSWORD, "203.0.113.5").status())
                .isEqualTo(200);

        clock.advance(Duration.ofSeconds(1));
        assertThat(login("dora@example.com", Person.PASSWORD, "198.51.100.9").status())
                .isEqualTo(200);
    }

    @Test
    void the_owner_signs_in_while_many_networks_guess() throws Exception {
        Person.register(api, "mia@example.com");
        assertThat(login("mia@example.com", Person.PASSWORD, "203.0.113.77").status())
                .isEqualTo(200);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var guesses =
                    IntStream.range(0, 30)
                            .mapToObj(i ->
                                    threads.submit(() ->
                                            login("mia@example.com", "guess", "198.51.100." + i)
                                                    .status()))
                            .toList();

            assertThat(login("mia@example.com", Person.PASSWORD, "203.0.113.77").status())
                    .isEqualTo(200);
            for (var guess : guesses) {
                assertThat(guess.get()).as("refused, or told to wait").isIn(401, 429);
            }
        }
    }

    @Test
    void a_change_that_another_site_sends_is_refused() {
        var eve = Person.register(api, "eve@example.com");
        var path = "/api/v1/workspaces";

        assertThat(eve.send(eve.post(path).header("Sec-Fetch-Site", "cross-site")).status())
                .isEqualTo(403);
        assertThat(eve.send(eve.post(path).header("Sec-Fetch-Site", "same-site")).status())
                .isEqualTo(403);
        assertThat(eve.send(eve.post(path).header("Origin", "https://evil.example")).status())
                .isEqualTo(403);
        assertThat(eve.send(eve.post(path).header("Origin", "null")).status()).isEqualTo(403);
        assertThat(eve.send(eve.post(path).header("Origin", "http://relay.example")).status())
                .isEqualTo(201);
        assertThat(eve.send(eve.post(path).header("Sec-Fetch-Site", "same-origin")).status())
                .isEqualTo(201);
        assertThat(eve.send(eve.post(path)).status()).as("not a browser").isEqualTo(201);
        assertThat(
                        eve.send(eve.request("/api/v1/me").header("Sec-Fetch-Site", "cross-site"))
                                .status())
                .as("reading changes nothing")
                .isEqualTo(200);
    }

    @Test
    void a_new_password_ends_all_other_sessions() {
        var here = Person.register(api, "frank@example.com");
        var there = Person.signIn(api, "frank@example.com");
        String token = here.token();

        assertThat(
                        here.post(
                                        "/api/v1/auth/password",
                                        "{'current_password':'wrong','new_password':'another"
                                                + " password'}")
                                .status())
                .isEqualTo(403);
        assertThat(there.get("/api/v1/me").status()).isEqualTo(200);
        assertThat(
                        here.post(
                                        "/api/v1/auth/password",
                                        "{'current_password':'"
                                                + Person.PASSWORD
                                                + "','new_password':'another password'}")
                                .status())
                .isEqualTo(204);

        assertThat(here.token()).as("the kept session's token").isNotEqualTo(token);
        assertThat(here.get("/api/v1/me").status()).isEqualTo(200);
        assertThat(
                        api.send(
                                        api.anonymous("/api/v1/me")
                                                .header("Cookie", "sluice_session=" + token))
                                .status())
                .isEqualTo(401);
        assertThat(there.get("/api/v1/me").status()).isEqualTo(401);
        assertThat(login("frank@example.com", Person.PASSWORD, "203.0.113.6").status())
                .isEqualTo(401);
        assertThat(login("frank@example.com", "another password", "203.0.113.6").status())
                .isEqualTo(200);
    }

    @Test
    void basic_credentials_for_a_proxy_do_not_hide_the_session() {
        var person = Person.register(api, "proxied@example.com");
        assertThat(person.post("/api/v1/workspaces", "{'name': 'Second'}").status()).isEqualTo(201);

        var me = beside(person, "/api/v1/me");
        var workspaces = beside(person, "/api/v1/workspaces");

        assertThat(me.status()).isEqualTo(200);
        assertThat(me.text("auth")).isEqualTo("session");
        assertThat(workspaces.json().path("items")).hasSize(2);
        for (var workspace : workspaces.json().path("items")) {
            String path = "/api/v1/workspaces/" + workspace.path("id").asString();
            assertThat(beside(person, path + "/members").status()).isEqualTo(200);
            assertThat(beside(person, path + "/invites").status()).isEqualTo(200);
        }
        var noSession =
                api.send(
                        api.anonymous("/api/v1/me")
                                .header("Authorization", "Basic cHJveHk6c2VjcmV0")
                                .GET());
        assertThat(noSession.status()).isEqualTo(401);
    }

    /// Sends a person's GET with the credentials of a proxy.
    private static ApiResponse beside(Person person, String path) {
        return person.send(
                person.request(path).header("Authorization", "Basic cHJveHk6c2VjcmV0").GET());
    }

    @Test
    void a_person_sees_and_ends_only_the_own_sessions() {
        var gina = Person.register(api, "gina@example.com");
        var elsewhere = Person.signIn(api, "gina@example.com");
        var other = Person.register(api, "henry@example.com");

        var list = gina.get("/api/v1/auth/sessions").json().path("items");
        assertThat(list).hasSize(2);
        String foreign =
                other.get("/api/v1/auth/sessions")
                        .json()
                        .path("items")
                        .get(0)
                        .path("id")
                        .asString();
        assertThat(gina.delete("/api/v1/auth/sessions/" + foreign).status()).isEqualTo(404);
        assertThat(other.get("/api/v1/me").status()).isEqualTo(200);
        for (var session : list) {
            if (!session.path("is_current").asBoolean()) {
                assertThat(
                                gina.delete(
                                                "/api/v1/auth/sessions/"
                                                        + session.path("id").asString())
                                        .status())
                        .isEqualTo(204);
            }
        }
        assertThat(elsewhere.get("/api/v1/me").status()).isEqualTo(401);
        assertThat(gina.get("/api/v1/me").status()).isEqualTo(200);
    }

    @Test
    void a_request_with_a_key_and_a_cookie_is_a_request_with_a_key() {
        var ivan = Person.register(api, "ivan@example.com");

        var me =
                ivan.send(
                        ivan.request("/api/v1/me")
                                .header("Authorization", "Bearer " + RunningSluice.API_KEY));

        assertThat(me.text("auth")).isEqualTo("api_key");
        assertThat(api.post("/api/v1/auth/logout", "").status()).isEqualTo(403);
        assertThat(api.get("/api/v1/auth/sessions").status()).isEqualTo(403);
    }

    @Test
    void the_database_has_no_password_and_no_token() {
        var judy = Person.register(api, "judy@example.com");

        try (var db = sluice.db()) {
            var rows =
                    db.call(tx ->
                            tx.query(
                                    "select account::text || session::text as row from account join"
                                            + " session on account_id = account.id",
                                    row -> row.text("row")));
            assertThat(rows).isNotEmpty().noneMatch(row -> row.contains(Person.PASSWORD));
            assertThat(rows).noneMatch(row -> row.contains(judy.token()));
        }
    }

    @Test
    void an_expired_session_leaves_the_table_and_others_stay() {
        Person.register(api, "kate@example.com");
        clock.advance(Duration.ofDays(30));
        var luke = Person.register(api, "luke@example.com");

        try (var db = sluice.db()) {
            db.run(tx -> SessionStore.deleteExpired(tx, clock.instant()));
            var left =
                    db.call(tx ->
                            tx.query(
                                    "select expires_at from session",
                                    row -> row.instant("expires_at")));
            assertThat(left).isNotEmpty().allMatch(at -> at.isAfter(clock.instant()));
        }
        assertThat(luke.get("/api/v1/me").status()).isEqualTo(200);
    }

    @Test
    void a_proxy_may_write_the_port_behind_the_address() {
        Person.register(api, "ported@example.com");
        for (var address : List.of("198.51.100.44:5678", "[2001:db8::7]:80", "[2001:db8::8]")) {
            assertThat(login("ported@example.com", Person.PASSWORD, address).status())
                    .isEqualTo(200);
        }

        assertThat(Person.signIn(api, "ported@example.com").get("/api/v1/auth/sessions").body())
                .contains(
                        "\"198.51.100.44\"",
                        "\"2001:db8:0:0:0:0:0:7\"",
                        "\"2001:db8:0:0:0:0:0:8\"");
    }

    @Test
    void a_password_hashed_with_former_parameters_is_hashed_again_at_sign_in() {
        Person.register(api, "former@example.com");
        byte[] hash =
                PasswordHasher.key(
                        new Secret("password"), new byte[16], new PasswordHasher.KeyCost(64, 1, 1));
        String former =
                "$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$"
                        + Base64.getEncoder().withoutPadding().encodeToString(hash);
        sluice.db()
                .run(tx ->
                        tx.update(
                                "update account set password_hash = ? where email = ?",
                                former,
                                "former@example.com"));

        assertThat(login("former@example.com", "password", "203.0.113.60").status()).isEqualTo(200);

        assertThat(passwordHash("former@example.com"))
                .startsWith("$argon2id$v=19$m=19456,t=2,p=1$");
        assertThat(login("former@example.com", "password", "203.0.113.60").status()).isEqualTo(200);
    }

    private static String passwordHash(String email) {
        return sluice.db()
                .call(tx ->
                        tx.single(
                                "select password_hash from account where email = ?",
                                row -> row.text("password_hash"),
                                email));
    }

    @Test
    void a_network_registers_thirty_accounts_a_minute() {
        Person.register(api, "many@example.com");
        for (int i = 0; i < 30; i++) {
            assertThat(register("203.0.113.70").status()).isEqualTo(409);
        }

        var refused = register("203.0.113.70");

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).hasValue("60");
        assertThat(register("203.0.113.71").status()).isEqualTo(409);
    }

    private static ApiResponse register(String address) {
        return api.send(
                Person.withBody(
                                api.anonymous("/api/v1/auth/register"),
                                "{'email':'many@example.com','password':'correct horse','name':'N',"
                                        + "'workspace_name':'W'}")
                        .header("X-Forwarded-For", address));
    }

    @Test
    void an_account_has_sixteen_known_networks_at_most() {
        Person.register(api, "traveller@example.com");
        for (int i = 1; i <= 17; i++) {
            clock.advance(Duration.ofSeconds(1));
            assertThat(
                            login(
                                            "traveller@example.com",
                                            Person.PASSWORD,
                                            "203.0.113." + (100 + i))
                                    .status())
                    .isEqualTo(200);
        }

        assertThat(knownNetworks("traveller@example.com"))
                .hasSize(16)
                .contains("203.0.113.117")
                .doesNotContain("203.0.113.101");
    }

    private static List<String> knownNetworks(String email) {
        return sluice.db()
                .call(tx ->
                        tx.query(
                                """
                                select network
                                  from known_network
                                  join account on account.id = account_id
                                 where email = ?
                                """,
                                row -> row.text("network"),
                                email));
    }
}
