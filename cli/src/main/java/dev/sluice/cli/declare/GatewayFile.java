package dev.sluice.cli.declare;

import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;
import dev.sluice.cli.shell.JsonTree;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Reads and writes the file that describes a workspace. The file is YAML, with the lists
/// `sources`, `destinations` and `connections`. All mistakes in the file are reported together.
/// However, if the file is not valid YAML, only that is reported.
final class GatewayFile {

    static final int VERSION = 1;

    private static final Set<String> TOP_FIELDS =
            Set.of("version", "sources", "destinations", "connections");

    private static final YAMLMapper MAPPER =
            YAMLMapper.builder()
                    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                    .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
                    .disable(YAMLWriteFeature.SPLIT_LINES)
                    .build();

    private final SecretReferences secrets;
    private final List<String> mistakes = new ArrayList<>();
    private final List<DeclaredThing> things = new ArrayList<>();
    private final Set<String> names = new HashSet<>();

    private GatewayFile(SecretReferences secrets) {
        this.secrets = secrets;
    }

    static String write(ObjectNode root) {
        return MAPPER.writeValueAsString(root);
    }

    /// Reads the resources that a file describes, and fills in their secrets.
    ///
    /// @throws CommandException if the file has mistakes, or if it refers to an environment
    ///   variable that is not set
    static List<DeclaredThing> read(byte[] text, SecretReferences secrets) {
        var file = new GatewayFile(secrets);
        file.readRoot(parse(text));
        file.mistakes.addAll(secrets.mistakes());
        if (!file.mistakes.isEmpty()) {
            throw new CommandException(
                    ExitCode.REFUSED,
                    "invalid_file",
                    String.join(" ", file.mistakes),
                    "Nothing was changed.");
        }
        return file.things;
    }

    private static JsonNode parse(byte[] text) {
        try {
            return MAPPER.readTree(text);
        } catch (JacksonException e) {
            String where = e.getLocation() == null ? "" : " at line " + e.getLocation().getLineNr();
            throw new CommandException(
                    ExitCode.REFUSED,
                    "invalid_file",
                    "The file is not YAML"
                            + where
                            + ": "
                            + String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("")
                            + ".",
                    "Nothing was changed.");
        }
    }

    private void readRoot(JsonNode root) {
        if (!root.isObject()) {
            mistakes.add("The file must have the lists sources, destinations and connections.");
            return;
        }
        for (String field : root.propertyNames()) {
            if (!TOP_FIELDS.contains(field)) {
                mistakes.add(field + " is no field of the file.");
            }
        }
        if (root.path("version").asInt(VERSION) != VERSION) {
            mistakes.add("version must be " + VERSION + ".");
        }
        for (var kind : DeclaredKind.values()) {
            readList(kind, root.path(kind.list()));
        }
    }

    private void readList(DeclaredKind kind, JsonNode list) {
        if (!list.isArray()) {
            if (!list.isMissingNode() && !list.isNull()) {
                mistakes.add(kind.list() + " must be a list.");
            }
            return;
        }
        for (int i = 0; i < list.size(); i++) {
            String place = kind.list() + "[" + i + "]";
            if (list.get(i) instanceof ObjectNode item) {
                readThing(kind, place, item);
            } else {
                mistakes.add(place + " must have fields.");
            }
        }
    }

    private void readThing(DeclaredKind kind, String place, ObjectNode item) {
        boolean isConnection = kind == DeclaredKind.CONNECTION;
        String source = isConnection ? text(place, item, "source") : "";
        String destination = isConnection ? text(place, item, "destination") : "";
        String name = isConnection ? source + " -> " + destination : text(place, item, "name");
        if (!names.add(kind + " " + name)) {
            mistakes.add(place + " repeats the " + kind.word() + " '" + name + "'.");
        }
        if (isConnection) {
            requireDeclared(place, DeclaredKind.SOURCE, source);
            requireDeclared(place, DeclaredKind.DESTINATION, destination);
        }
        var fields = JsonTree.object();
        for (var field : item.properties()) {
            String key = field.getKey();
            if (kind.fields().contains(key)) {
                fields.set(
                        key,
                        DeclaredKind.meaning(
                                key, secrets.fillIn(place, key, field.getValue(), item)));
            } else if (!isConnection || !Set.of("source", "destination").contains(key)) {
                mistakes.add(place + "." + key + " is no field of a " + kind.word() + ".");
            }
        }
        things.add(new DeclaredThing(kind, name, source, destination, fields, item));
    }

    private void requireDeclared(String place, DeclaredKind kind, String name) {
        if (!name.isEmpty() && !names.contains(kind + " " + name)) {
            mistakes.add(
                    "%s.%s names '%s', which is not in the file's %s."
                            .formatted(place, kind.word(), name, kind.list()));
        }
    }

    private String text(String place, ObjectNode item, String field) {
        var value = item.path(field);
        if (!value.isString() || value.asString().isBlank()) {
            mistakes.add(place + "." + field + " is required.");
            return "";
        }
        return SecretReferences.unescaped(value.asString());
    }
}
