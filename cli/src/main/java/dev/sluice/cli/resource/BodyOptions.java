package dev.sluice.cli.resource;

import dev.sluice.cli.api.FileArgument;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.shell.Shell;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/// The options and arguments that set the fields of the resource that a command creates or changes.
final class BodyOptions {

    @Option(
            names = {"-d", "--data"},
            paramLabel = "JSON",
            description =
                    "The fields as JSON; @FILE reads them from a file, @- from standard input.")
    private @Nullable String data;

    @Parameters(
            paramLabel = "FIELD=VALUE",
            index = "0..*",
            description = {
                "name=Shop sets text, timeout_ms:=5000 sets JSON, auth_config.secret=@FILE reads"
                        + " text from a file.",
                "They take precedence over --data."
            })
    private List<String> assignments = List.of();

    /// @param skipped the number of leading arguments that are not field assignments
    /// @param example an example of field assignments, for the error message if the user gives no
    ///   field
    JsonNode read(Shell shell, int skipped, String example) {
        var fields =
                FieldAssignments.parse(assignments.subList(skipped, assignments.size()), shell);
        var given = data == null ? JsonTree.object() : object(data, shell);
        fields.properties().forEach(field -> given.set(field.getKey(), field.getValue()));
        if (given.isEmpty()) {
            throw CommandException.usage("No field is set.", "Such as " + example + ".");
        }
        return given;
    }

    private static ObjectNode object(String data, Shell shell) {
        var node = JsonTree.tryRead(FileArgument.readData(data, shell));
        if (node.isPresent() && node.get() instanceof ObjectNode object) {
            return object;
        }
        throw CommandException.usage(
                "--data is no JSON object.", "Such as --data '{\"name\": \"Shop\"}'.");
    }
}
