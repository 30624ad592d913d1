package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.journey.HostileSenders;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Each case of the hostile suites stands in the reference, and the other way round; each limit
/// names a test that exists.
class HostileReferenceTest {

    private static final Path TESTS = Path.of("src/test/java/dev/sluice");
    private static final Path HOSTILE = Path.of("../docs/reference/hostile.md");
    private static final Path LIMITS = Path.of("../docs/reference/limits.md");

    /// Such as "| `bare-lf` | … | 400 | closed | no |".
    private static final Pattern CASE =
            Pattern.compile(
                    "^\\| `([a-z0-9.-]+)` \\|.*\\| (\\d{3}) \\| (kept|closed) \\| (yes|no) \\|$",
                    Pattern.MULTILINE);

    /// Such as "| `what_never_ends` |".
    private static final Pattern NAMED =
            Pattern.compile("^\\| `([a-z0-9_]+)` \\|", Pattern.MULTILINE);

    /// Such as "`JournalTest.a_full_queue_says_no`".
    private static final Pattern SHOWN = Pattern.compile("`([A-Za-z]+Test)\\.([a-z0-9_]+)`");

    private static final Pattern TEST =
            Pattern.compile(
                    "@(?:Test|MethodSource)\\s+void ([a-z0-9_]+)\\(|\\)\\s+void ([a-z0-9_]+)\\(");

    @Test
    void every_case_of_the_senders_stands_there_with_what_becomes_of_it() throws IOException {
        var rows =
                CASE.matcher(Files.readString(HOSTILE))
                        .results()
                        .map(row ->
                                String.join(
                                        " ",
                                        row.group(1),
                                        row.group(2),
                                        row.group(3),
                                        row.group(4)));
        var cases =
                HostileSenders.all().stream()
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
        var rows = NAMED.matcher(Files.readString(HOSTILE)).results().map(row -> row.group(1));
        var tests =
                Stream.of(
                                "journey/HostileSenderTest",
                                "platform/http/SlowSenderTest",
                                "relay/send/HostileReceiverTest",
                                "relay/send/TlsTest")
                        .flatMap(suite -> tests(TESTS.resolve(suite + ".java")).stream())
                        .filter(test -> !test.equals("what_is_sent_in_one_go"));

        assertThat(rows).containsExactlyInAnyOrderElementsOf(tests.toList());
    }

    @Test
    void every_limit_names_a_test_that_exists() throws IOException {
        var lines =
                Files.readAllLines(LIMITS).stream()
                        .filter(line ->
                                line.startsWith("| ")
                                        && !line.startsWith("| Limit")
                                        && !line.startsWith("| ---"))
                        .toList();

        assertThat(lines)
                .isNotEmpty()
                .allSatisfy(line -> {
                    var shown = SHOWN.matcher(line);
                    assertThat(shown.find()).as(line).isTrue();
                    assertThat(tests(file(shown.group(1)))).as(line).contains(shown.group(2));
                });
    }

    private static Path file(String test) throws IOException {
        try (var files = Files.walk(TESTS)) {
            return files.filter(file -> file.endsWith(test + ".java")).findFirst().orElseThrow();
        }
    }

    private static List<String> tests(Path file) {
        try {
            return TEST.matcher(Files.readString(file))
                    .results()
                    .map(test -> test.group(1) == null ? test.group(2) : test.group(1))
                    .toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
