package dev.sluice.observe.stream;

import dev.sluice.account.access.Authenticator;
import dev.sluice.account.access.Caller;
import dev.sluice.account.plan.Plan;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;

import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Semaphore;

/// The live streams: `GET /api/v1/sources/{id}/tail`, `GET /api/v1/sources/{id}/stream` and `GET
/// /api/v1/stream`.
public final class StreamRoutes {

    private static final int MAX_SOURCES = 100;

    /// How many streams of this node may read from the database at a time.
    private static final int MAX_CONCURRENT_READS = 4;

    private static final List<Header> HEADERS =
            List.of(
                    new Header("Content-Type", "text/event-stream; charset=utf-8"),
                    // nginx would collect the events until its buffer is full.
                    new Header("X-Accel-Buffering", "no"));

    /// The place from which a client continues.
    private sealed interface StreamPlace {
        /// @param parameter what named the cursor
        record CursorPlace(StreamCursor cursor) implements StreamPlace {}

        record EventPlace(UUID event) implements StreamPlace {}
    }

    private final Db db;
    private final Authenticator authenticator;
    private final PlanCatalog plans;
    private final ConfigurationCache configuration;
    private final OpenStreams streams;
    private final EventStream.StreamEnvironment environment;
    private final InstantSource clock;

    /// @param clock the time that all nodes share
    public StreamRoutes(
            Db db,
            Authenticator authenticator,
            PlanCatalog plans,
            ConfigurationCache configuration,
            OpenStreams streams,
            StreamReader reader,
            StreamFeed feed,
            InstantSource clock) {
        this.db = db;
        this.authenticator = authenticator;
        this.plans = plans;
        this.configuration = configuration;
        this.streams = streams;
        this.environment =
                new EventStream.StreamEnvironment(
                        reader, feed, new Semaphore(MAX_CONCURRENT_READS), clock);
        this.clock = clock;
    }

    public void addTo(Router router) {
        router.get("/api/v1/sources/{id}/tail", request -> ofSource(request, false));
        router.get("/api/v1/sources/{id}/stream", request -> ofSource(request, true));
        router.get("/api/v1/stream", this::ofSources);
    }

    private Reply ofSource(Request request, boolean isFull) {
        var caller = authenticator.authenticate(request);
        var source = new SourceId(request.id("source"));
        var place = place(request, new QueryParameters(request));
        return open(
                request,
                caller,
                new StreamSelection(caller.workspace(), Set.of(source), isFull),
                place);
    }

    private Reply ofSources(Request request) {
        var caller = authenticator.authenticate(request);
        var parameters = new QueryParameters(request);
        var sources = parameters.parsed("source_ids", StreamRoutes::sources).orElse(Set.of());
        boolean isFull =
                parameters.oneOf("detail", Map.of("tail", false, "full", true)).orElse(false);
        var place = place(request, parameters);
        return open(
                request, caller, new StreamSelection(caller.workspace(), sources, isFull), place);
    }

    private static Set<SourceId> sources(String text) {
        var sources = new LinkedHashSet<SourceId>();
        for (String id : text.split(",", -1)) {
            try {
                sources.add(new SourceId(FieldReader.parseUuid(id.strip())));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "must be a comma-separated list of the ids of sources.", e);
            }
        }
        if (sources.size() > MAX_SOURCES) {
            throw new IllegalArgumentException(
                    "must have at most " + MAX_SOURCES + " ids. Leave it out for all sources.");
        }
        return sources;
    }

    /// Reads `Last-Event-ID` or `after`. A client that connects again sends both, and the header is
    /// newer.
    private static Optional<StreamPlace> place(Request request, QueryParameters parameters) {
        var after = parameters.parsed("after", StreamRoutes::place);
        parameters.check();
        var lastEventId = request.header("Last-Event-ID").filter(id -> !id.isBlank());
        if (lastEventId.isEmpty()) {
            return after;
        }
        try {
            return Optional.of(place(lastEventId.get().strip()));
        } catch (IllegalArgumentException e) {
            throw new ApiException(
                    ApiErrorCode.MALFORMED_REQUEST, "Last-Event-ID " + e.getMessage());
        }
    }

    private static StreamPlace place(String text) {
        try {
            return new StreamPlace.EventPlace(FieldReader.parseUuid(text));
        } catch (IllegalArgumentException e) {
            try {
                return new StreamPlace.CursorPlace(StreamCursor.parse(text));
            } catch (IllegalArgumentException none) {
                throw new IllegalArgumentException(
                        "must be the id that a stream sent with an event, or the id of an event."
                                + " Leave it out to start with the next event.",
                        none);
            }
        }
    }

    private Reply open(
            Request request,
            Caller caller,
            StreamSelection selection,
            Optional<StreamPlace> place) {
        requireSources(caller, selection);
        var limits = limits(caller.workspace());
        if (request.method().equals("HEAD")) {
            return Reply.stream(HEADERS, _ -> {});
        }
        var lease = streams.lease(caller, selection.only(), limits.concurrentStreams());
        boolean isOpened = false;
        try {
            var start = place.map(known -> start(known, selection)).orElse(StreamStart.NOW);
            var stream =
                    EventStream.join(
                            environment,
                            selection,
                            lease,
                            () -> limits(caller.workspace()).retention(),
                            start);
            isOpened = true;
            return Reply.stream(HEADERS, stream);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(ApiErrorCode.UNAVAILABLE, "The server is stopping. Try again.");
        } finally {
            if (!isOpened) {
                lease.close();
            }
        }
    }

    private void requireSources(Caller caller, StreamSelection selection) {
        db.run(tx -> {
            for (var source : selection.only()) {
                if (!SourceStore.exists(tx, caller.workspace(), source)) {
                    throw ApiException.notFound("source");
                }
            }
        });
    }

    private Plan.PlanLimits limits(WorkspaceId workspace) {
        return plans.byNameOrLast(configuration.plan(workspace)).limits();
    }

    private StreamStart start(StreamPlace place, StreamSelection selection) {
        var now = clock.instant();
        var retention = limits(selection.workspace()).retention();
        return switch (place) {
            case StreamPlace.CursorPlace(var cursor) ->
                    environment.reader().resume(cursor, retention.expiryCutoff(now));
            case StreamPlace.EventPlace(var event) -> {
                var sources = environment.reader().sources(Set.of(selection.workspace())).keySet();
                var cursor = environment.reader().cursorAfter(sources, event);
                if (cursor.isPresent()) {
                    yield new StreamStart(cursor, Optional.empty());
                }
                if (retention.isExpired(Uuid7.timeOf(event), now)) {
                    yield environment.reader().fromOldest();
                }
                throw new ApiException(
                        ApiErrorCode.VALIDATION_FAILED,
                        "after names no event of this workspace. Send the id that a stream sent"
                                + " with its last event.");
            }
        };
    }
}
