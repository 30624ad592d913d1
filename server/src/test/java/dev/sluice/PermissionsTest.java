package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.ApiOperation;
import dev.sluice.testkit.OpenApiContract;
import dev.sluice.testkit.Team;
import dev.sluice.testkit.Team.Asker;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Tests who may do what: asks the server for each operation of the OpenAPI document as each kind
/// of caller, and compares the answers with the table in the reference. If they differ, the failure
/// message has the right table.
class PermissionsTest {

    private static final Path PERMISSIONS = Path.of("../docs/reference/permissions.md");

    private static final List<String> METHOD_ORDER =
            List.of("GET", "POST", "PUT", "PATCH", "DELETE");

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"));

    private record MatrixRow(ApiOperation operation, Map<Asker, String> answers) {

        /// A row such as "| GET | `/api/v1/me` | 401 | yes | yes | yes | yes | yes | yes |".
        String markdown() {
            return "| "
                    + operation.method()
                    + " | `"
                    + operation.path()
                    + "` | "
                    + answers.values().stream().collect(Collectors.joining(" | "))
                    + " |";
        }
    }

    @Test
    void every_operation_answers_each_caller_as_the_reference_says() throws IOException {
        var expected = new ArrayList<MatrixRow>();
        try (var db = sluice.db()) {
            for (var operation : operations()) {
                var answers = new EnumMap<Asker, String>(Asker.class);
                for (var asker : Asker.values()) {
                    answers.put(asker, ask(operation, asker, Team.create(db, sluice.api())));
                }
                expected.add(new MatrixRow(operation, answers));
            }
        }
        var found =
                Files.readAllLines(PERMISSIONS).stream()
                        .filter(line -> line.matches("\\| [A-Z]+ \\| `/.*"))
                        .collect(Collectors.joining("\n"));

        assertThat(found)
                .isEqualTo(
                        expected.stream()
                                .map(MatrixRow::markdown)
                                .collect(Collectors.joining("\n")));
        for (var row : expected) {
            assertFitsSecurity(row);
        }
    }

    private static List<ApiOperation> operations() {
        return OpenApiContract.read().document().operations().stream()
                .sorted(
                        Comparator.comparing(ApiOperation::path)
                                .thenComparingInt(one -> METHOD_ORDER.indexOf(one.method())))
                .toList();
    }

    /// Sends the operation without fields, so that a caller who may do it is told what is missing
    /// at most.
    private static String ask(ApiOperation operation, Asker asker, Team team) {
        String path = team.path(operation, asker);
        var body =
                operation.json().has("requestBody")
                        ? HttpRequest.BodyPublishers.ofString("{}")
                        : HttpRequest.BodyPublishers.noBody();
        int status =
                team.send(
                                team.request(asker, path)
                                        .header("Content-Type", "application/json")
                                        .method(method(operation), body))
                        .status();
        return switch (status) {
            case 401, 403, 404 -> Integer.toString(status);
            default -> {
                assertThat(status).as(operation.route() + " by " + asker).isLessThan(500);
                yield "yes";
            }
        };
    }

    /// A stream has no end, and `HEAD` is answered as `GET` is.
    private static String method(ApiOperation operation) {
        return operation.isStream() ? "HEAD" : operation.method();
    }

    /// Checks the answers against what the document says about each operation.
    private static void assertFitsSecurity(MatrixRow row) {
        var security = row.operation().json().path("security");
        String route = row.operation().route();
        if (security.isArray() && security.isEmpty()) {
            assertThat(row.answers())
                    .as(route)
                    .doesNotContainValue("401")
                    .doesNotContainValue("403");
            return;
        }
        assertThat(row.answers()).as(route).containsEntry(Asker.NONE, "401");
        assertThat(row.answers()).as(route).containsEntry(Asker.OWNER, "yes");
        boolean isSessionOnly = isSessionOnly(security);
        assertThat(row.answers()).as(route).containsEntry(Asker.KEY, isSessionOnly ? "403" : "yes");
        assertThat(row.answers())
                .as(route)
                .containsEntry(
                        Asker.READ_KEY,
                        isSessionOnly || !row.operation().method().equals("GET") ? "403" : "yes");
        if (row.operation().path().contains("{")) {
            assertThat(row.answers()).as(route).containsEntry(Asker.OTHER_WORKSPACE, "404");
        }
    }

    private static boolean isSessionOnly(JsonNode security) {
        return security.size() == 1 && security.path(0).has("session");
    }
}
