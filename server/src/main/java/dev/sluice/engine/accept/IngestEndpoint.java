package dev.sluice.engine.accept;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.EventId;
import dev.sluice.engine.EventVerification;
import dev.sluice.engine.LoopDetector;
import dev.sluice.engine.Payload;
import dev.sluice.engine.RefusalReason;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.commit.AcceptedEvent;
import dev.sluice.engine.commit.Journal;
import dev.sluice.engine.commit.Receipt;
import dev.sluice.engine.send.EventTracer;
import dev.sluice.engine.send.PayloadAdmission;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.filter.FilterResult;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.routing.IngestRoute;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Endpoint;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.InboundMemory;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.meter.LockFreeHistogram;
import dev.sluice.platform.meter.WorkspaceGauge;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// The HTTP endpoint `/in/<token>`, with or without a slash at its end. It accepts a webhook and
/// replies once the webhook is durably stored: with 200 unless the source configures another reply,
/// or with 401 if verification failed. Beyond the limits of [UnverifiedEventLimiter], webhooks that
/// fail verification are only counted. A verified challenge gets the reply that its sender expects.
/// [IngestGetResponder] answers GET and HEAD requests.
public final class IngestEndpoint implements Endpoint {

    public static final String PATH = "/in/";

    private static final Logger log = LoggerFactory.getLogger(IngestEndpoint.class);

    /// How long a request waits for its event to be committed before the reply is a 500.
    private static final Duration STORE_TIMEOUT = Duration.ofSeconds(10);

    /// The maximum length of a configured reply whose memory is not counted.
    private static final int MAX_UNCOUNTED_REPLY_CHARS = 4096;

    /// The memory of a character of a reply: UTF-8 takes up to three bytes.
    private static final int REPLY_BYTES_OF_CHARACTER = 3;

    /// When the sender of a webhook to a suspended workspace should try again.
    private static final Duration SUSPENSION_RETRY_AFTER = Duration.ofMinutes(5);

    private static final String ALLOWED_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";

    /// A webhook that has been stored.
    ///
    /// @param reply the reply to the sender of the webhook
    public record StoredWebhook(EventId id, EventVerification verification, Reply reply) {}

    /// The counter, the timer and the tracer that the endpoint reports to.
    ///
    /// @param durations how long requests took from start to reply, recorded only for requests
    ///   whose webhook was stored
    public record IngestMeters(
            RefusalCounter refusals, LockFreeHistogram durations, EventTracer tracer) {}

    private final ConfigurationCache configuration;
    private final PayloadAdmission admission;
    private final Journal journal;
    private final DiskSpaceMonitor diskSpace;
    private final IngestRateLimiter ingestRateLimiter;
    private final InboundMemory bodyMemory;
    private final UnverifiedEventLimiter unverifiedEvents;
    private final MonthlyQuota quota;
    private final RefusalCounter refusals;
    private final LockFreeHistogram durations;
    private final EventTracer tracer;
    private final Uuid7 ids;
    private final InstantSource clock;
    private final InboundCheck inboundCheck;

    public IngestEndpoint(
            ConfigurationCache configuration,
            Journal journal,
            IngestLimits limits,
            IngestMeters meters,
            InboundCheck inboundCheck,
            Uuid7 ids,
            InstantSource clock) {
        this.configuration = configuration;
        this.admission = limits.admission();
        this.journal = journal;
        this.diskSpace = limits.diskSpace();
        this.ingestRateLimiter = limits.ingestRateLimiter();
        this.bodyMemory = limits.bodyMemory();
        this.unverifiedEvents = limits.unverifiedEvents();
        this.quota = limits.quota();
        this.refusals = meters.refusals();
        this.durations = meters.durations();
        this.tracer = meters.tracer();
        this.ids = ids;
        this.clock = clock;
        this.inboundCheck = inboundCheck;
    }

    @Override
    public Reply answer(Request request) throws IOException {
        try {
            return answerUnsandboxed(request);
        } catch (ApiException e) {
            return IngestReplies.sandboxed(e.reply());
        }
    }

    private Reply answerUnsandboxed(Request request) throws IOException {
        String token = token(request.path());
        var ingestRoute =
                configuration
                        .ingestRoute(token)
                        .filter(route -> route.isOpen(clock))
                        .orElseThrow(() -> ApiException.notFound("ingest URL"));
        return switch (request.method()) {
            case "POST", "PUT", "PATCH", "DELETE" -> acceptOrCount(ingestRoute, request);
            case "GET", "HEAD" -> IngestReplies.sandboxed(IngestGetResponder.answer(request));
            default ->
                    throw new ApiException(
                                    ApiErrorCode.METHOD_NOT_ALLOWED,
                                    "Send webhooks with POST, PUT, PATCH or DELETE.")
                            .withHeader(new Header("Allow", ALLOWED_METHODS));
        };
    }

    /// Returns the token in an ingest path. One slash after it makes no difference.
    private static String token(String path) {
        int end = path.endsWith("/") ? path.length() - 1 : path.length();
        return path.substring(Math.min(PATH.length(), end), end);
    }

    /// Accepts the request, and counts it if it is refused.
    private Reply acceptOrCount(IngestRoute ingestRoute, Request request) throws IOException {
        refuseIfSuspended(ingestRoute);
        var source = ingestRoute.source().id();
        long begun = System.nanoTime();
        try {
            var reply = accept(ingestRoute, request, begun);
            durations.record(System.nanoTime() - begun);
            return reply;
        } catch (RuntimeException e) {
            var answered = asIngestError(source, e);
            countRefused(source, answered);
            throw answered;
        }
    }

    private void refuseIfSuspended(IngestRoute ingestRoute) {
        if (ingestRoute.isSuspended()) {
            refusals.count(ingestRoute.source().id(), RefusalReason.WORKSPACE_SUSPENDED);
            throw ApiException.tooMany(
                    "The workspace of this source is suspended. Nothing was stored.",
                    SUSPENSION_RETRY_AFTER);
        }
    }

    /// Replaces an error with one that senders handle well. Many of them treat 503 as an outage and
    /// switch the URL off, so ingest answers 429 if a share of the server is used up, and 500 if
    /// the event was not stored for another passing reason.
    private static RuntimeException asIngestError(SourceId source, RuntimeException e) {
        if (e instanceof DbException failure) {
            log.atWarn().addKeyValue("source_id", source).setCause(failure).log("webhook.refused");
            return notStored();
        }
        return e instanceof ApiException refused && refused.error() == ApiErrorCode.UNAVAILABLE
                ? ApiException.tooMany(
                        "The source or its workspace has too many requests arriving at once."
                                + " Nothing was stored.",
                        Duration.ofSeconds(1))
                : e;
    }

    private void countRefused(SourceId source, RuntimeException e) {
        switch (e) {
            case ApiException refused -> refusals.count(source, refused.error());
            case DbException _ -> refusals.count(source, RefusalReason.UNAVAILABLE);
            default -> refusals.count(source, RefusalReason.NOT_STORED); // a bug; the reply is 500
        }
    }

    /// @param begun when the request began, as a `System.nanoTime` value
    private Reply accept(IngestRoute ingestRoute, Request request, long begun) throws IOException {
        var source = ingestRoute.source();
        requireRoom(source);
        var headReadAt = clock.instant();
        reserveAnswer(source, request);
        request.setBodyMemory(bodyMemory, source.workspace(), source.id());
        byte[] body = request.body(Payload.MAX_BODY_BYTES);
        var webhook =
                new InboundWebhook(
                        request.method(), request.pathQuery(), request.headers(), body, headReadAt);
        return store(ingestRoute, webhook, begun, request::releaseBodyMemory).reply();
    }

    /// Reserves memory for a long reply that the source configures, before anything is stored. A
    /// sender that does not read it would otherwise keep memory that nobody counts.
    private static void reserveAnswer(Source source, Request request) {
        int length = source.response().map(response -> response.body().length()).orElse(0);
        if (length > MAX_UNCOUNTED_REPLY_CHARS) {
            request.setOwner(source.workspace().value());
            request.reserveAnswer((long) REPLY_BYTES_OF_CHARACTER * length);
        }
    }

    /// Accepts a webhook that a user composed. The webhook goes through the same steps as one from
    /// a sender.
    ///
    /// @param token the token of the source's ingest path
    /// @throws ApiException if the webhook is refused, with the same status that a sender would
    ///   get; 404 if no source has this token; 429 if it failed verification and was only counted
    public StoredWebhook accept(String token, InboundWebhook webhook) {
        var ingestRoute =
                configuration.ingestRoute(token).orElseThrow(() -> ApiException.notFound("source"));
        refuseIfSuspended(ingestRoute);
        var source = ingestRoute.source();
        try {
            requireRoom(source);
            return store(ingestRoute, webhook, System.nanoTime(), () -> {});
        } catch (RuntimeException e) {
            countRefused(source.id(), e);
            throw e instanceof ApiException refused
                            && refused.error() == ApiErrorCode.VERIFICATION_FAILED
                    ? unverifiedNotStored()
                    : e;
        }
    }

    /// Returns the error for a composed webhook in place of a 401, which its user would take for
    /// one about the session or key.
    private static ApiException unverifiedNotStored() {
        return ApiException.tooMany(
                "The event could not be verified, and its source stores no more such events for"
                        + " now.",
                Duration.ofMinutes(1));
    }

    private void requireRoom(Source source) {
        if (diskSpace.isNearlyFull()) {
            throw refused(
                    "The disk is nearly full. Nothing was stored; send the event again later.",
                    "30");
        }
        ingestRateLimiter.acquire(source);
    }

    /// Verifies the webhook, stores it and builds the reply.
    ///
    /// @param begun when the request began, as a `System.nanoTime` value
    /// @param releaseBody called once the journal has accepted the event and accounts for the
    ///   event's memory
    private StoredWebhook store(
            IngestRoute ingestRoute, InboundWebhook webhook, long begun, Runnable releaseBody) {
        var source = ingestRoute.source();
        var checkResult = inboundCheck.check(source, webhook);
        if (checkResult.checked().isFailed() && !mayStoreUnverified(source, webhook)) {
            throw IngestReplies.unverified(source.verification());
        }
        var event =
                prepareEvent(
                        ingestRoute,
                        webhook.method(),
                        webhook.contentType(),
                        checkResult,
                        webhook.body());
        long offered = System.nanoTime();
        offer(event);
        releaseBody.run();
        return switch (event.receipt().await()) {
            case STORED -> {
                var reply = IngestReplies.of(source, checkResult, event.id());
                long now = System.nanoTime();
                tracer.stored(
                        event.id(),
                        event.payload().headers(),
                        reply.status(),
                        Duration.ofNanos(now - begun),
                        Duration.ofNanos(now - offered));
                if (checkResult.checked().isFailed()) {
                    refusals.count(source.id(), RefusalReason.VERIFICATION_FAILED);
                }
                yield new StoredWebhook(event.id(), checkResult.checked(), reply);
            }
            case REFUSED, WAITING -> throw notStored();
        };
    }

    private boolean mayStoreUnverified(Source source, InboundWebhook webhook) {
        return !diskSpace.isLow() && unverifiedEvents.tryAcquire(source.id(), webhook.size());
    }

    /// Builds the event to store. Spends a token from the monthly quota, unless verification
    /// failed. If there is room, also reserves memory for the deliveries that are not on hold.
    /// Undoes both if it throws an exception.
    AcceptedEvent prepareEvent(
            IngestRoute ingestRoute,
            String method,
            Optional<String> contentType,
            InboundCheck.InboundCheckResult checkResult,
            byte[] body) {
        var payload = Payload.of(checkResult.headers(), body).withMethod(method);
        var id = new EventId(ids.next(12));
        boolean isCounted = !checkResult.checked().isFailed();
        if (isCounted) {
            quota.spend(ingestRoute.source(), id);
        }
        var planned = new ArrayList<AcceptedEvent.PlannedDelivery>(ingestRoute.routes().size());
        try {
            boolean isForwarded =
                    checkResult.isForwarded()
                            && !LoopDetector.isInLoop(payload.headers(), inboundCheck.hopHeader());
            var filtered =
                    isForwarded
                            ? planDeliveries(id, ingestRoute, payload, planned)
                            : List.<ConnectionId>of();
            return new AcceptedEvent(
                    id,
                    ingestRoute.source(),
                    method,
                    contentType,
                    checkResult.checked(),
                    payload,
                    new AcceptedEvent.DeliveryPlan(planned, filtered),
                    new Receipt(System.nanoTime() + STORE_TIMEOUT.toNanos()));
        } catch (RuntimeException | Error e) {
            admission.cancel(planned, payload.memoryBytes());
            if (isCounted) {
                quota.giveBack(ingestRoute.source(), id);
            }
            throw e;
        }
    }

    /// Adds a delivery to `planned` for each connection that may get the event. These are the
    /// connections that have no filter, whose filter matches, or whose filter is left undecided.
    /// Returns the other connections: those whose filter the event does not match.
    ///
    /// The planned deliveries get ordinals starting at 1, in the order of the connections. The API
    /// shows the returned connections under the ordinals that follow.
    private List<ConnectionId> planDeliveries(
            EventId event,
            IngestRoute ingestRoute,
            Payload payload,
            List<AcceptedEvent.PlannedDelivery> planned) {
        var connectionFilter = ConnectionFilter.of(ingestRoute, payload);
        for (var route : ingestRoute.routes()) {
            var result = connectionFilter.check(route);
            if (result != FilterResult.FILTERED) {
                planned.add(
                        new AcceptedEvent.PlannedDelivery(
                                DeliveryId.of(event, planned.size() + 1),
                                route,
                                tryReserveMemory(route, payload.memoryBytes()),
                                result == FilterResult.UNDECIDED));
            }
        }
        return connectionFilter.rejecting();
    }

    /// Passes the event to the journal. If the journal refuses it, gives back the event's quota
    /// token and memory, and throws an exception.
    void offer(AcceptedEvent event) {
        boolean isAccepted = false;
        try {
            isAccepted = journal.offer(event);
        } finally {
            if (!isAccepted) {
                admission.dropped(event);
                quota.refundDropped(event);
            }
        }
        if (!isAccepted) {
            throw notStored();
        }
    }

    private boolean tryReserveMemory(Route route, int size) {
        return Trigger.INGEST.holdReason(route).isEmpty()
                && admission.reserve(route.destination().id(), size);
    }

    /// Returns what each workspace holds of the memory for bodies that are arriving.
    public WorkspaceGauge bodyGauge() {
        return new WorkspaceGauge(
                "sluice_workspace_request_body_bytes",
                "Memory of the webhooks of the workspace that are arriving.",
                () -> {
                    Map<UUID, Long> bytes = new HashMap<>();
                    bodyMemory
                            .bytesByWorkspace()
                            .forEach((workspace, held) -> {
                                if (workspace instanceof WorkspaceId id) {
                                    bytes.put(id.value(), held);
                                }
                            });
                    return bytes;
                });
    }

    static ApiException notStored() {
        return refused(
                "The event was not stored, or storing it could not be confirmed. It is safe to send"
                        + " it again.",
                "1");
    }

    /// @param seconds the value of the `Retry-After` header
    private static ApiException refused(String message, String seconds) {
        return new ApiException(ApiErrorCode.INTERNAL_ERROR, message)
                .withHeader(new Header("Retry-After", seconds));
    }
}
