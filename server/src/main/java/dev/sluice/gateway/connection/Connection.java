package dev.sluice.gateway.connection;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.json.JsonObject;

import java.time.Instant;
import java.util.Optional;

/// One source to one destination.
///
/// @param enabled whether new events make deliveries here, and waiting ones are sent
/// @param filter empty when every event passes
/// @param transformation empty when events go out as they came in
public record Connection(
        ConnectionId id,
        WorkspaceId workspace,
        SourceId source,
        DestinationId destination,
        boolean enabled,
        Optional<Filter> filter,
        Optional<Transformation> transformation,
        Instant createdAt,
        Instant updatedAt) {

    public JsonObject json() {
        return new JsonObject()
                .put("id", id)
                .put("source_id", source)
                .put("destination_id", destination)
                .put("enabled", enabled)
                .put("filter_rules", filter.map(Filter::json))
                .put("transformation", transformation.map(Transformation::json))
                .put("created_at", createdAt)
                .put("updated_at", updatedAt);
    }
}
