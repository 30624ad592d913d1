package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.ApiOperation;
import dev.sluice.testkit.OpenApiContract;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/// Tests that the table of operations in the reference agrees with the OpenAPI document. If it does
/// not, the failure message has the right table.
class ApiReferenceTest {

    private static final Path API_REFERENCE = Path.of("../docs/reference/api.md");

    /// The statuses that any request can get; the table omits them.
    private static final Set<String> COMMON_STATUSES =
            Set.of("400", "408", "417", "431", "500", "503", "505");

    private static final List<String> METHOD_ORDER =
            List.of("GET", "POST", "PUT", "PATCH", "DELETE");

    @Test
    void the_reference_has_exactly_the_operations_of_the_document() throws IOException {
        var expected =
                OpenApiContract.read().document().operations().stream()
                        .sorted(
                                Comparator.comparing(ApiOperation::path)
                                        .thenComparingInt(
                                                one -> METHOD_ORDER.indexOf(one.method())))
                        .map(ApiReferenceTest::row)
                        .toList();
        var found =
                Files.readAllLines(API_REFERENCE).stream()
                        .filter(line -> line.matches("\\| [A-Z]+ \\| `/.*"))
                        .toList();

        assertThat(String.join("\n", found)).isEqualTo(String.join("\n", expected));
    }

    /// A row such as "| GET | `/api/v1/me` | key | 200, 401, 429 | `getMe` | Get the key's
    /// workspace |".
    private static String row(ApiOperation operation) {
        var answers =
                operation.json().path("responses").propertyNames().stream()
                        .filter(status -> !COMMON_STATUSES.contains(status))
                        .map(status -> status.equals("default") ? "the source's own" : status)
                        .toList();
        return "| %s | `%s` | %s | %s | `%s` | %s |"
                .formatted(
                        operation.method(),
                        operation.path(),
                        callers(operation.json().path("security")),
                        String.join(", ", answers),
                        operation.id(),
                        operation.json().path("summary").asString());
    }

    private static String callers(JsonNode security) {
        if (security.isArray() && security.isEmpty()) {
            return "anyone";
        }
        return security.size() == 1 && security.path(0).has("session")
                ? "session"
                : "key or session";
    }
}
