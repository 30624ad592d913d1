package dev.sluice.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Payload;
import dev.sluice.gateway.connection.Connection;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.AuthConfig;
import dev.sluice.gateway.destination.CustomHeaders;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.DestinationLimits;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.gateway.destination.RetrySchedule;
import dev.sluice.gateway.filter.Filter;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.id.Uuid7;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/// Creates valid domain values with dull content, each with a unique id.
public final class Some {

    /// The start time of tests that control their own clock.
    public static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    private static final Uuid7 IDS = new Uuid7(() -> NOON, new Random(1));

    private Some() {}

    public static UUID id() {
        return IDS.next();
    }

    public static EventId eventId() {
        return new EventId(IDS.next(12));
    }

    public static EventId eventId(Instant at) {
        return new EventId(new Uuid7(() -> at, new Random()).next(12));
    }

    public static Payload payload(String body) {
        return Payload.of(
                List.of(new Header("Content-Type", "application/json")), body.getBytes(UTF_8));
    }

    public static SourceId sourceId() {
        return new SourceId(id());
    }

    /// A source that takes anything and answers with the default.
    public static Source.SourceSpec sourceSpec(Source.SourceStatus status) {
        return new Source.SourceSpec(
                "source",
                Optional.empty(),
                "#336699",
                status,
                new VerificationConfig.NoVerification(),
                Optional.empty());
    }

    /// A route from this source to a new destination.
    public static Route route(SourceId id) {
        return route(id, Optional.empty());
    }

    public static Route route(SourceId id, Optional<Filter> filter) {
        var workspace = new WorkspaceId(id());
        var source =
                new Source(
                        id,
                        workspace,
                        "t" + id,
                        sourceSpec(Source.SourceStatus.ACTIVE),
                        NOON,
                        NOON);
        var spec =
                new Destination.DestinationSpec(
                        "destination",
                        DestinationUrl.parseStored("https://example.com/"),
                        Duration.ofSeconds(5),
                        new AuthConfig.NoAuth(),
                        CustomHeaders.NONE,
                        RetrySchedule.DEFAULT,
                        new DestinationLimits(32, Optional.empty()),
                        Destination.DestinationStatus.ACTIVE);
        var destination =
                new Destination(new DestinationId(id()), workspace, id(), spec, NOON, NOON);
        var connection =
                new Connection(
                        new ConnectionId(id()),
                        workspace,
                        id,
                        destination.id(),
                        new Connection.ConnectionSpec(true, filter, Optional.empty()),
                        NOON,
                        NOON);
        return new Route(connection, source, false, destination, false, 1);
    }
}
