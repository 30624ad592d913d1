package dev.sluice.cli.declare;

import dev.sluice.cli.api.NameLookup;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.ExitCode;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The sources, destinations and connections that a workspace already has on the server.
final class ExistingGateway {

    /// A resource in the workspace. `name`, `source` and `destination` have the same meaning as in
    /// [DeclaredThing].
    ///
    /// @param json the resource as the API returns it
    record ExistingThing(
            DeclaredKind kind, String name, String source, String destination, JsonNode json) {

        String id() {
            return json.path("id").asString("");
        }
    }

    private final List<ExistingThing> things = new ArrayList<>();

    static ExistingGateway read(ServerClient client) {
        var state = new ExistingGateway();
        var names = new HashMap<String, String>();
        for (var source : new NameLookup(client).sources()) {
            state.addNamed(DeclaredKind.SOURCE, source, names);
        }
        for (var destination : client.get(DeclaredKind.DESTINATION.list()).json().path("items")) {
            state.addNamed(DeclaredKind.DESTINATION, destination, names);
        }
        for (var connection : client.get(DeclaredKind.CONNECTION.list()).json().path("items")) {
            state.addConnection(connection, names);
        }
        return state;
    }

    private void addNamed(DeclaredKind kind, JsonNode json, Map<String, String> names) {
        String name = json.path("name").asString("");
        names.put(json.path("id").asString(""), name);
        things.add(new ExistingThing(kind, name, "", "", json));
    }

    private void addConnection(JsonNode json, Map<String, String> names) {
        String source = names.getOrDefault(json.path("source_id").asString(""), "");
        String destination = names.getOrDefault(json.path("destination_id").asString(""), "");
        things.add(
                new ExistingThing(
                        DeclaredKind.CONNECTION,
                        source + " -> " + destination,
                        source,
                        destination,
                        json));
    }

    List<ExistingThing> things() {
        return things;
    }

    /// Returns the resource with this kind and name, or empty if there is none.
    ///
    /// @throws CommandException if several resources of this kind have this name
    Optional<ExistingThing> find(DeclaredKind kind, String name) {
        var found =
                things.stream()
                        .filter(thing -> thing.kind() == kind && thing.name().equals(name))
                        .toList();
        if (found.size() > 1) {
            throw new CommandException(
                    ExitCode.REFUSED,
                    "ambiguous_name",
                    "The server has %d %s named '%s'.".formatted(found.size(), kind.list(), name),
                    "Rename all but one: a file matches resources by name.");
        }
        return found.stream().findFirst();
    }
}
