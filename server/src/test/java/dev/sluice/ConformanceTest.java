package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// Tests that the conformance page, which names a test for each promise, names only tests that
/// exist.
class ConformanceTest {

    private static final Path CONFORMANCE_PAGE = Path.of("../docs/reference/conformance.md");
    private static final Path TEST_ROOT = Path.of("src/test/java");

    /// Matches a table row that is neither the header nor the line below it.
    private static final Pattern TABLE_ROW =
            Pattern.compile("^\\| (?!What|---)(.+) \\| (.+) \\|$", Pattern.MULTILINE);

    private static final Pattern TEST_NAME = Pattern.compile("`(\\w+\\.\\w+)`");

    private static final Pattern TEST_METHOD =
            Pattern.compile("@(?:Parameterized|Repeated)?Test\\b.*?void (\\w+)\\(", Pattern.DOTALL);

    @Test
    void every_row_names_tests_that_exist() throws IOException {
        var tests = tests();

        for (var row : rows()) {
            var named =
                    TEST_NAME.matcher(row.getLast()).results().map(name -> name.group(1)).toList();
            assertThat(named).as(row.getFirst()).isNotEmpty();
            assertThat(tests).as(row.getFirst()).containsAll(named);
        }
    }

    @Test
    void the_page_has_rows() throws IOException {
        assertThat(rows()).hasSizeGreaterThan(80);
    }

    private static List<List<String>> rows() throws IOException {
        return TABLE_ROW
                .matcher(Files.readString(CONFORMANCE_PAGE))
                .results()
                .map(row -> List.of(row.group(1), row.group(2)))
                .toList();
    }

    /// The names of all tests, as `Class.method`.
    private static Set<String> tests() throws IOException {
        var tests = new HashSet<String>();
        try (var files = Files.walk(TEST_ROOT)) {
            for (var file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                String name = file.getFileName().toString().replace(".java", "");
                TEST_METHOD
                        .matcher(Files.readString(file))
                        .results()
                        .forEach(test -> tests.add(name + "." + test.group(1)));
            }
        }
        return tests;
    }
}
