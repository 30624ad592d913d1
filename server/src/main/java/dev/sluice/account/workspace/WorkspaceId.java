package dev.sluice.account.workspace;

import java.util.UUID;

/// The id of a workspace.
public record WorkspaceId(UUID value) {

    @Override
    public String toString() {
        return value.toString();
    }
}
