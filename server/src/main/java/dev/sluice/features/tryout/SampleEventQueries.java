package dev.sluice.features.tryout;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;

/// Reads the stored event that a preview or a test uses.
public final class SampleEventQueries {

    private record StoredSample(SourceId source, Payload payload) {}

    private final PlanCatalog plans;
    private final ConfigurationCache configuration;
    private final InstantSource clock;

    public SampleEventQueries(
            PlanCatalog plans, ConfigurationCache configuration, InstantSource clock) {
        this.plans = plans;
        this.configuration = configuration;
        this.clock = clock;
    }

    /// Returns the workspace's event with this id, or empty if there is no such event, its
    /// retention period is over, or its source is in the trash.
    public Optional<SampleEvent> find(Tx tx, WorkspaceId workspace, UUID event) {
        var retention = plans.ofWorkspace(tx, workspace).limits().retention();
        var now = clock.instant();
        return eventId(event)
                .filter(id -> !retention.isExpired(Uuid7.timeOf(id.value()), now))
                .flatMap(id -> find(tx, workspace, id));
    }

    /// Returns the event id, or empty if this UUID cannot be an event id.
    private static Optional<EventId> eventId(UUID id) {
        try {
            return Optional.of(new EventId(id));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private Optional<SampleEvent> find(Tx tx, WorkspaceId workspace, EventId id) {
        var sources =
                tx.query(
                        "select id from source where workspace_id = ? and trashed_at is null",
                        row -> row.uuid("id"),
                        workspace.value());
        var stored =
                tx.findOne(
                        "select source_id, method, headers, body from event where id = ?"
                                + " and source_id = any (?)",
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
