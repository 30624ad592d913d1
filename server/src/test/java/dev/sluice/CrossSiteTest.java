package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.ApiOperation;
import dev.sluice.contract.OpenApiDocument;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.OpenApiContract;
import dev.sluice.testkit.Team;
import dev.sluice.testkit.Team.Asker;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.net.http.HttpRequest;
import java.util.Map;
import java.util.stream.Stream;

/// Tests that another site cannot make a person's browser change anything, with any operation of
/// the OpenAPI document that a session may call.
class CrossSiteTest {

    private static final OpenApiDocument CONTRACT = OpenApiContract.read().document();

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    @AutoClose private static final Db db = sluice.db();
    private static final Team team = Team.create(db, sluice.api());

    static Stream<ApiOperation> changesWithASession() {
        return CONTRACT.operations().stream()
                .filter(operation -> !operation.isIngest())
                .filter(operation -> !operation.method().equals("GET"))
                .filter(operation ->
                        operation
                                .json()
                                .path("security")
                                .valueStream()
                                .anyMatch(security -> security.has("session")));
    }

    @ParameterizedTest
    @MethodSource("changesWithASession")
    void a_request_of_another_site_is_403_and_changes_nothing(ApiOperation operation) {
        String path = team.path(operation, Asker.OWNER);
        long changes = changes();
        for (var header :
                Map.of("Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site")
                        .entrySet()) {
            var answer =
                    team.send(
                            team.request(Asker.OWNER, path)
                                    .header("Content-Type", "application/json")
                                    .header(header.getKey(), header.getValue())
                                    .method(operation.method(), body(operation)));

            assertThat(answer.status()).as(header + ": " + answer).isEqualTo(403);
            assertThat(answer.errorMessage()).contains("site");
        }
        assertThat(changes()).as("entries of the audit log").isEqualTo(changes);
        assertThat(team.send(team.request(Asker.OWNER, "/api/v1/me").GET()).status())
                .as("the session goes on")
                .isEqualTo(200);
    }

    private static HttpRequest.BodyPublisher body(ApiOperation operation) {
        return operation.examples().stream()
                .findFirst()
                .map(example -> HttpRequest.BodyPublishers.ofString(example.toString()))
                .orElseGet(HttpRequest.BodyPublishers::noBody);
    }

    private static long changes() {
        return db.call(tx ->
                tx.single(
                        "select count(*) as n from audit_log where workspace_id = ?",
                        row -> row.number("n"),
                        team.workspace()));
    }
}
