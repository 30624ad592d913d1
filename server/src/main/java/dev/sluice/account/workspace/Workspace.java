package dev.sluice.account.workspace;

import dev.sluice.platform.json.JsonObject;

/// Who owns sources, destinations, events and keys.
///
/// @param plan its name in the catalogue
public record Workspace(WorkspaceId id, String name, String plan) {

    public JsonObject json() {
        return new JsonObject().put("id", id).put("name", name).put("plan", plan);
    }
}
