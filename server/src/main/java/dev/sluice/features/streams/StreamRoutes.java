package dev.sluice.features.streams;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.ApiContext;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.account.plan.Plan;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.RequestPreview;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.filter.Filter;
import dev.sluice.gateway.filter.FilterParser;
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
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.MalformedJsonException;

import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// The routes for live streams: `GET /api/v1/sources/{id}/tail`, `GET /api/v1/sources/{id}/stream`
/// and `GET /api/v1/stream`.
public final class StreamRoutes {

    private static final int MAX_SOURCES = 100;

    /// The maximum number of this node's streams that may read from the database at the same time.
    private static final int MAX_CONCURRENT_READS = 4;

    /// The share of one database connection's time that all streams together may use while any
    /// stream is waiting to read.
    private static final double READ_SHARE = 0.5;

    /// The maximum number of this node's streams that may prepare messages at the same time: half
    /// the number of processors, but at least one.
    private static final int MAX_PREPARING =
            Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

    /// The processor time, per unit of time, that all streams together may use to prepare and send
    /// messages: a sixth of all processors' time. This limit applies only while a stream is waiting
    /// to prepare messages.
    private static final double PREPARING_SHARE = Runtime.getRuntime().availableProcessors() / 6.0;

    /// How long a stream waits for its turn to prepare messages. After that time, it can get a
    /// permit out of turn.
    private static final Duration MAX_PREPARING_WAIT = Duration.ofSeconds(1);

    /// How long a stream waits for its turn to read. This is longer than [#MAX_PREPARING_WAIT],
    /// because a read takes much longer than preparing messages. If many streams read out of turn,
    /// none would catch up.
    private static final Duration MAX_READ_WAIT = Duration.ofSeconds(15);

    private static final List<Header> HEADERS =
            List.of(
                    new Header("Content-Type", "text/event-stream; charset=utf-8"),
                    // Without this header, nginx would hold messages back until its buffer is full.
                    new Header("X-Accel-Buffering", "no"));

    /// The position after which a client wants to continue.
    private sealed interface StreamPlace {
        record CursorPlace(StreamCursor cursor) implements StreamPlace {}

        record EventPlace(UUID event) implements StreamPlace {}
    }

    private final Db db;
    private final PlanCatalog plans;
    private final ConfigurationCache configuration;
    private final OpenStreams streams;
    private final EventStream.StreamEnvironment environment;
    private final InstantSource clock;

    public StreamRoutes(
            ApiContext api,
            PlanCatalog plans,
            ConfigurationCache configuration,
            OpenStreams streams,
            StreamReader reader,
            StreamFeed feed,
            RequestPreview preview) {
        this.db = api.db();
        this.plans = plans;
        this.configuration = configuration;
        this.streams = streams;
        this.environment =
                new EventStream.StreamEnvironment(
                        reader,
                        feed,
                        configuration,
                        preview,
                        new StreamWorkLimiter(MAX_CONCURRENT_READS, READ_SHARE, MAX_READ_WAIT),
                        new StreamWorkLimiter(MAX_PREPARING, PREPARING_SHARE, MAX_PREPARING_WAIT),
                        api.clock());
        this.clock = api.clock();
    }

    public void addTo(Api api) {
        api.get(
                "/api/v1/sources/{id}/tail",
                Gate.STREAM,
                Set.of(Budget.DATABASE),
                (caller, request) -> ofSource(caller, request, false));
        api.get(
                "/api/v1/sources/{id}/stream",
                Gate.STREAM,
                Set.of(Budget.DATABASE),
                (caller, request) -> ofSource(caller, request, true));
        api.get("/api/v1/stream", Gate.STREAM, Set.of(Budget.DATABASE), this::ofSources);
    }

    private Reply ofSource(Caller caller, Request request, boolean isFull) {
        var source = new SourceId(request.id("source"));
        return open(request, caller, new QueryParameters(request), Set.of(source), isFull);
    }

    private Reply ofSources(Caller caller, Request request) {
        var parameters = new QueryParameters(request);
        var sources = parameters.parsed("source_ids", StreamRoutes::sources).orElse(Set.of());
        boolean isFull =
                parameters.oneOf("detail", Map.of("tail", false, "full", true)).orElse(false);
        return open(request, caller, parameters, sources, isFull);
    }

    private Reply open(
            Request request,
            Caller caller,
            QueryParameters parameters,
            Set<SourceId> sources,
            boolean isFull) {
        boolean withDeliveries =
                parameters.oneOf("include", Map.of("deliveries", true)).orElse(false);
        var connection = parameters.uuid("connection_id").map(ConnectionId::new);
        var filterText = parameters.text("filter");
        boolean withPing =
                parameters.oneOf("ping", Map.of("true", true, "false", false)).orElse(false);
        var place = place(request, parameters);
        requireSources(caller, sources);
        var selection =
                new StreamSelection(
                        caller.workspace(),
                        connection.map(id -> sourcesOf(caller, id, sources)).orElse(sources),
                        isFull,
                        filterText.map(StreamRoutes::filter),
                        connection,
                        withDeliveries);
        return open(request, caller, selection, place, withPing);
    }

    /// Returns the connection's source, which must be one of the requested sources. Throws a 404
    /// error if the workspace has no connection with this id from these sources.
    private Set<SourceId> sourcesOf(Caller caller, ConnectionId id, Set<SourceId> sources) {
        // Loads the latest configuration, because another node may have just changed it.
        configuration.run();
        return configuration
                .route(id)
                .filter(route -> !route.isSourceTrashed())
                .filter(route -> route.connection().workspace().equals(caller.workspace()))
                .map(route -> route.source().id())
                .filter(source -> sources.isEmpty() || sources.contains(source))
                .map(Set::of)
                .orElseThrow(() -> ApiException.notFound("connection of these sources"));
    }

    private static Filter filter(String text) {
        FieldReader input;
        try {
            input = Json.fieldReader(("{\"filter\": " + text + "}").getBytes(UTF_8));
        } catch (MalformedJsonException e) {
            throw new ApiException(
                    ApiErrorCode.MALFORMED_REQUEST,
                    "filter must be the JSON of a connection's filter_rules, percent-encoded.");
        }
        var filter = FilterParser.read(input, "filter").toOptional();
        input.rejectUnknownFields();
        input.check();
        return filter.orElseThrow(() ->
                new ApiException(
                        ApiErrorCode.VALIDATION_FAILED, "filter must be an object, or left out."));
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

    /// Reads the position from the `Last-Event-ID` header or the `after` parameter. A client that
    /// reconnects may send both; the header then contains the newer position.
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
            Optional<StreamPlace> place,
            boolean withPing) {
        if (request.method().equals("HEAD")) {
            return Reply.stream(HEADERS, _ -> {});
        }
        var lease = streams.lease(caller, selection);
        boolean isOpened = false;
        try {
            var start = place.map(known -> start(known, selection)).orElse(StreamStart.NOW);
            var stream =
                    EventStream.join(
                            environment,
                            selection,
                            lease,
                            () -> limits(caller.workspace()).retention(),
                            start,
                            withPing);
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

    private void requireSources(Caller caller, Set<SourceId> sources) {
        db.run(tx -> {
            for (var source : sources) {
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
                    environment
                            .reader()
                            .resume(
                                    cursor,
                                    retention.expiryCutoff(now),
                                    selection.withDeliveries());
            case StreamPlace.EventPlace(var event) -> {
                var sources = environment.reader().sources(Set.of(selection.workspace())).keySet();
                var cursor = environment.reader().cursorAfter(sources, event);
                if (cursor.isPresent()) {
                    yield environment.reader().isInLog(cursor.get())
                            ? new StreamStart(cursor, Optional.empty())
                            : environment.reader().fromOldest();
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
