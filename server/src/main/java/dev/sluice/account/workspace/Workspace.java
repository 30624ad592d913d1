package dev.sluice.account.workspace;

import dev.sluice.platform.json.JsonObject;

import java.util.Optional;

/// A workspace, which owns sources, destinations, events and API keys.
///
/// @param plan the name of the workspace's plan in the catalog
/// @param suspension empty unless the operator has suspended the workspace
public record Workspace(WorkspaceId id, String name, String plan, Optional<Suspension> suspension) {

    /// A workspace that is not suspended.
    public Workspace(WorkspaceId id, String name, String plan) {
        this(id, name, plan, Optional.empty());
    }

    public JsonObject json() {
        return new JsonObject()
                .put("id", id)
                .put("name", name)
                .put("plan", plan)
                .put("suspension", suspension.map(Suspension::json));
    }
}
