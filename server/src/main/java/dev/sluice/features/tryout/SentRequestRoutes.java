package dev.sluice.features.tryout;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.Payload;
import dev.sluice.engine.send.DryRun;
import dev.sluice.engine.send.OutboundRequest;
import dev.sluice.gateway.connection.ReplacedConnectionStore;
import dev.sluice.gateway.connection.Transformation;
import dev.sluice.gateway.destination.AuthConfig;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.ReplacedDestinationStore;
import dev.sluice.gateway.source.ReplacedSourceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.share.ComputePool;

import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;

/// The route `GET /api/v1/deliveries/{id}/attempts/{number}/request`, which shows what an attempt
/// sent.
///
/// The request is not stored. It is rebuilt from the event and from the configuration whose version
/// is stored with the attempt, by the same code that prepares deliveries. Secrets are masked, and
/// trace headers that Sluice changed for the attempt are shown as they arrived.
public final class SentRequestRoutes {

    private static final int MAX_NUMBER_DIGITS = 4;

    private final Db db;
    private final PlanCatalog plans;
    private final ReplacedDestinationStore destinations;
    private final ReplacedSourceStore sources;
    private final DryRun dryRun;
    private final ComputePool compute;
    private final InstantSource clock;

    /// @param request what the attempt sent, rebuilt
    private record FoundAttempt(
            SentRequestQueries.StoredAttempt attempt, OutboundRequest request) {}

    public SentRequestRoutes(
            Db db,
            PlanCatalog plans,
            ReplacedDestinationStore destinations,
            ReplacedSourceStore sources,
            DryRun dryRun,
            ComputePool compute,
            InstantSource clock) {
        this.db = db;
        this.plans = plans;
        this.destinations = destinations;
        this.sources = sources;
        this.dryRun = dryRun;
        this.compute = compute;
        this.clock = clock;
    }

    public void addTo(Api api) {
        api.get(
                "/api/v1/deliveries/{id}/attempts/{number}/request",
                Gate.MEMBER,
                Set.of(Budget.DATABASE, Budget.COMPUTE),
                this::get);
    }

    private Reply get(Caller caller, Request request) {
        var id = new DeliveryId(request.id("delivery"));
        int number = number(request.pathParameter("number"));
        var found = db.snapshot(tx -> find(tx, caller, id, number));
        return compute.call(
                caller.workspace(),
                () ->
                        Reply.ok(
                                        show(found.request())
                                                .put("attempt_number", number)
                                                .put("attempted_at", found.attempt().attemptedAt())
                                                .put("was_sent", found.attempt().wasSent()))
                                .uncompressed());
    }

    private FoundAttempt find(Tx tx, Caller caller, DeliveryId id, int number) {
        requireKept(tx, caller, id);
        var attempt =
                SentRequestQueries.attempt(tx, caller.workspace(), id, number)
                        .orElseThrow(SentRequestRoutes::noAttempt);
        return new FoundAttempt(attempt, rebuilt(tx, caller.workspace(), id, number, attempt));
    }

    private static int number(String text) {
        if (text.length() > MAX_NUMBER_DIGITS || !text.matches("[1-9][0-9]*")) {
            throw noAttempt();
        }
        return Integer.parseInt(text);
    }

    private static ApiException noAttempt() {
        return ApiException.notFound("attempt");
    }

    private void requireKept(Tx tx, Caller caller, DeliveryId id) {
        var retention = plans.ofWorkspace(tx, caller.workspace()).limits().retention();
        if (retention.isExpired(Uuid7.timeOf(id.value()), clock.instant())) {
            throw noAttempt();
        }
    }

    private Payload payload(Tx tx, DeliveryId id, SentRequestQueries.StoredAttempt attempt) {
        return SentRequestQueries.payload(tx, attempt.source(), id)
                .orElseThrow(SentRequestRoutes::noAttempt);
    }

    private OutboundRequest rebuilt(
            Tx tx,
            WorkspaceId workspace,
            DeliveryId id,
            int number,
            SentRequestQueries.StoredAttempt attempt) {
        long version = SentRequestQueries.version(tx, attempt.configuration());
        if (version < SentRequestQueries.historyFrom(tx, attempt.connection())) {
            throw unknown("the settings of that time were replaced too often to be kept.");
        }
        var payload = payload(tx, id, attempt);
        var connection =
                ReplacedConnectionStore.at(tx, attempt.connection(), version)
                        .orElseThrow(SentRequestRoutes::noAttempt);
        var destination =
                destinations
                        .at(tx, connection.destination(), version)
                        .orElseThrow(SentRequestRoutes::noAttempt);
        var source =
                sources.at(tx, attempt.source(), version).orElseThrow(SentRequestRoutes::noAttempt);
        requireReadable(destination, connection.transformation());
        return new OutboundRequest(
                destination,
                new OutboundRequest.RequestSource(
                        workspace,
                        source.name(),
                        source.credentialHeader().map(Set::of).orElse(Set.of())),
                OutboundRequest.InboundContent.of(payload),
                id,
                number,
                connection.transformation(),
                attempt.attemptedAt());
    }

    private static void requireReadable(
            Destination.DestinationSpec destination, Optional<Transformation> transformation) {
        boolean isReadable =
                destination.url().isReadable()
                        && !(destination.auth() instanceof AuthConfig.UnreadableAuth)
                        && destination.customHeaders().isReadable()
                        && transformation.map(Transformation::isReadable).orElse(true);
        if (!isReadable) {
            throw unknown("settings of that time cannot be read here.");
        }
    }

    private JsonObject show(OutboundRequest request) {
        return switch (dryRun.run(request)) {
            case DryRun.MaskedRequest(var headers, var body) ->
                    RequestJson.of(request.url(), headers, body);
            case DryRun.DryRunFailure(String why) ->
                    throw new ApiException(ApiErrorCode.CONFLICT, "Nothing was sent. " + why + ".");
        };
    }

    /// @param why the part of the message after the colon
    private static ApiException unknown(String why) {
        return new ApiException(ApiErrorCode.CONFLICT, "What was sent is not known: " + why);
    }
}
