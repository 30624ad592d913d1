package dev.sluice.cli.resource;

import dev.sluice.cli.api.ResourceType;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandGroup;

import picocli.CommandLine;

import java.util.Map;
import java.util.TreeMap;

/// Builds the `api` command, and a command group for each resource type, such as `sources` with its
/// `list` and `create` commands.
public final class ResourceCommands {

    private ResourceCommands() {}

    public static void addTo(CommandLine root, CommandContext context) {
        group(
                root,
                "sources",
                "List, create and change sources, and restore them from the trash.",
                Map.of(
                        "trash", new ListCommand(ResourceType.SOURCE, "sources/trash", context),
                        "restore", new RestoreCommand(context)),
                ResourceType.SOURCE,
                context);
        group(
                root,
                "destinations",
                "List, create and change destinations.",
                Map.of(),
                ResourceType.DESTINATION,
                context);
        group(
                root,
                "connections",
                "List, create and change connections.",
                Map.of(),
                ResourceType.CONNECTION,
                context);
        group(
                root,
                "alerts",
                "List, create, change and test the channels that get alerts about failures.",
                Map.of("test", new AlertTestCommand(context)),
                ResourceType.ALERT,
                context);
        CommandGroup.add(
                root,
                "keys",
                "List API keys; only a signed-in person can create or delete them.",
                Map.of(
                        "list",
                        new ListCommand(ResourceType.KEY, ResourceType.KEY.path(), context)));
        root.addSubcommand("api", new ApiCommand(context));
    }

    private static void group(
            CommandLine root,
            String name,
            String description,
            Map<String, Object> more,
            ResourceType type,
            CommandContext context) {
        var commands = new TreeMap<String, Object>(more);
        commands.put("list", new ListCommand(type, type.path(), context));
        commands.put("get", new GetCommand(type, context));
        commands.put(
                "create",
                CommandGroup.described(
                        new CreateCommand(type, context),
                        "Create one, such as: " + type.example()));
        commands.put(
                "update",
                CommandGroup.described(
                        new UpdateCommand(type, context),
                        "Change fields of one, such as: ID " + type.exampleOfChange()));
        commands.put(
                "delete",
                CommandGroup.described(
                        new DeleteCommand(type, context),
                        type.equals(ResourceType.SOURCE)
                                ? "Delete one. It goes to the trash for seven days."
                                : "Delete one."));
        CommandGroup.add(root, name, description, commands);
    }
}
