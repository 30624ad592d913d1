package dev.sluice;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// The source files of the server and the other modules, for tests that read them.
final class SourceCode {

    private static final Path JAVA_ROOT = Path.of("src/main/java/dev/sluice");
    private static final Path REPOSITORY_ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path MIGRATION_ROOT = Path.of("src/main/resources/db");

    private static final Pattern STRING_LITERAL =
            Pattern.compile(
                    "\"\"\"(?<block>.*?)\"\"\"|\"(?<line>(?:[^\"\\\\\n]|\\\\.)*)\"",
                    Pattern.DOTALL);

    /// A string in a source file.
    ///
    /// @param directory its folder, such as `engine/commit`
    record StringLiteral(String directory, String file, String text) {}

    /// @param path the path in the repository, with `/`
    record SourceFile(String path, String text) {}

    private SourceCode() {}

    /// All main source files of all modules.
    static List<SourceFile> mainSources() {
        var sources = new ArrayList<SourceFile>();
        for (var module : modules()) {
            for (var file : files(module.resolve("src/main/java"), ".java")) {
                String path = REPOSITORY_ROOT.relativize(file).toString().replace('\\', '/');
                sources.add(new SourceFile(path, read(file)));
            }
        }
        return sources;
    }

    private static List<Path> modules() {
        try (var folders = Files.list(REPOSITORY_ROOT)) {
            return folders.filter(folder -> Files.isDirectory(folder.resolve("src/main/java")))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Every text block and string of the main sources. Strings joined by `+` count as one.
    static List<StringLiteral> stringLiterals() {
        var statements = new ArrayList<StringLiteral>();
        for (var file : files(JAVA_ROOT, ".java")) {
            String room = JAVA_ROOT.relativize(file.getParent()).toString().replace('\\', '/');
            String source = withoutComments(file).replaceAll("\"\\s*\\+\\s*\"", "");
            var texts = STRING_LITERAL.matcher(source);
            while (texts.find()) {
                String block = texts.group("block");
                String text = block == null ? texts.group("line") : block;
                statements.add(
                        new StringLiteral(room, file.getFileName().toString(), text.strip()));
            }
        }
        return statements;
    }

    /// The text of every source file, without comments.
    static List<String> sources() {
        return files(JAVA_ROOT, ".java").stream().map(SourceCode::withoutComments).toList();
    }

    /// The text of every test's source file in all modules, without comments.
    static List<String> testSources() {
        return modules().stream()
                .map(module -> module.resolve("src/test/java"))
                .filter(Files::isDirectory)
                .flatMap(tests -> files(tests, ".java").stream())
                .map(SourceCode::withoutComments)
                .toList();
    }

    private static String withoutComments(Path file) {
        return read(file).replaceAll("(?m)^\\s*//.*$", "");
    }

    /// The text that the first group of `call` matches in each source.
    static List<StringLiteral> arguments(Pattern call) {
        var found = new ArrayList<StringLiteral>();
        for (var file : files(JAVA_ROOT, ".java")) {
            String room = JAVA_ROOT.relativize(file.getParent()).toString().replace('\\', '/');
            call.matcher(read(file))
                    .results()
                    .forEach(match ->
                            found.add(
                                    new StringLiteral(
                                            room, file.getFileName().toString(), match.group(1))));
        }
        return found;
    }

    /// All migrations, one after the other.
    static String migrations() {
        var all = new StringBuilder();
        files(MIGRATION_ROOT, ".sql").forEach(file -> all.append(read(file)));
        return all.toString();
    }

    private static List<Path> files(Path root, String ending) {
        try (var files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(ending)).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
