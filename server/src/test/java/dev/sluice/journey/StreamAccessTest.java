package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Person;
import dev.sluice.testkit.SseClient;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.net.http.HttpRequest;
import java.util.Map;

/// Tests that a person's live streams end with what gave them access.
class StreamAccessTest {

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"));

    private static final ApiClient api = sluice.api();
    private static final Person owner = Person.register(api, "owner@example.com");
    private static final String workspace =
            "/api/v1/workspaces/"
                    + owner.get("/api/v1/me").json().path("workspace").path("id").asString();

    /// A person whose only workspace is the owner's.
    private static Person member(String email) {
        var invite =
                owner.post(workspace + "/invites", "{'email':'" + email + "','role':'member'}");
        return Person.registerInvited(api, email, invite.text("token"));
    }

    private static void assertEnds(Person person, Runnable change) {
        try (var stream = SseClient.open(sluice.port(), "/api/v1/stream", person)) {
            stream.awaitReady();

            change.run();

            await().untilAsserted(() ->
                    assertThat(stream.messages("bye"))
                            .first()
                            .satisfies(bye ->
                                    assertThat(bye.data().path("reason").asString())
                                            .isEqualTo("access_ended")));
        }
    }

    @Test
    void a_stream_ends_when_its_person_is_removed() {
        var member = member("removed@example.com");
        String id = member.get("/api/v1/me").json().path("user").path("id").asString();

        assertEnds(
                member,
                () ->
                        assertThat(owner.delete(workspace + "/members/" + id).status())
                                .isEqualTo(204));
    }

    @Test
    void a_stream_ends_with_the_logout_of_its_session() {
        var member = member("logout@example.com");

        assertEnds(
                member,
                () -> assertThat(member.post("/api/v1/auth/logout", "").status()).isEqualTo(204));
    }

    @Test
    void a_stream_ends_with_its_account() {
        var member = member("deleted@example.com");
        var delete =
                member.request("/api/v1/auth/account")
                        .header("Content-Type", "application/json")
                        .method(
                                "DELETE",
                                HttpRequest.BodyPublishers.ofString(
                                        "{\"password\":\"" + Person.PASSWORD + "\"}"));

        assertEnds(member, () -> assertThat(member.send(delete).status()).isEqualTo(204));
    }

    @Test
    void a_stream_ends_with_a_change_of_the_password_elsewhere() {
        String email = "changed@example.com";
        var member = member(email);
        var elsewhere = Person.signIn(api, email);

        assertEnds(
                member,
                () ->
                        assertThat(
                                        elsewhere
                                                .post(
                                                        "/api/v1/auth/password",
                                                        "{'current_password':'%s','new_password':'another one'}"
                                                                .formatted(Person.PASSWORD))
                                                .status())
                                .isEqualTo(204));
    }
}
