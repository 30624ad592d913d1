package dev.sluice.cli.resource;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.api.FileArgument;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.Shell;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.regex.Pattern;

/// Builds a JSON object from arguments such as `name=Shop`, `timeout_ms:=5000` or
/// `auth_config.secret=@secret.txt`.
///
/// `=` sets text and `:=` sets JSON. A dot separates the names of nested fields. If the value after
/// `=` begins with `@`, the rest is the path of a file that contains the text. This keeps secrets
/// out of the shell's history. Whitespace at the end of the file is dropped.
final class FieldAssignments {

    private static final Pattern ASSIGNMENT =
            Pattern.compile("([A-Za-z0-9_.-]+?)(:?=)(.*)", Pattern.DOTALL);

    private FieldAssignments() {}

    static ObjectNode parse(List<String> arguments, Shell shell) {
        var object = JsonTree.object();
        for (String argument : arguments) {
            var assignment = ASSIGNMENT.matcher(argument);
            if (!assignment.matches()) {
                throw CommandException.usage(
                        "'" + argument + "' sets no field.",
                        "Write name=Shop, or timeout_ms:=5000 for JSON.");
            }
            String path = assignment.group(1);
            boolean isJson = assignment.group(2).equals(":=");
            set(
                    object,
                    path,
                    isJson
                            ? json(path, assignment.group(3))
                            : text(object, assignment.group(3), shell));
        }
        return object;
    }

    private static JsonNode json(String path, String value) {
        try {
            return JsonTree.read(value);
        } catch (JacksonException e) {
            throw CommandException.usage(
                    path + " is not JSON.", "Write " + path + "=TEXT to set text.");
        }
    }

    private static JsonNode text(ObjectNode factory, String value, Shell shell) {
        return factory.stringNode(
                value.startsWith("@")
                        ? new String(FileArgument.read(value.substring(1), shell), UTF_8)
                                .stripTrailing()
                        : value);
    }

    private static void set(ObjectNode object, String path, JsonNode value) {
        var steps = path.split("\\.", -1);
        var parent = object;
        for (int i = 0; i < steps.length - 1; i++) {
            var child = parent.get(steps[i]);
            if (child != null && !child.isObject()) {
                throw CommandException.usage(
                        path + " lies inside " + steps[i] + ", which is already set.", "");
            }
            parent = parent.withObjectProperty(steps[i]);
        }
        parent.set(steps[steps.length - 1], value);
    }
}
