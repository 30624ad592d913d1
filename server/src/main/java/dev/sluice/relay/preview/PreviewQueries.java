package dev.sluice.relay.preview;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Payload;

import java.util.Optional;

/// Reads the event to preview.
final class PreviewQueries {

    private record StoredSample(SourceId source, Payload payload) {}

    private PreviewQueries() {}

    /// Returns an event of the workspace. Empty when there is no such event, or its source is in
    /// the trash.
    static Optional<SampleEvent> event(
            Tx tx, ConfigurationCache configuration, WorkspaceId workspace, EventId id) {
        var sources =
                tx.query(
                        "select id from source where workspace_id = ? and trashed_at is null",
                        row -> row.uuid("id"),
                        workspace.value());
        var stored =
                tx.findOne(
                        "select source_id, method, headers, body from event where id = ? and"
                                + " source_id = any (?)",
                        row ->
                                new StoredSample(
                                        new SourceId(row.uuid("source_id")),
                                        Payload.fromStored(row.bytes("headers"), row.bytes("body"))
                                                .withMethod(row.text("method"))),
                        id.value(),
                        sources);
        return stored.flatMap(event ->
                configuration
                        .source(event.source())
                        .map(source -> new SampleEvent(id, event.payload(), Optional.of(source))));
    }
}
