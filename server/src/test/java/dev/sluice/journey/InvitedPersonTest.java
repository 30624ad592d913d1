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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/// Tests mailed invites, and registering with one while registration is closed.
class InvitedPersonTest {

    private static final String OWNER = "owner@relay.example";

    private static final ManualClock clock = new ManualClock(Some.NOON);

    @AutoClose private static final Mailbox mailbox = Mailbox.start();

    @AutoClose private static final RunningSluice sluice = RunningSluice.start(clock, settings());

    private static final ApiClient api = sluice.api();

    private static Person owner;
    private static String workspace;

    private static Map<String, String> settings() {
        var settings = new HashMap<>(mailbox.settings());
        settings.put("SLUICE_ADMIN_EMAIL", OWNER);
        settings.put("SLUICE_ADMIN_PASSWORD", Person.PASSWORD);
        settings.put("SLUICE_BASE_URL", "https://relay.example");
        return settings;
    }

    @BeforeAll
    static void signIn() {
        owner = Person.signIn(api, OWNER);
        workspace =
                "/api/v1/workspaces/"
                        + owner.get("/api/v1/me").json().path("workspace").path("id").asString();
    }

    /// A person may mail 20 invites an hour, so each test begins with a new hour.
    private static ApiResponse invite(Person by, String in, String email) {
        return by.post(in + "/invites", "{'email':'" + email + "','role':'admin'}");
    }

    private static ApiResponse register(String email, String fields) {
        return api.send(
                Person.withBody(
                        api.anonymous("/api/v1/auth/register"),
                        "{'email':'%s','password':'%s','name':'Guest'%s}"
                                .formatted(email, Person.PASSWORD, fields)));
    }

    @Test
    void the_mailed_link_lets_in_who_was_invited() {
        clock.advance(Duration.ofHours(1));
        // An older version let such names in.
        sluice.db()
                .run(tx ->
                        tx.update(
                                "update workspace set name = ? where id::text = ?",
                                "Ops\nBcc: eve@example.com",
                                workspace.substring(workspace.lastIndexOf('/') + 1)));

        var invite = invite(owner, workspace, "Ann@example.com");

        assertThat(invite.status()).isEqualTo(201);
        assertThat(invite.json().path("mail_queued").asBoolean()).isTrue();
        var mail = mailbox.awaitMessages("ann@example.com", 1).getFirst();
        assertThat(Mailbox.text(mail))
                .contains("\nhttps://relay.example/invite#" + invite.text("token") + "\n")
                .contains("Owner (" + OWNER + ") invites you")
                .contains("\"Ops Bcc: eve@example.com\" at");
        var ann = Person.registerInvited(api, "ann@example.com", Mailbox.token(mail));
        var me = ann.get("/api/v1/me");
        assertThat(me.text("role")).isEqualTo("admin");
        assertThat(workspace).endsWith(me.json().path("workspace").path("id").asString());
        assertThat(ann.get("/api/v1/workspaces").json().path("items")).hasSize(1);
        assertThat(owner.get(workspace + "/invites").body()).doesNotContain("ann@example.com");
        assertThat(owner.get("/api/v1/audit-log").body()).contains("invite.accepted");
        owner.patch(workspace, "{'name':'Default'}");
    }

    @Test
    void without_the_right_invite_registration_stays_closed() {
        clock.advance(Duration.ofHours(1));
        String token = invite(owner, workspace, "bob@example.com").text("token");
        String invited = ",'invite_token':'" + token + "'";

        assertThat(register("bob@example.com", ",'workspace_name':'Mine'").status()).isEqualTo(403);
        assertThat(register("bob@example.com", ",'invite_token':null").status()).isEqualTo(403);
        assertThat(register("bob@example.com", ",'invite_token':'unknown'").status())
                .isEqualTo(404);
        assertThat(register("eve@example.com", invited).status()).isEqualTo(403);
        assertThat(register("bob@example.com", ",'invite_token':7").status()).isEqualTo(422);
        assertThat(register("bob@example.com", invited + ",'workspace_name':' '").status())
                .isEqualTo(422);
        assertThat(register("bob@example.com", invited).status()).isEqualTo(201);
        assertThat(register("bob@example.com", invited).status()).as("used").isEqualTo(404);
    }

    @Test
    void an_invited_person_may_make_a_workspace_as_well() {
        clock.advance(Duration.ofHours(1));
        String token = invite(owner, workspace, "cid@example.com").text("token");

        var registered =
                register(
                        "cid@example.com",
                        ",'invite_token':'" + token + "','workspace_name':'Mine'");

        assertThat(registered.status()).isEqualTo(201);
        assertThat(workspace)
                .as("the session acts in the joined one")
                .endsWith(registered.json().path("workspace").path("id").asString());
        var cid = Person.signIn(api, "cid@example.com");
        assertThat(cid.get("/api/v1/workspaces").json().path("items")).hasSize(2);
    }

    @Test
    void an_expired_invite_opens_nothing() {
        clock.advance(Duration.ofHours(1));
        String token = invite(owner, workspace, "dia@example.com").text("token");
        clock.advance(Duration.ofDays(7));

        assertThat(register("dia@example.com", ",'invite_token':'" + token + "'").status())
                .isEqualTo(404);
    }

    @Test
    void who_has_an_account_is_told_to_sign_in_and_the_invite_stays_open() {
        clock.advance(Duration.ofHours(1));
        String first = invite(owner, workspace, "fay@example.com").text("token");
        var fay = Person.registerInvited(api, "fay@example.com", first);
        var other = owner.post("/api/v1/workspaces", "{'name':'Second'}").text("id");
        String second =
                invite(owner, "/api/v1/workspaces/" + other, "fay@example.com").text("token");

        assertThat(register("fay@example.com", ",'invite_token':'" + second + "'").status())
                .isEqualTo(409);
        assertThat(fay.post("/api/v1/invites/accept", "{'token':'" + second + "'}").status())
                .isEqualTo(200);
    }

    @Test
    void an_address_gets_three_invite_mails_an_hour_and_a_person_sends_twenty() {
        clock.advance(Duration.ofHours(1));
        for (int i = 0; i < 3; i++) {
            assertThat(isMailed("gil@example.com")).isTrue();
        }
        assertThat(isMailed("gil@example.com")).isFalse();
        for (int i = 3; i < 20; i++) {
            assertThat(isMailed("g" + i + "@example.com")).isTrue();
        }
        assertThat(isMailed("hal@example.com")).isFalse();
        clock.advance(Duration.ofHours(1));
        assertThat(isMailed("gil@example.com")).isTrue();
    }

    private static boolean isMailed(String email) {
        return invite(owner, workspace, email).json().path("mail_queued").asBoolean();
    }

    @Test
    void names_show_something() {
        clock.advance(Duration.ofHours(1));
        String token = invite(owner, workspace, "ian@example.com").text("token");
        var nameless =
                api.send(
                        Person.withBody(
                                api.anonymous("/api/v1/auth/register"),
                                "{'email':'ian@example.com','password':'%s','name':'\u200B','invite_token':'%s'}"
                                        .formatted(Person.PASSWORD, token)));

        assertThat(nameless.status()).isEqualTo(422);
        assertThat(nameless.body()).contains("must have at least one visible character");
        assertThat(owner.post("/api/v1/workspaces", "{'name':' '}").status()).isEqualTo(422);
        assertThat(owner.patch(workspace, "{'name':'\u2800'}").status()).isEqualTo(422);
        assertThat(owner.post("/api/v1/api-keys", "{'name':'\u3164'}").status()).isEqualTo(422);
    }
}
