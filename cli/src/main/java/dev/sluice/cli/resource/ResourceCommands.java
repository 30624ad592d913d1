package dev.sluice.cli.resource;

import dev.sluice.cli.api.ResourceType;
import dev.sluice.cli.shell.CommandContext;
import dev.sluice.cli.shell.CommandGroup;

import picocli.CommandLine;

import java.util.Map;
import java.util.TreeMap;

/// The groups of commands about what the server has, such as `sources` with `list` and `create`.
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
        CommandGroup.add(
                root,
                "keys",
                "List API keys; only a person who signed in creates or deletes them.",
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
        commands.put("create", new CreateCommand(type, context));
        commands.put("update", new UpdateCommand(type, context));
        commands.put("delete", new DeleteCommand(type, context));
        CommandGroup.add(root, name, description, commands);
    }
}
