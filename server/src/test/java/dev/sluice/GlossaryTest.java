package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.toSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// Tests that every type named in the glossary and the design pages exists.
class GlossaryTest {

    private static final Path REPOSITORY = Path.of("..");

    /// Matches a row of the glossary: word, meaning, types.
    private static final Pattern GLOSSARY_ROW =
            Pattern.compile("^\\| (?!Word|---)[^|]+ \\| [^|]+ \\| ([^|]+) \\|$", Pattern.MULTILINE);

    private static final Path JAVA_ROOT = Path.of("src/main/java/dev/sluice");

    /// Matches a path such as "`engine/LoopDetector.java`".
    private static final Pattern FILE_NAME = Pattern.compile("`([A-Za-z/]+\\.java)`");

    private static final Pattern NAME = Pattern.compile("`(\\w+)`");

    /// Matches a type name of two or more words in backticks; a member may follow.
    private static final Pattern TYPE_NAME =
            Pattern.compile("`((?:[A-Z][a-z0-9]+){2,})(?:\\.\\w+)*`");

    private static final Set<String> JDK_TYPES = Set.of("InstantSource");

    private static final Pattern TYPE_DECLARATION =
            Pattern.compile("\\b(?:class|record|interface|enum) ([A-Z]\\w*)");

    @Test
    void every_type_of_the_glossary_is_a_main_type() throws IOException {
        var rows =
                GLOSSARY_ROW
                        .matcher(Files.readString(REPOSITORY.resolve("docs/glossary.md")))
                        .results()
                        .map(row -> row.group(1))
                        .toList();
        var types = typesIn(SourceCode.sources());

        assertThat(rows).hasSizeGreaterThan(40);
        for (String row : rows) {
            var named = NAME.matcher(row).results().map(name -> name.group(1)).toList();
            assertThat(named.isEmpty()).as(row).isEqualTo(row.equals("–"));
            assertThat(types).containsAll(named);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ARCHITECTURE.md",
                "CONTRIBUTING.md",
                "docs/concurrency.md",
                "docs/oddities.md",
                "docs/states.md",
                "docs/testing.md"
            })
    void every_type_named_on_the_page_exists(String page) throws IOException {
        var named =
                TYPE_NAME
                        .matcher(Files.readString(REPOSITORY.resolve(page)))
                        .results()
                        .map(name -> name.group(1))
                        .collect(toSet());

        named.removeAll(JDK_TYPES);
        named.removeAll(typesIn(texts(SourceCode.mainSources())));
        named.removeAll(typesIn(SourceCode.testSources()));
        assertThat(new TreeSet<>(named)).isEmpty();
    }

    @Test
    void every_file_named_in_the_architecture_exists() throws IOException {
        var files =
                FILE_NAME
                        .matcher(Files.readString(REPOSITORY.resolve("ARCHITECTURE.md")))
                        .results()
                        .map(name -> name.group(1))
                        .toList();

        assertThat(files)
                .hasSizeGreaterThan(30)
                .allMatch(file -> Files.exists(JAVA_ROOT.resolve(file)));
    }

    private static List<String> texts(List<SourceCode.SourceFile> files) {
        return files.stream().map(SourceCode.SourceFile::text).toList();
    }

    private static Set<String> typesIn(List<String> sources) {
        return sources.stream()
                .flatMap(source -> TYPE_DECLARATION.matcher(source).results())
                .map(declaration -> declaration.group(1))
                .collect(toSet());
    }
}
