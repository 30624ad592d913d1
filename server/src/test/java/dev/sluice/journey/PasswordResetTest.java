package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.Mailbox;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Person;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/// Tests how a person who forgot the password gets a new one by mail.
class PasswordResetTest {

    private static final String NEW_PASSWORD = "quite another password";

    private static final ManualClock clock = new ManualClock(Some.NOON);

    @AutoClose private static final Mailbox mailbox = Mailbox.start();

    @AutoClose private static final RunningSluice sluice = RunningSluice.start(clock, settings());

    private static final ApiClient api = sluice.api();

    private static Map<String, String> settings() {
        var settings = new HashMap<>(mailbox.settings());
        settings.put("SLUICE_REGISTRATION", "open");
        settings.put("SLUICE_TRUSTED_PROXIES", "127.0.0.0/8");
        settings.put("SLUICE_BASE_URL", "https://relay.example/hooks/");
        return settings;
    }

    private static ApiResponse ask(String email, String address) {
        return api.send(
                Person.withBody(
                                api.anonymous("/api/v1/auth/password-reset"),
                                "{'email':'" + email + "'}")
                        .header("X-Forwarded-For", address));
    }

    private static ApiResponse confirm(String token, String password) {
        return api.send(
                Person.withBody(
                        api.anonymous("/api/v1/auth/password-reset/confirm"),
                        "{'token':'" + token + "','password':'" + password + "'}"));
    }

    /// Asks for a reset and returns the token that was mailed.
    private static String mailedToken(String email, int mail) {
        assertThat(ask(email, "203.0.113.1").status()).isEqualTo(202);
        return Mailbox.token(mailbox.awaitMessages(email, mail).get(mail - 1));
    }

    @Test
    void the_mailed_link_sets_a_password_once_and_ends_all_sessions() {
        var session = Person.register(api, "ann@example.com");
        clock.advance(Duration.ofMinutes(5));
        String token = mailedToken("ann@example.com", 1);

        assertThat(Mailbox.text(mailbox.messages("ann@example.com").getFirst()))
                .contains("\nhttps://relay.example/hooks/reset#" + token + "\n");
        assertThat(session.get("/api/v1/me").status()).as("nothing happened yet").isEqualTo(200);
        assertThat(confirm(token, "short").status()).isEqualTo(422);
        var confirmed = confirm(token, NEW_PASSWORD);
        assertThat(confirmed.status()).as(confirmed.body()).isEqualTo(204);
        assertThat(confirmed.header("Set-Cookie")).isEmpty();
        assertThat(session.get("/api/v1/me").status()).isEqualTo(401);
        assertThat(confirm(token, NEW_PASSWORD).status()).as("single use").isEqualTo(404);
        var signedIn = Person.signIn(api, "ann@example.com", NEW_PASSWORD);
        assertThat(signedIn.get("/api/v1/audit-log").body()).contains("person.password_reset");
    }

    @Test
    void an_unknown_address_gets_the_same_answer_and_no_mail() {
        Person.register(api, "bea@example.com");

        var known = ask("Bea@Example.com", "203.0.113.2");
        var unknown = ask("nobody@example.com", "203.0.113.2");

        assertThat(unknown.status()).isEqualTo(202);
        assertThat(unknown.body()).isEqualTo(known.body()).isEmpty();
        mailbox.awaitMessages("bea@example.com", 1);
        mailedTokenOfAnother();
        assertThat(mailbox.messages("nobody@example.com")).isEmpty();
    }

    /// Waits until a later request is through, and so all earlier ones.
    private static void mailedTokenOfAnother() {
        Person.register(api, "later@example.com");
        var _ = mailedToken("later@example.com", 1);
    }

    @Test
    void a_link_works_for_an_hour() {
        Person.register(api, "cleo@example.com");
        String token = mailedToken("cleo@example.com", 1);

        clock.advance(Duration.ofHours(1));

        var late = confirm(token, NEW_PASSWORD);
        assertThat(late.status()).isEqualTo(404);
        assertThat(late.body()).contains("older than an hour");
        Person.signIn(api, "cleo@example.com");
    }

    @Test
    void asking_again_within_five_minutes_sends_nothing_and_leaves_the_link() {
        Person.register(api, "dan@example.com");
        String first = mailedToken("dan@example.com", 1);
        clock.advance(Duration.ofMinutes(5).minusMillis(1));
        assertThat(ask("dan@example.com", "203.0.113.1").status()).isEqualTo(202);
        clock.advance(Duration.ofMillis(1));

        String second = mailedToken("dan@example.com", 2);

        assertThat(mailbox.messages("dan@example.com")).hasSize(2);
        assertThat(confirm(first, NEW_PASSWORD).status()).as("replaced").isEqualTo(404);
        assertThat(confirm(second, NEW_PASSWORD).status()).isEqualTo(204);
    }

    @Test
    void a_network_may_ask_twenty_times_a_minute() {
        for (int i = 0; i < 20; i++) {
            assertThat(ask("x" + i + "@example.com", "198.51.100.3").status()).isEqualTo(202);
        }

        var refused = ask("y@example.com", "198.51.100.3");

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).isPresent();
        assertThat(ask("y@example.com", "198.51.100.4").status()).isEqualTo(202);
        clock.advance(Duration.ofMinutes(1));
        assertThat(ask("y@example.com", "198.51.100.3").status()).isEqualTo(202);
    }

    @Test
    void a_changed_password_makes_the_link_useless() {
        var person = Person.register(api, "eli@example.com");
        String token = mailedToken("eli@example.com", 1);

        person.post(
                "/api/v1/auth/password",
                "{'current_password':'"
                        + Person.PASSWORD
                        + "','new_password':'"
                        + NEW_PASSWORD
                        + "'}");

        assertThat(confirm(token, "a third password").status()).isEqualTo(404);
    }

    @Test
    void a_reset_lets_in_who_had_to_wait_after_guessing() {
        Person.register(api, "flo@example.com");
        String token = mailedToken("flo@example.com", 1);
        for (int i = 0; i < 8; i++) {
            api.send(
                    Person.withBody(
                            api.anonymous("/api/v1/auth/login"),
                            "{'email':'flo@example.com','password':'guess'}"));
        }

        assertThat(confirm(token, NEW_PASSWORD).status()).isEqualTo(204);

        Person.signIn(api, "flo@example.com", NEW_PASSWORD);
    }

    @Test
    void wrong_fields_are_named() {
        assertThat(ask("not an address", "203.0.113.9").status()).isEqualTo(422);
        var empty =
                api.send(
                        Person.withBody(
                                api.anonymous("/api/v1/auth/password-reset/confirm"), "{}"));
        assertThat(empty.status()).isEqualTo(422);
        assertThat(empty.body()).contains("\"token\"", "\"password\"");
        assertThat(confirm("unknown", NEW_PASSWORD).status()).isEqualTo(404);
        assertThat(confirm("unknown", " ".repeat(12)).status()).isEqualTo(422);
    }

    @Test
    void the_database_has_no_token() {
        Person.register(api, "gus@example.com");
        String token = mailedToken("gus@example.com", 1);

        try (var db = sluice.db()) {
            var rows =
                    db.call(tx ->
                            tx.query(
                                    "select password_reset::text as row from password_reset",
                                    row -> row.text("row")));
            assertThat(rows).isNotEmpty().noneMatch(row -> row.contains(token));
        }
    }
}
