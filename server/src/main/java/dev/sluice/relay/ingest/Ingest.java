package dev.sluice.relay.ingest;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.routing.Inlet;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.routing.Routing;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Endpoint;
import dev.sluice.platform.http.ErrorStatus;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Hops;
import dev.sluice.relay.Payload;
import dev.sluice.relay.dispatch.Intake;
import dev.sluice.relay.store.Accepted;
import dev.sluice.relay.store.Journal;
import dev.sluice.relay.store.Receipt;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// `/in/<token>`: takes a webhook in and answers 200 once it is stored for good.
public final class Ingest implements Endpoint {

    public static final String PATH = "/in/";

    /// The specification's limit for a payload: 1 MiB.
    private static final int MOST_BODY_BYTES = 1 << 20;

    /// How long a sender waits for an answer before it is refused.
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /// A relay that is its own destination must not fill the disk.
    private static final int MOST_HOPS = 5;

    private static final String METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";

    private final Routing routing;
    private final Intake intake;
    private final Journal journal;
    private final FreeSpace space;
    private final IngestBudget budget;
    private final Quota quota;
    private final Uuid7 ids;
    private final InstantSource clock;
    private final Screening screening;
    private final String hopHeader;

    /// @param baseUrl our public address, which some senders sign
    /// @param headerPrefix of our own headers, such as `X-Service`
    public Ingest(
            Routing routing,
            Intake intake,
            Journal journal,
            FreeSpace space,
            IngestBudget budget,
            Quota quota,
            Uuid7 ids,
            InstantSource clock,
            String baseUrl,
            String headerPrefix) {
        this.routing = routing;
        this.intake = intake;
        this.journal = journal;
        this.space = space;
        this.budget = budget;
        this.quota = quota;
        this.ids = ids;
        this.clock = clock;
        this.screening = new Screening(baseUrl);
        this.hopHeader = headerPrefix + "-Hop";
    }

    @Override
    public Reply answer(Request request) throws IOException {
        try {
            return answerOpenly(request);
        } catch (ApiException e) {
            return Answers.guarded(e.reply());
        }
    }

    private Reply answerOpenly(Request request) throws IOException {
        String token = request.path().substring(PATH.length());
        var inlet = routing.inlet(token).orElseThrow(() -> ApiException.notFound("ingest URL"));
        return switch (request.method()) {
            case "POST", "PUT", "PATCH", "DELETE" -> accept(inlet, request);
            case "GET", "HEAD" -> Answers.guarded(InfoPage.answer(request));
            default ->
                    throw new ApiException(
                                    ErrorStatus.METHOD_NOT_ALLOWED,
                                    "Send webhooks with POST, PUT, PATCH or DELETE.")
                            .with(new Header("Allow", METHODS));
        };
    }

    private Reply accept(Inlet inlet, Request request) throws IOException {
        if (space.isTight()) {
            throw refused(
                    "The disk is nearly full. Nothing was stored; send the event again later.",
                    "30");
        }
        budget.spend(inlet.source());
        boolean isVerified = !(inlet.source().verification() instanceof VerificationConfig.None);
        var headReadAt = isVerified ? clock.instant() : Instant.EPOCH; // asked only where it counts
        byte[] body = request.body(MOST_BODY_BYTES);
        var screened =
                screening.screen(inlet.source(), request, headReadAt, request.headers(), body);
        var event = event(inlet, request.method(), request.header("Content-Type"), screened, body);
        offer(event);
        return switch (event.receipt().await()) {
            case STORED -> Answers.of(inlet.source(), screened, event.id());
            case REFUSED, WAITING -> throw notStored();
        };
    }

    /// What is to be stored, with what that needs kept for it: a token of the quota, and room in
    /// memory. Nothing is kept when it throws.
    Accepted event(
            Inlet inlet,
            String method,
            Optional<String> contentType,
            Screening.Screened screened,
            byte[] body) {
        var payload = Payload.of(screened.headers(), body);
        var id = new EventId(ids.next(12));
        boolean isCounted = !screened.checked().isFailed();
        if (isCounted) {
            quota.spend(inlet.source(), id);
        }
        var planned = new ArrayList<Accepted.Planned>(inlet.routes().size());
        try {
            boolean isSentOn =
                    screened.isSentOn() && Hops.in(payload.headers(), hopHeader) <= MOST_HOPS;
            var filtered = isSentOn ? plan(id, inlet, payload, planned) : List.<ConnectionId>of();
            return new Accepted(
                    id,
                    inlet.source().id(),
                    method,
                    contentType,
                    screened.checked(),
                    payload,
                    planned,
                    filtered,
                    new Receipt(System.nanoTime() + PATIENCE.toNanos()));
        } catch (RuntimeException | Error e) {
            intake.cancel(planned, payload.size());
            if (isCounted) {
                quota.giveBack(inlet.source(), id);
            }
            throw e;
        }
    }

    /// What becomes of an event on each connection: `planned` is told of those it goes to, the
    /// filtered are returned. Those filtered have the last ordinals.
    private List<ConnectionId> plan(
            EventId event, Inlet inlet, Payload payload, List<Accepted.Planned> planned) {
        var sieve = Sieve.of(inlet, payload);
        for (var route : inlet.routes()) {
            if (sieve.passes(route)) {
                var delivery = DeliveryId.of(event, planned.size() + 1);
                planned.add(
                        new Accepted.Planned(delivery, route, isRoomFor(route, payload.size())));
            }
        }
        return sieve.filtered();
    }

    /// Hands it to the journal; when that does not take it, gives back what was kept for it.
    void offer(Accepted event) {
        boolean isTaken = false;
        try {
            isTaken = journal.offer(event);
        } finally {
            if (!isTaken) {
                intake.dropped(event);
                quota.dropped(event);
            }
        }
        if (!isTaken) {
            throw notStored();
        }
    }

    private boolean isRoomFor(Route route, int size) {
        return route.hold(false).isEmpty() && intake.reserve(route.destination().id(), size);
    }

    static ApiException notStored() {
        return refused(
                "The event was not stored, or is not known to be. It is safe to send it again.",
                "1");
    }

    /// @param seconds after which to try again
    private static ApiException refused(String message, String seconds) {
        return new ApiException(ErrorStatus.INTERNAL_ERROR, message)
                .with(new Header("Retry-After", seconds));
    }
}
