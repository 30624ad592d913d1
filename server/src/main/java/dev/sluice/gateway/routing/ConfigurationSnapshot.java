package dev.sluice.gateway.routing;

import dev.sluice.account.workspace.Workspace;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.connection.ConnectionQueries.ConnectionVersion;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.DestinationStore.DestinationVersion;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore.SourceVersion;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The configuration at one version, without purged sources, deleted destinations, or connections
/// that have ended. Immutable once published.
///
/// @param connectionsBySource the ids in `connections`, grouped by source
/// @param connectionsByDestination the ids in `connections`, grouped by destination
/// @param ingestRoutes the route for each ingest token, derived from the other maps
/// @param workspaces the workspaces whose data has not been erased
record ConfigurationSnapshot(
        long version,
        Map<SourceId, SourceVersion> sources,
        Map<DestinationId, DestinationVersion> destinations,
        Map<ConnectionId, ConnectionVersion> connections,
        Map<SourceId, Set<ConnectionId>> connectionsBySource,
        Map<DestinationId, Set<ConnectionId>> connectionsByDestination,
        Map<String, IngestRoute> ingestRoutes,
        Map<WorkspaceId, Workspace> workspaces) {

    static final ConfigurationSnapshot EMPTY =
            new ConfigurationSnapshot(
                    ConfigurationChanges.NO_VERSION,
                    Map.of(),
                    Map.of(),
                    Map.of(),
                    Map.of(),
                    Map.of(),
                    Map.of(),
                    Map.of());

    Optional<Route> route(ConnectionId id) {
        var found = connections.get(id);
        if (found == null) {
            return Optional.empty();
        }
        var connection = found.connection();
        var source = sources.get(connection.source());
        var destination = destinations.get(connection.destination());
        if (source == null || destination == null) {
            return Optional.empty();
        }
        return Optional.of(
                new Route(
                        connection,
                        source.source(),
                        source.isTrashed(),
                        destination.destination(),
                        isSuspended(source.source().workspace()),
                        version));
    }

    /// Whether the workspace is suspended. A workspace that this node does not know yet is not.
    boolean isSuspended(WorkspaceId id) {
        var workspace = workspaces.get(id);
        return workspace != null && workspace.suspension().isPresent();
    }
}
