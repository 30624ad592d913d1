package dev.sluice.relay.preview;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.routing.Routing;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Payload;

import java.util.Optional;

/// Reads the event that a preview is about.
final class PreviewQueries {

    private record Stored(SourceId source, Payload payload) {}

    private PreviewQueries() {}

    /// Empty when there is no such event in the workspace, or its source is in the trash.
    static Optional<Sample> event(Tx tx, Routing routing, WorkspaceId workspace, EventId id) {
        var sources =
                tx.query(
                        "select id from source where workspace_id = ? and trashed_at is null",
                        row -> row.uuid("id"),
                        workspace.value());
        var stored =
                tx.one(
                        "select source_id, headers, body from event where id = ? and source_id ="
                                + " any (?)",
                        row ->
                                new Stored(
                                        new SourceId(row.uuid("source_id")),
                                        Payload.stored(row.bytes("headers"), row.bytes("body"))),
                        id.value(),
                        sources);
        return stored.flatMap(event ->
                routing.source(event.source())
                        .map(source -> new Sample(id, event.payload(), Optional.of(source))));
    }
}
