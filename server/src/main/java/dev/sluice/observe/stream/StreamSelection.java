package dev.sluice.observe.stream;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.SourceId;

import java.util.Set;

/// What one stream shows.
///
/// @param only the sources to show; empty for all of the workspace, also those still to come
/// @param isFull whether items carry headers and body
record StreamSelection(WorkspaceId workspace, Set<SourceId> only, boolean isFull) {

    StreamSelection {
        only = Set.copyOf(only);
    }

    boolean includes(SourceId source) {
        return only.isEmpty() || only.contains(source);
    }

    boolean needsPayload() {
        return isFull;
    }
}
