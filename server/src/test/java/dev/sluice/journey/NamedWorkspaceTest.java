package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.Person;
import dev.sluice.testkit.SseClient;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpRequest;
import java.util.HashSet;
import java.util.Map;
import java.util.UUID;

/// Tests requests that name their workspace, as the dashboard's do: two tabs of one session may
/// show two workspaces.
class NamedWorkspaceTest {

    private static final String HEADER = "X-Sluice-Workspace";
    private static final String SOURCES = "/api/v1/sources";

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"));

    private static final ApiClient api = sluice.api();
    private static final Person owner = Person.register(api, "owner@example.com");
    private static final String main = workspaceOf(owner.get("/api/v1/me"));
    private static final String staging =
            owner.post("/api/v1/workspaces", "{'name':'Staging'}").text("id");

    private static String workspaceOf(ApiResponse me) {
        return me.json().path("workspace").path("id").asString();
    }

    private static HttpRequest.Builder in(Person person, String workspace, String path) {
        return person.request(path).header(HEADER, workspace);
    }

    private static ApiResponse get(Person person, String workspace, String path) {
        return person.send(in(person, workspace, path));
    }

    private static ApiResponse createSource(Person person, String workspace, String name) {
        return person.send(
                Person.withBody(in(person, workspace, SOURCES), "{'name':'" + name + "'}"));
    }

    private static void switchTo(Person person, String workspace) {
        assertThat(person.post("/api/v1/workspaces/" + workspace + "/switch", "").status())
                .isEqualTo(200);
    }

    private static Person member(String email) {
        var invite =
                owner.post(
                        "/api/v1/workspaces/" + main + "/invites",
                        "{'email':'" + email + "','role':'member'}");
        return Person.registerInvited(api, email, invite.text("token"));
    }

    @Test
    void a_request_reads_and_changes_the_workspace_it_names_whichever_the_session_is_in() {
        for (String current : new String[] {main, staging}) {
            switchTo(owner, current);
            for (String named : new String[] {main, staging}) {
                assertThat(workspaceOf(get(owner, named, "/api/v1/me"))).isEqualTo(named);
                String other = named.equals(main) ? staging : main;

                String path = SOURCES + "/" + createSource(owner, named, "tab").text("id");

                assertThat(get(owner, named, path).status()).isEqualTo(200);
                assertThat(get(owner, other, path).status()).isEqualTo(404);
                assertThat(owner.get(path).status()).isEqualTo(named.equals(current) ? 200 : 404);
                assertThat(get(owner, named, "/api/v1/audit-log?limit=1").body())
                        .contains("source.created", path.substring(SOURCES.length() + 1));
            }
        }
    }

    @Test
    void the_role_is_the_one_in_the_named_workspace() {
        var member = member("role@example.com");
        String own = member.post("/api/v1/workspaces", "{'name':'Own'}").text("id");

        assertThat(get(member, main, "/api/v1/me").text("role")).isEqualTo("member");
        assertThat(get(member, main, "/api/v1/audit-log").status()).isEqualTo(403);
        assertThat(get(member, own, "/api/v1/me").text("role")).isEqualTo("owner");
        assertThat(get(member, own, "/api/v1/audit-log").status()).isEqualTo(200);
    }

    @Test
    void an_idempotency_key_belongs_to_the_named_workspace() {
        var ids = new HashSet<String>();
        for (String named : new String[] {main, staging, main}) {
            ids.add(
                    owner.send(
                                    Person.withBody(
                                            in(owner, named, SOURCES)
                                                    .header("Idempotency-Key", "tabs"),
                                            "{'name':'once'}"))
                            .text("id"));
        }

        assertThat(ids).hasSize(2);
    }

    @Test
    void a_workspace_that_is_unknown_anothers_or_deleted_looks_the_same() {
        var stranger = Person.register(api, "stranger@example.com");
        String others = workspaceOf(stranger.get("/api/v1/me"));
        String deleted = owner.post("/api/v1/workspaces", "{'name':'Gone'}").text("id");
        assertThat(owner.delete("/api/v1/workspaces/" + deleted).status()).isEqualTo(204);

        var unknown = get(owner, UUID.randomUUID().toString(), SOURCES);

        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.body()).contains("not_found");
        for (String named : new String[] {others, deleted}) {
            assertThat(get(owner, named, SOURCES).status()).isEqualTo(404);
            assertThat(get(owner, named, SOURCES).body()).isEqualTo(unknown.body());
        }
        assertThat(createSource(owner, others, "intruder").status()).isEqualTo(404);
        assertThat(stranger.get(SOURCES).body()).doesNotContain("intruder");
    }

    @Test
    void a_removed_member_is_refused_in_the_workspace_and_served_in_another() {
        var member = member("removed@example.com");
        String own = member.post("/api/v1/workspaces", "{'name':'Own'}").text("id");
        switchTo(member, own);
        String id = member.get("/api/v1/me").json().path("user").path("id").asString();
        assertThat(get(member, main, SOURCES).status()).isEqualTo(200);

        owner.delete("/api/v1/workspaces/" + main + "/members/" + id);

        assertThat(get(member, main, SOURCES).status()).isEqualTo(404);
        assertThat(get(member, own, SOURCES).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"staging", "*", "1-2-3-4-5", "018f3c5e-7a05-7000-8000-00000000000"})
    void a_name_that_is_no_id_is_refused(String named) {
        var answer = get(owner, named, SOURCES);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).contains("malformed_request", HEADER + " must be");
    }

    @Test
    void two_workspaces_in_one_request_are_refused() {
        var answer = owner.send(in(owner, main, SOURCES).header(HEADER, staging));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).contains("only once");
    }

    @Test
    void requests_about_the_person_do_not_depend_on_the_named_workspace() {
        String unknown = UUID.randomUUID().toString();

        assertThat(get(owner, unknown, "/api/v1/workspaces").body()).contains(main, staging);
        assertThat(get(owner, unknown, "/api/v1/auth/sessions").status()).isEqualTo(200);
        assertThat(get(owner, unknown, "/api/v1/workspaces/" + staging).status()).isEqualTo(200);
    }

    @Test
    void a_key_may_name_only_its_own_workspace() {
        switchTo(owner, main);
        String key = owner.post("/api/v1/api-keys", "{'name':'tabs'}").text("key");

        assertThat(withKey(key, main).status()).isEqualTo(200);
        assertThat(withKey(key, staging).status()).isEqualTo(404);
    }

    private static ApiResponse withKey(String key, String workspace) {
        return api.send(
                api.anonymous(SOURCES)
                        .header("Authorization", "Bearer " + key)
                        .header(HEADER, workspace));
    }

    @Test
    void a_request_from_another_site_is_refused_in_a_named_workspace_too() {
        var answer =
                owner.send(
                        Person.withBody(in(owner, staging, SOURCES), "{'name':'forged'}")
                                .header("Sec-Fetch-Site", "cross-site"));

        assertThat(answer.status()).isEqualTo(403);
    }

    @Test
    void a_stream_stays_in_the_workspace_that_its_address_names() {
        switchTo(owner, main);
        try (var stream =
                SseClient.open(sluice.port(), "/api/v1/stream?workspace=" + staging, owner)) {
            stream.awaitReady();
            switchTo(owner, staging);
            switchTo(owner, main);
            var elsewhere = createSource(owner, main, "elsewhere");
            var here = createSource(owner, staging, "here");

            api.ingest(elsewhere.text("ingest_path"), "{}");
            api.ingest(here.text("ingest_path"), "{}");

            await().untilAsserted(() ->
                    assertThat(stream.messages("event"))
                            .extracting(event -> event.data().path("source_id").asString())
                            .containsExactly(here.text("id")));
            assertThat(stream.messages("bye")).isEmpty();
        }
    }

    @Test
    void a_stream_of_a_workspace_that_is_not_the_persons_is_not_found() {
        String unknown = UUID.randomUUID().toString();

        assertThat(owner.get("/api/v1/stream?workspace=" + unknown).status()).isEqualTo(404);
        assertThat(owner.get("/api/v1/stream?workspace=nonsense").status()).isEqualTo(400);
        assertThat(get(owner, main, "/api/v1/stream?workspace=" + staging).status()).isEqualTo(400);
    }
}
