package dev.sluice;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// The server's own sources, for tests that read them.
final class Sources {

    private static final Path JAVA = Path.of("src/main/java/dev/sluice");
    private static final Path MIGRATIONS = Path.of("src/main/resources/db");

    private static final Pattern TEXT =
            Pattern.compile(
                    "\"\"\"(?<block>.*?)\"\"\"|\"(?<line>(?:[^\"\\\\\n]|\\\\.)*)\"",
                    Pattern.DOTALL);

    /// A text that stands in a source.
    ///
    /// @param room its folder, such as `relay/store`
    record Statement(String room, String file, String text) {}

    private Sources() {}

    /// Every text block and every string; strings joined by `+` are one.
    static List<Statement> statements() {
        var statements = new ArrayList<Statement>();
        for (var file : files(JAVA, ".java")) {
            String room = JAVA.relativize(file.getParent()).toString().replace('\\', '/');
            String source =
                    read(file).replaceAll("(?m)^\\s*//.*$", "").replaceAll("\"\\s*\\+\\s*\"", "");
            var texts = TEXT.matcher(source);
            while (texts.find()) {
                String block = texts.group("block");
                String text = block == null ? texts.group("line") : block;
                statements.add(new Statement(room, file.getFileName().toString(), text.strip()));
            }
        }
        return statements;
    }

    /// All migrations, one after the other.
    static String migrations() {
        var all = new StringBuilder();
        files(MIGRATIONS, ".sql").forEach(file -> all.append(read(file)));
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
