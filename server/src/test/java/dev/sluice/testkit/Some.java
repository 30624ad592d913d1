package dev.sluice.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.Connection;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.Auth;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.gateway.destination.RetryPolicy;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Payload;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/// Valid nouns with dull values, each with an id of its own.
public final class Some {

    /// When tests begin that move their own clock.
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

    /// From this source to a destination of its own.
    public static Route route(SourceId id) {
        var workspace = new WorkspaceId(id());
        var source =
                new Source(
                        id,
                        workspace,
                        "source",
                        Optional.empty(),
                        "#336699",
                        "t" + id,
                        Source.Status.ACTIVE,
                        new VerificationConfig.None(),
                        Optional.empty(),
                        NOON,
                        NOON);
        var spec =
                new Destination.Spec(
                        "destination",
                        DestinationUrl.stored("https://example.com/"),
                        Duration.ofSeconds(5),
                        new Auth.None(),
                        List.of(),
                        RetryPolicy.DEFAULT,
                        32,
                        Optional.empty(),
                        Destination.Status.ACTIVE);
        var destination =
                new Destination(new DestinationId(id()), workspace, id(), spec, NOON, NOON);
        var connection =
                new Connection(
                        new ConnectionId(id()),
                        workspace,
                        id,
                        destination.id(),
                        true,
                        Optional.empty(),
                        Optional.empty(),
                        NOON,
                        NOON);
        return new Route(connection, source, false, destination);
    }
}
