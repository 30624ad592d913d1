package dev.sluice.gateway.connection;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.ChangeTime;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.filter.Filter;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.http.EntityTag;
import dev.sluice.platform.json.JsonObject;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A connection, which delivers events from one source to one destination. Immutable.
public record Connection(
        ConnectionId id,
        WorkspaceId workspace,
        SourceId source,
        DestinationId destination,
        ConnectionSpec spec,
        Instant createdAt,
        Instant updatedAt) {

    /// The settings that the user controls.
    ///
    /// @param enabled whether new events create deliveries and whether waiting deliveries are sent.
    ///   Resends are sent even if the connection is disabled
    /// @param filter empty if every event matches
    /// @param transformation empty if events are forwarded unchanged
    public record ConnectionSpec(
            boolean enabled, Optional<Filter> filter, Optional<Transformation> transformation) {}

    public boolean enabled() {
        return spec.enabled();
    }

    public Optional<Filter> filter() {
        return spec.filter();
    }

    public Optional<Transformation> transformation() {
        return spec.transformation();
    }

    /// Returns the names of the settings that this node cannot read. If there are any, deliveries
    /// on the connection are held.
    public List<String> unreadableFields() {
        var fields = new ArrayList<String>();
        if (!isFilterReadable()) {
            fields.add("filter_rules");
        }
        if (!isTransformationReadable()) {
            fields.add("transformation");
        }
        return fields;
    }

    public boolean isReadable() {
        return isFilterReadable() && isTransformationReadable();
    }

    boolean isFilterReadable() {
        return spec.filter().isEmpty() || spec.filter().get().isReadable();
    }

    boolean isTransformationReadable() {
        return spec.transformation().isEmpty() || spec.transformation().get().isReadable();
    }

    Connection with(ConnectionSpec changed, Instant now) {
        return new Connection(
                id,
                workspace,
                source,
                destination,
                changed,
                createdAt,
                ChangeTime.next(updatedAt, now));
    }

    EntityTag tag() {
        return EntityTag.of(updatedAt);
    }

    public JsonObject json() {
        var json = settingsJson();
        var unreadable = unreadableFields();
        return unreadable.isEmpty() ? json : json.put("unreadable_fields", unreadable);
    }

    private JsonObject settingsJson() {
        return new JsonObject()
                .put("id", id)
                .put("source_id", source)
                .put("destination_id", destination)
                .put("enabled", spec.enabled())
                .put("filter_rules", spec.filter().map(Filter::json))
                .put("transformation", spec.transformation().map(Transformation::json))
                .put("created_at", createdAt)
                .put("updated_at", updatedAt);
    }
}
