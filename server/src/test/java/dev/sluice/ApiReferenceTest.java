package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.Contract;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/// The table in the reference is the document's. Where it is not, the message has the right one.
class ApiReferenceTest {

    private static final Path REFERENCE = Path.of("../docs/reference/api.md");

    /// What any request can be answered; the table leaves them out.
    private static final Set<String> ANY = Set.of("400", "431", "500", "503");

    private static final List<String> METHODS = List.of("GET", "POST", "PUT", "PATCH", "DELETE");

    @Test
    void the_reference_has_exactly_the_operations_of_the_document() throws IOException {
        var expected =
                Contract.read().operations().stream()
                        .sorted(
                                Comparator.comparing(Contract.Operation::path)
                                        .thenComparingInt(one -> METHODS.indexOf(one.method())))
                        .map(ApiReferenceTest::row)
                        .toList();
        var found =
                Files.readAllLines(REFERENCE).stream()
                        .filter(line -> line.matches("\\| [A-Z]+ \\| `/.*"))
                        .toList();

        assertThat(String.join("\n", found)).isEqualTo(String.join("\n", expected));
    }

    /// Such as "| GET | `/api/v1/me` | key | 200, 401, 429 | `getMe` | See who is asking |".
    private static String row(Contract.Operation operation) {
        var answers =
                operation.json().path("responses").propertyNames().stream()
                        .filter(status -> !ANY.contains(status))
                        .map(status -> status.equals("default") ? "the source's own" : status)
                        .toList();
        return "| %s | `%s` | %s | %s | `%s` | %s |"
                .formatted(
                        operation.method(),
                        operation.path(),
                        operation.json().has("security") ? "anyone" : "key",
                        String.join(", ", answers),
                        operation.id(),
                        operation.json().path("summary").asString());
    }
}
