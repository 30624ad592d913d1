import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Checks that a CycloneDX bill of materials lists every jar that a module runs with, or every npm package that is
/// bundled. It may list more: the plugin counts `checker-qual`, which only the compiler needs, among the driver's
/// dependencies.
///
///     java tools/CheckSbom.java bom.json directory-with-the-jars
///     java tools/CheckSbom.java bom.json package-lock.json
class CheckSbom {

    /// Matches the reference of an npm package, such as `pkg:npm/%40preact/compat@18.3.2`.
    private static final Pattern NPM_PACKAGE = Pattern.compile("\"purl\"\\s*:\\s*\"pkg:npm/([^@\"]+)@([^?\"]+)\"");

    /// Matches an entry of a `package-lock.json` as npm writes it, from its path to its end.
    private static final Pattern LOCKED =
            Pattern.compile("^    \"(?:[^\"]+/)?node_modules/([^\"]+)\": \\{(.*?)^    \\}", Pattern.MULTILINE | Pattern.DOTALL);

    private static final Pattern NAME = Pattern.compile("^      \"name\": \"([^\"]+)\"", Pattern.MULTILINE);
    private static final Pattern VERSION = Pattern.compile("^      \"version\": \"([^\"]+)\"", Pattern.MULTILINE);

    /// Matches what marks a package that is only built or tested with.
    private static final Pattern NOT_BUNDLED = Pattern.compile("^      \"(?:dev|devOptional)\": true", Pattern.MULTILINE);

    /// Matches the reference of a Maven artifact, such as `pkg:maven/org.slf4j/slf4j-api@2.0.20?type=jar`.
    private static final Pattern ARTIFACT =
            Pattern.compile("\"purl\"\\s*:\\s*\"pkg:maven/[^/\"]+/([^@\"]+)@([^?\"]+)\\?type=jar\"");

    public static void main(String[] args) throws IOException {
        String bom = Files.readString(Path.of(args[0]));
        Path parts = Path.of(args[1]);
        boolean isNpm = Files.isRegularFile(parts);
        Set<String> listed = isNpm ? packagesIn(bom) : jarsIn(bom);
        Set<String> used = isNpm ? bundledPackages(Files.readString(parts)) : jarFiles(parts);
        var missing = new TreeSet<>(used);
        missing.removeAll(listed);
        if (used.isEmpty() || !missing.isEmpty()) {
            System.err.println(args[0] + " does not list these of the " + used.size() + " parts in " + args[1] + ": " + missing);
            System.exit(1);
        }
    }

    private static Set<String> jarsIn(String bom) {
        return ARTIFACT.matcher(bom)
                .results()
                .map(found -> found.group(1) + "-" + found.group(2) + ".jar")
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> jarFiles(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Set<String> packagesIn(String bom) {
        return NPM_PACKAGE.matcher(bom)
                .results()
                .map(found -> found.group(1).replace("%40", "@") + "@" + found.group(2))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> bundledPackages(String lock) {
        var packages = new TreeSet<String>();
        LOCKED.matcher(lock).results().filter(entry -> !NOT_BUNDLED.matcher(entry.group(2)).find()).forEach(entry -> {
            var name = NAME.matcher(entry.group(2));
            var version = VERSION.matcher(entry.group(2));
            String written = name.find() ? name.group(1) : entry.group(1);
            packages.add(written + "@" + (version.find() ? version.group(1) : "?"));
        });
        return packages;
    }
}
