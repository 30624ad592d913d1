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

/// The page that says which test shows which promise names tests that are there.
class ConformanceTest {

    private static final Path PAGE = Path.of("../docs/reference/conformance.md");
    private static final Path TESTS = Path.of("src/test/java");

    /// A row of a table that is neither its head nor the line below.
    private static final Pattern ROW =
            Pattern.compile("^\\| (?!What|---)(.+) \\| (.+) \\|$", Pattern.MULTILINE);

    private static final Pattern NAMED = Pattern.compile("`(\\w+\\.\\w+)`");

    private static final Pattern TEST =
            Pattern.compile("@(?:Parameterized|Repeated)?Test\\b.*?void (\\w+)\\(", Pattern.DOTALL);

    @Test
    void every_row_names_tests_that_exist() throws IOException {
        var tests = tests();

        for (var row : rows()) {
            var named = NAMED.matcher(row.getLast()).results().map(name -> name.group(1)).toList();
            assertThat(named).as(row.getFirst()).isNotEmpty();
            assertThat(tests).as(row.getFirst()).containsAll(named);
        }
    }

    @Test
    void the_page_has_rows() throws IOException {
        assertThat(rows()).hasSizeGreaterThan(80);
    }

    private static List<List<String>> rows() throws IOException {
        return ROW.matcher(Files.readString(PAGE))
                .results()
                .map(row -> List.of(row.group(1), row.group(2)))
                .toList();
    }

    /// All tests as `Class.method`.
    private static Set<String> tests() throws IOException {
        var tests = new HashSet<String>();
        try (var files = Files.walk(TESTS)) {
            for (var file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                String name = file.getFileName().toString().replace(".java", "");
                TEST.matcher(Files.readString(file))
                        .results()
                        .forEach(test -> tests.add(name + "." + test.group(1)));
            }
        }
        return tests;
    }
}
