package dev.sluice.account.workspace;

import dev.sluice.platform.json.JsonObject;

/// A workspace, which owns sources, destinations, events and API keys.
///
/// @param plan the name of the workspace's plan in the catalog
public record Workspace(WorkspaceId id, String name, String plan) {

    public JsonObject json() {
        return new JsonObject().put("id", id).put("name", name).put("plan", plan);
    }
}
