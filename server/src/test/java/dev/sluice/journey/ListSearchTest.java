package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Person;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Map;

/// Tests the parameter `q` of the lists that search for names.
class ListSearchTest {

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"));

    private static final ApiClient api = sluice.api();
    private static Person person;
    private static String workspace;

    @BeforeAll
    static void makeNames() {
        person = Person.register(api, "search@example.com");
        person.post("/api/v1/workspaces", "{'name':'Second Home'}");
        workspace = person.get("/api/v1/me").json().path("workspace").path("id").asString();
        var source = person.post("/api/v1/sources", "{'name':'Shop North'}");
        person.post("/api/v1/sources", "{'name':'Bank'}");
        var destination = destination("Warehouse", "north");
        var other = destination("Ledger", "south");
        person.post("/api/v1/connections", connection(source, destination));
        person.post("/api/v1/connections", connection(source, other));
        person.post("/api/v1/alert-configs", alert("night@example.com"));
        person.post("/api/v1/alert-configs", alert("day@example.com"));
        person.post("/api/v1/api-keys", "{'name':'Deploy Key'}");
        person.post("/api/v1/api-keys", "{'name':'Backup'}");
        String invites = "/api/v1/workspaces/" + workspace + "/invites";
        person.post(invites, "{'email':'ann@example.com','role':'member'}");
        person.post(invites, "{'email':'bob@example.org','role':'member'}");
    }

    private static ApiClient.ApiResponse destination(String name, String host) {
        return person.post(
                "/api/v1/destinations",
                "{'name':'%s','url':'https://%s.example.com/'}".formatted(name, host));
    }

    private static String connection(
            ApiClient.ApiResponse source, ApiClient.ApiResponse destination) {
        return "{'source_id':'%s','destination_id':'%s'}"
                .formatted(source.text("id"), destination.text("id"));
    }

    private static String alert(String address) {
        return "{'channel':'webhook','config':{'url':'https://example.com/%s'}}".formatted(address);
    }

    private static JsonNode list(String path) {
        var answer = person.get("/api/v1/" + path.replace("{workspace}", workspace));
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    @ParameterizedTest
    @CsvSource({
        "sources,                         hop nor, 1",
        "destinations,                    WARE,    1",
        "connections,                     ware,    1",
        "connections,                     NORTH,   2",
        "connections,                     bank,    0",
        "alert-configs,                   NIGHT,   1",
        "alert-configs,                   example, 2",
        "api-keys,                        deploy,  1",
        "workspaces,                      HOME,    1",
        "workspaces/{workspace}/members,  SEARCH,  1",
        "workspaces/{workspace}/members,  nobody,  0",
        "workspaces/{workspace}/invites,  ANN,     1",
        "workspaces/{workspace}/invites,  @,       2",
        "audit-log,                       bank,    1",
        "auth/sessions,                   127.0.,  1",
        "auth/sessions,                   JAVA,    1",
        "auth/sessions,                   nobody,  0",
    })
    void q_finds_names_in_any_case(String path, String q, int expected) {
        var list = list(path + "?q=" + q.replace(" ", "%20"));

        assertThat(list.path("items")).hasSize(expected);
        if (list.has("total")) {
            assertThat(list.path("total").asInt()).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"connections", "alert-configs"})
    void pages_and_totals_are_of_what_q_finds(String path) {
        var first = list(path + "?q=E&page=1&limit=1");
        var second = list(path + "?q=E&page=2&limit=1");
        var none = list(path + "?q=E&page=3&limit=1");

        assertThat(first.path("total").asInt()).isEqualTo(2);
        assertThat(first.path("items")).hasSize(1);
        assertThat(second.path("items")).hasSize(1);
        assertThat(second.path("items")).isNotEqualTo(first.path("items"));
        assertThat(none.path("items")).isEmpty();
    }

    @Test
    void an_empty_q_counts_as_absent() {
        assertThat(list("api-keys?q=").path("items")).hasSize(2);
    }

    @Test
    void a_q_that_is_too_long_is_refused_with_its_name() {
        for (String path :
                List.of(
                        "connections",
                        "destinations",
                        "alert-configs",
                        "api-keys",
                        "workspaces",
                        "audit-log",
                        "workspaces/{workspace}/members",
                        "workspaces/{workspace}/invites")) {
            var answer =
                    person.get(
                            "/api/v1/"
                                    + path.replace("{workspace}", workspace)
                                    + "?q="
                                    + "x".repeat(2_001));

            assertThat(answer.status()).as(path).isEqualTo(422);
            assertThat(answer.errorMessage()).startsWith("q ");
        }
    }
}
