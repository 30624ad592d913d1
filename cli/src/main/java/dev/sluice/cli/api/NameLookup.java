package dev.sluice.cli.api;

import dev.sluice.cli.server.QueryString;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Finds the id of a resource, such as a source, given its id or its exact name. Text that looks
/// like an id is returned unchanged, without a request to the server. Resource types without names
/// accept only ids.
public final class NameLookup {

    private static final Pattern ID =
            Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

    private static final int MAX_PAGE_SIZE = 200;

    private final ServerClient client;

    public NameLookup(ServerClient client) {
        this.client = client;
    }

    /// Returns the id of the source with this id or name.
    public String sourceId(String idOrName) {
        return id(ResourceType.SOURCE, idOrName);
    }

    /// Returns the id of the destination with this id or name.
    public String destinationId(String idOrName) {
        return id(ResourceType.DESTINATION, idOrName);
    }

    public String id(ResourceType type, String idOrName) {
        if (ID.matcher(idOrName).matches()) {
            return idOrName;
        }
        if (!type.isNamed()) {
            throw CommandException.usage(
                    "'%s' is not the id of a %s.".formatted(idOrName, type.word()),
                    "`sluice %s list` shows the ids.".formatted(type.group()));
        }
        var found =
                all(type, type.path(), new QueryString().with("q", idOrName)).stream()
                        .filter(item -> item.path("name").asString("").equals(idOrName))
                        .map(item -> item.path("id").asString(""))
                        .toList();
        if (found.isEmpty()) {
            throw new CommandException(
                    ExitCode.NOT_FOUND,
                    "not_found",
                    "There is no %s named '%s'.".formatted(type.word(), idOrName),
                    "`sluice %s list` shows all names.".formatted(type.group()));
        }
        if (found.size() > 1) {
            throw CommandException.usage(
                    "%d %ss are named '%s'.".formatted(found.size(), type.word(), idOrName),
                    "Give the id instead, one of " + String.join(", ", found) + ".");
        }
        return found.getFirst();
    }

    /// Returns all sources in the workspace.
    public List<JsonNode> sources() {
        return all(ResourceType.SOURCE, ResourceType.SOURCE.path(), new QueryString());
    }

    /// Returns the items in a list. If the API always pages this list, reads every page of the
    /// items that match `query`. Otherwise, ignores `query` and returns the whole list.
    private List<JsonNode> all(ResourceType type, String path, QueryString query) {
        if (!type.isPaged()) {
            return items(client.get(path).json());
        }
        var all = new ArrayList<JsonNode>();
        String pages =
                query.with("limit", String.valueOf(MAX_PAGE_SIZE)).with("page", "").after(path);
        for (int page = 1; ; page++) {
            var answer = client.get(pages + page).json();
            all.addAll(items(answer));
            if (items(answer).size() < MAX_PAGE_SIZE
                    || all.size() >= answer.path("total").asLong()) {
                return all;
            }
        }
    }

    private static List<JsonNode> items(JsonNode answer) {
        return answer.path("items").valueStream().toList();
    }
}
