package dev.sluice.cli.declare;

import dev.sluice.cli.declare.ExistingGateway.ExistingThing;
import dev.sluice.cli.declare.PlannedChange.Creation;
import dev.sluice.cli.declare.PlannedChange.FieldUpdate;
import dev.sluice.cli.declare.PlannedChange.Removal;
import dev.sluice.cli.shell.JsonTree;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// Computes the changes needed to make the server match a file. Sends no requests.
final class ChangePlan {

    private ChangePlan() {}

    /// @param isPruned whether to delete resources that are not in the file
    /// @param hasNewSecrets whether to send every secret again
    static List<PlannedChange> of(
            List<DeclaredThing> wanted,
            ExistingGateway state,
            boolean isPruned,
            boolean hasNewSecrets) {
        var changes = new ArrayList<PlannedChange>();
        for (var thing : wanted) {
            state.find(thing.kind(), thing.name())
                    .ifPresentOrElse(
                            existing -> addUpdate(thing, existing, hasNewSecrets, changes),
                            () -> changes.add(new Creation(thing)));
        }
        if (isPruned) {
            removals(wanted, state).forEach(changes::add);
        }
        return changes;
    }

    private static void addUpdate(
            DeclaredThing thing,
            ExistingThing existing,
            boolean hasNewSecrets,
            List<PlannedChange> changes) {
        var fields = JsonTree.object();
        boolean areSecretsSent = hasNewSecrets || isUrlChanged(thing, existing);
        for (var field : thing.fields().properties()) {
            var current = existing.json().path(field.getKey());
            if (!FieldComparison.isSame(
                    field.getKey(), field.getValue(), current, areSecretsSent)) {
                fields.set(field.getKey(), field.getValue());
            }
        }
        if (!fields.isEmpty()) {
            changes.add(new FieldUpdate(thing, existing, fields));
        }
    }

    /// Whether the file changes the URL. The server keeps no secret for another host, so the
    /// secrets are then sent again.
    private static boolean isUrlChanged(DeclaredThing thing, ExistingThing existing) {
        var url = thing.fields().path("url");
        return !url.isMissingNode() && !url.equals(existing.json().path("url"));
    }

    /// Returns a removal for each resource that the file does not contain. Connections come first
    /// because the server no longer finds a connection whose source or destination has been
    /// deleted.
    private static List<Removal> removals(List<DeclaredThing> wanted, ExistingGateway state) {
        Set<String> kept = wanted.stream().map(DeclaredThing::toString).collect(Collectors.toSet());
        return state.things().reversed().stream()
                .filter(thing -> !kept.contains(thing.kind().word() + " " + thing.name()))
                .map(Removal::new)
                .toList();
    }
}
