package dev.sluice.gateway.connection;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.ApiContext;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.account.idempotency.AnswerKeeper;
import dev.sluice.account.idempotency.IdempotencyKeys;
import dev.sluice.account.plan.PlanCaps;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.ConfigurationWriter;
import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.DestinationQueries;
import dev.sluice.gateway.filter.FilterParser;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.json.JsonObject;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Set;

/// The routes under `/api/v1/connections`: create, list, get, patch and delete.
public final class ConnectionRoutes {

    private final Db db;
    private final PlanCaps planCaps;
    private final CustomHeaderRules headerRules;
    private final ConfigurationWriter configuration;
    private final IdempotencyKeys idempotency;
    private final Uuid7 ids;
    private final InstantSource clock;

    public ConnectionRoutes(
            ApiContext api,
            PlanCaps planCaps,
            CustomHeaderRules headerRules,
            ConfigurationWriter configuration,
            IdempotencyKeys idempotency) {
        this.db = api.db();
        this.planCaps = planCaps;
        this.headerRules = headerRules;
        this.configuration = configuration;
        this.idempotency = idempotency;
        this.ids = api.ids();
        this.clock = api.clock();
    }

    public void addTo(Api api) {
        api.post("/api/v1/connections", Gate.MEMBER, Set.of(Budget.DATABASE), this::create);
        api.get("/api/v1/connections", Gate.MEMBER, Set.of(Budget.DATABASE), this::list);
        api.get("/api/v1/connections/{id}", Gate.MEMBER, Set.of(Budget.DATABASE), this::get);
        api.patch("/api/v1/connections/{id}", Gate.MEMBER, Set.of(Budget.DATABASE), this::patch);
        api.delete("/api/v1/connections/{id}", Gate.MEMBER, Set.of(Budget.DATABASE), this::delete);
    }

    private Reply create(Caller caller, Request request) throws IOException {
        var input = request.jsonBody();
        return idempotency.answer(
                request, caller.workspace().value(), keeper -> create(caller, input, keeper));
    }

    private Reply create(Caller caller, FieldReader input, AnswerKeeper keeper) {
        var source =
                input.required("source_id", input.uuid("source_id"))
                        .toOptional()
                        .map(SourceId::new);
        var destination =
                input.required("destination_id", input.uuid("destination_id"))
                        .toOptional()
                        .map(DestinationId::new);
        boolean enabled = input.bool("enabled").orElse(true);
        var filter = FilterParser.read(input).toOptional();
        var transformation = TransformationParser.read(input, headerRules).toOptional();
        requireUnicode(input);
        input.check();
        var now = clock.instant();
        var connection =
                new Connection(
                        new ConnectionId(ids.next()),
                        caller.workspace(),
                        source.orElseThrow(),
                        destination.orElseThrow(),
                        new Connection.ConnectionSpec(enabled, filter, transformation),
                        now,
                        now);
        try {
            return configuration.write(
                    caller.workspace(),
                    (tx, version) -> {
                        insert(tx, connection, version);
                        record(tx, caller, "connection.created", connection, input.names());
                        return keeper.keep(
                                tx,
                                Reply.created(
                                                "/api/v1/connections/" + connection.id(),
                                                view(tx, connection).json())
                                        .with(connection.tag()));
                    });
        } catch (DbException e) {
            if (e.isDuplicate()) {
                throw new ApiException(
                        ApiErrorCode.CONFLICT,
                        "This source and this destination are already connected.");
            }
            throw e;
        }
    }

    private static void requireUnicode(FieldReader input) {
        input.requireUnicode("filter_rules");
        input.requireUnicode("transformation");
    }

    private void insert(Tx tx, Connection connection, long version) {
        if (!SourceStore.exists(tx, connection.workspace(), connection.source())) {
            throw ApiException.notFound("source", "source_id");
        }
        if (!DestinationQueries.exists(tx, connection.workspace(), connection.destination())) {
            throw ApiException.notFound("destination", "destination_id");
        }
        planCaps.requireRoomForConnection(
                tx,
                connection.workspace(),
                ConnectionQueries.countBySource(tx, connection.source(), ""));
        ConnectionStore.insert(tx, connection, version);
    }

    private Reply list(Caller caller, Request request) {
        var query = new QueryParameters(request);
        var page = Page.ifRequested(query);
        var filter =
                new ConnectionQueries.ConnectionListFilter(
                        query.uuid("source_id"), query.uuid("destination_id"), query.searchText());
        query.check();
        return db.call(tx -> {
            var connections =
                    ConnectionQueries.list(
                            tx,
                            caller.workspace(),
                            filter,
                            page.map(Page::offset).orElse(0L),
                            page.map(Page::limit).orElse(Integer.MAX_VALUE));
            var json =
                    JsonObject.items(
                            ConnectionQueries.views(tx, connections).stream()
                                    .map(ConnectionView::json)
                                    .toList());
            page.ifPresent(_ ->
                    json.put("total", ConnectionQueries.count(tx, caller.workspace(), filter)));
            return Reply.ok(json);
        });
    }

    private Reply get(Caller caller, Request request) {
        var id = new ConnectionId(request.id("connection"));
        return reply(db.call(tx -> view(tx, find(tx, caller.workspace(), id))));
    }

    private static Reply reply(ConnectionView view) {
        return Reply.ok(view.json()).with(view.connection().tag());
    }

    private Reply patch(Caller caller, Request request) throws IOException {
        var id = new ConnectionId(request.id("connection"));
        var input = request.jsonBody();
        var enabled = input.bool("enabled");
        var filter = FilterParser.read(input);
        var transformation = TransformationParser.read(input, headerRules);
        input.rejectNull("enabled", enabled);
        requireUnicode(input);
        input.check();
        var condition = request.ifMatch();
        var patched =
                configuration.write(
                        caller.workspace(),
                        (tx, version) -> {
                            var before = find(tx, caller.workspace(), id);
                            condition.require(before.tag(), "connection");
                            var spec =
                                    new Connection.ConnectionSpec(
                                            enabled.orElse(before.enabled()),
                                            filter.applyTo(before.filter()),
                                            transformation.applyTo(before.transformation()));
                            var after = before.with(spec, clock.instant());
                            ConnectionStore.update(tx, before, after, version);
                            record(tx, caller, "connection.updated", after, input.names());
                            return view(tx, after);
                        });
        return reply(patched);
    }

    private Reply delete(Caller caller, Request request) {
        var id = new ConnectionId(request.id("connection"));
        var condition = request.ifMatch();
        return configuration.write((tx, version) -> {
            var connection = find(tx, caller.workspace(), id);
            condition.require(connection.tag(), "connection");
            record(tx, caller, "connection.deleted", connection, Set.of());
            ConnectionStore.delete(tx, connection, clock.instant(), version);
            return Reply.noContent();
        });
    }

    private static void record(
            Tx tx, Caller caller, String action, Connection connection, Set<String> fields) {
        caller.record(
                tx,
                action,
                connection.id().value(),
                ConnectionQueries.name(tx, connection.id()),
                fields);
    }

    private static ConnectionView view(Tx tx, Connection connection) {
        return ConnectionQueries.view(tx, connection)
                .orElseThrow(() -> ApiException.notFound("connection"));
    }

    private static Connection find(Tx tx, WorkspaceId workspace, ConnectionId id) {
        return ConnectionQueries.find(tx, workspace, id)
                .orElseThrow(() -> ApiException.notFound("connection"));
    }
}
