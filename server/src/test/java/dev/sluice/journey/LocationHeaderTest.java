package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.Person;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

/// Tests where `Location` leads. [ApiClient] checks for every 201 and 202 of any test that the
/// header is there.
class LocationHeaderTest {

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"));

    private static final ApiClient api = sluice.api();

    @Test
    void what_was_created_is_at_its_location() {
        var source = api.source("s");
        var destination = api.destination("https://example.com/hook", "");
        var created =
                List.of(
                        source,
                        destination,
                        api.connect(source, destination),
                        api.post(
                                "/api/v1/alert-configs",
                                "{'channel':'email','config':{'to':'oncall@example.com'}}"));

        assertThat(created)
                .allSatisfy(answer -> {
                    assertThat(answer.status()).isEqualTo(201);
                    assertThat(api.get(location(answer)).text("id")).isEqualTo(answer.text("id"));
                });
    }

    @Test
    void what_cannot_be_read_alone_is_deleted_at_its_location() {
        var owner = Person.register(api, "location@example.com");
        var workspace = owner.post("/api/v1/workspaces", "{'name':'Another'}");
        owner.post(location(workspace) + "/switch", "");

        assertThat(location(workspace)).isEqualTo("/api/v1/workspaces/" + workspace.text("id"));
        for (var created :
                List.of(
                        owner.post("/api/v1/api-keys", "{'name':'k'}"),
                        owner.post(
                                location(workspace) + "/invites",
                                "{'email':'guest@example.com','role':'member'}"),
                        workspace)) {
            assertThat(location(created)).endsWith("/" + created.text("id"));
            assertThat(owner.delete(location(created)).status()).isEqualTo(204);
        }
    }

    @Test
    void a_resend_names_where_to_look() {
        var source = api.source("s");
        var connection =
                api.connect(
                        source,
                        api.destination("https://example.com/hook", ", 'status': 'paused'"));
        String event = api.ingest(source.text("ingest_path"), "{}").text("request_id");

        assertThat(location(api.post("/api/v1/events/" + event + "/resend", "")))
                .isEqualTo("/api/v1/events/" + event);
        assertThat(
                        location(
                                api.post(
                                        "/api/v1/deliveries/resend-bulk",
                                        "{'connection_id':'" + connection.text("id") + "'}")))
                .isEqualTo("/api/v1/connections/" + connection.text("id"));
        assertThat(location(api.post("/api/v1/dlq/resend", "{}"))).isEqualTo("/api/v1/dlq");
    }

    private static String location(ApiResponse answer) {
        return answer.header("Location").orElseThrow(() -> new AssertionError(answer.toString()));
    }
}
