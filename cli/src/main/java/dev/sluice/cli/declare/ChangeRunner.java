package dev.sluice.cli.declare;

import dev.sluice.cli.declare.PlannedChange.Creation;
import dev.sluice.cli.declare.PlannedChange.FieldUpdate;
import dev.sluice.cli.declare.PlannedChange.Removal;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.CommandException;

import java.util.HashMap;
import java.util.Map;

/// Makes planned changes on the server, with one API call for each change.
final class ChangeRunner {

    private final ServerClient client;
    private final Map<String, String> ids = new HashMap<>();

    ChangeRunner(ServerClient client, ExistingGateway state) {
        this.client = client;
        for (var thing : state.things()) {
            ids.put(thing.kind().word() + " " + thing.name(), thing.id());
        }
    }

    /// Makes one change.
    ///
    /// @throws CommandException if the change fails; the message names the resource
    void run(PlannedChange change) {
        try {
            switch (change) {
                case Creation creation -> create(creation.thing());
                case FieldUpdate update ->
                        client.send(
                                "PATCH",
                                update.kind().list() + "/" + update.existing().id(),
                                update.fields());
                case Removal removal ->
                        client.delete(removal.kind().list() + "/" + removal.existing().id());
            }
        } catch (CommandException e) {
            throw new CommandException(
                    e.exitCode(),
                    e.code(),
                    "%s %s: %s".formatted(change.kind().word(), change.name(), e.problem()),
                    "Earlier changes are done. Fix this one and apply again.",
                    e.requestId(),
                    e.retryAfter());
        }
    }

    private void create(DeclaredThing thing) {
        var body = thing.fields().deepCopy();
        if (thing.kind() == DeclaredKind.CONNECTION) {
            body.put("source_id", ids.get("source " + thing.source()));
            body.put("destination_id", ids.get("destination " + thing.destination()));
        }
        var created = client.send("POST", thing.kind().list(), body);
        ids.put(thing.toString(), created.json().path("id").asString(""));
    }
}
