import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Checks that a CycloneDX bill of materials lists every jar that a module runs with. It may list more: the plugin
/// counts `checker-qual`, which only the compiler needs, among the driver's dependencies.
///
///     java tools/CheckSbom.java bom.json directory-with-the-jars
class CheckSbom {

    /// Matches the reference of a Maven artifact, such as `pkg:maven/org.slf4j/slf4j-api@2.0.20?type=jar`.
    private static final Pattern ARTIFACT =
            Pattern.compile("\"purl\"\\s*:\\s*\"pkg:maven/[^/\"]+/([^@\"]+)@([^?\"]+)\\?type=jar\"");

    public static void main(String[] args) throws IOException {
        String bom = Files.readString(Path.of(args[0]));
        Set<String> listed =
                ARTIFACT.matcher(bom)
                        .results()
                        .map(found -> found.group(1) + "-" + found.group(2) + ".jar")
                        .collect(Collectors.toCollection(TreeSet::new));
        Set<String> jars;
        try (Stream<Path> files = Files.list(Path.of(args[1]))) {
            jars = files.map(file -> file.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new));
        }
        var missing = new TreeSet<>(jars);
        missing.removeAll(listed);
        if (jars.isEmpty() || !missing.isEmpty()) {
            System.err.println(args[0] + " does not list these of the " + jars.size() + " jars in " + args[1] + ": " + missing);
            System.exit(1);
        }
    }
}
