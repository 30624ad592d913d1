package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.journey.HostileRequest;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Tests that the reference and the hostile suites list the same cases, and that each limit in the
/// reference names a test that exists.
class HostileReferenceTest {

    private static final Path TEST_ROOT = Path.of("src/test/java/dev/sluice");
    private static final Path HOSTILE_PAGE = Path.of("../docs/reference/hostile.md");
    private static final Path LIMITS_PAGE = Path.of("../docs/reference/limits.md");

    /// Matches a row such as "| `bare-lf` | … | 400 | closed | no |".
    private static final Pattern SENDER_CASE_ROW =
            Pattern.compile(
                    "^\\| `([a-z0-9.-]+)` \\|.*\\| (\\d{3}) \\| (kept|closed) \\| (yes|no) \\|$",
                    Pattern.MULTILINE);

    /// Matches a row such as "| `what_never_ends` |".
    private static final Pattern TEST_ROW =
            Pattern.compile("^\\| `([a-z0-9_]+)` \\|", Pattern.MULTILINE);

    /// Matches a test name such as "`JournalTest.a_full_queue_says_no`".
    private static final Pattern TEST_REFERENCE =
            Pattern.compile("`([A-Za-z]+Test)\\.([a-z0-9_]+)`");

    private static final Pattern TEST_METHOD =
            Pattern.compile(
                    "@(?:Test|MethodSource)\\s+void ([a-z0-9_]+)\\(|\\)\\s+void ([a-z0-9_]+)\\(");

    @Test
    void every_case_of_the_senders_stands_there_with_what_becomes_of_it() throws IOException {
        var rows =
                SENDER_CASE_ROW
                        .matcher(Files.readString(HOSTILE_PAGE))
                        .results()
                        .map(row ->
                                String.join(
                                        " ",
                                        row.group(1),
                                        row.group(2),
                                        row.group(3),
                                        row.group(4)));
        var cases =
                HostileRequest.all().stream()
                        .map(sent ->
                                String.join(
                                        " ",
                                        sent.id(),
                                        Integer.toString(sent.status()),
                                        sent.isKept() ? "kept" : "closed",
                                        sent.stored().isEmpty() ? "no" : "yes"));

        assertThat(rows).containsExactlyElementsOf(cases.toList());
    }

    @Test
    void every_test_of_the_suites_stands_there() throws IOException {
        var rows =
                TEST_ROW.matcher(Files.readString(HOSTILE_PAGE)).results().map(row -> row.group(1));
        var tests =
                Stream.of(
                                "journey/HostileSenderTest",
                                "journey/GreedySenderTest",
                                "platform/http/BodySheddingTest",
                                "platform/http/HttpTimeoutsTest",
                                "engine/send/HostileReceiverTest",
                                "engine/send/TlsTest")
                        .flatMap(suite -> testsIn(TEST_ROOT.resolve(suite + ".java")).stream())
                        .filter(test -> !test.equals("what_is_sent_in_one_go"));

        assertThat(rows).containsExactlyInAnyOrderElementsOf(tests.toList());
    }

    @Test
    void every_test_that_the_page_names_exists() throws IOException {
        var named = TEST_REFERENCE.matcher(Files.readString(HOSTILE_PAGE)).results().toList();

        assertThat(named)
                .isNotEmpty()
                .allSatisfy(
                        test -> assertThat(testsIn(file(test.group(1)))).contains(test.group(2)));
    }

    @Test
    void every_limit_names_a_test_that_exists() throws IOException {
        var lines =
                Files.readAllLines(LIMITS_PAGE).stream()
                        .filter(line ->
                                line.startsWith("| ")
                                        && !line.startsWith("| Limit")
                                        && !line.startsWith("| ---"))
                        .toList();

        assertThat(lines)
                .isNotEmpty()
                .allSatisfy(line -> {
                    var shown = TEST_REFERENCE.matcher(line);
                    assertThat(shown.find()).as(line).isTrue();
                    assertThat(testsIn(file(shown.group(1)))).as(line).contains(shown.group(2));
                });
    }

    private static Path file(String test) throws IOException {
        try (var files = Files.walk(TEST_ROOT)) {
            return files.filter(file -> file.endsWith(test + ".java")).findFirst().orElseThrow();
        }
    }

    private static List<String> testsIn(Path file) {
        try {
            return TEST_METHOD
                    .matcher(Files.readString(file))
                    .results()
                    .map(test -> test.group(1) == null ? test.group(2) : test.group(1))
                    .toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
