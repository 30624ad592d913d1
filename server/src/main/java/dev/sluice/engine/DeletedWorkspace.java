package dev.sluice.engine;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.SourceId;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/// A deleted workspace whose data is to be erased.
///
/// @param sources the ids of all the workspace's sources
/// @param connections the ids of all the workspace's connections
public record DeletedWorkspace(WorkspaceId id, List<SourceId> sources, List<UUID> connections) {

    /// Returns the ids under which the workspace's usage is counted: those of its sources and
    /// connections.
    public List<UUID> usageKeys() {
        return Stream.concat(sources.stream().map(SourceId::value), connections.stream()).toList();
    }
}
