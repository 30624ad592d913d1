package dev.sluice.relay;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.SourceId;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/// A deleted workspace whose data is erased.
///
/// @param connections the ids of all its connections
public record DeletedWorkspace(WorkspaceId id, List<SourceId> sources, List<UUID> connections) {

    /// Returns the ids under which usage is counted.
    public List<UUID> usageKeys() {
        return Stream.concat(sources.stream().map(SourceId::value), connections.stream()).toList();
    }
}
