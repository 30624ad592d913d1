package dev.sluice.gateway.connection;

import dev.sluice.account.access.Access;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.gateway.ConfigurationChange;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.ErrorStatus;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.Query;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.JsonObject;

import java.io.IOException;
import java.time.InstantSource;

/// `/api/v1/connections`.
public final class ConnectionRoutes {

    /// An event's deliveries made at ingest have ordinals up to 1023.
    private static final int MOST_PER_SOURCE = 1_000;

    private final Db db;
    private final Access access;
    private final ConfigurationChange change;
    private final Uuid7 ids;
    private final InstantSource clock;

    public ConnectionRoutes(
            Db db, Access access, ConfigurationChange change, Uuid7 ids, InstantSource clock) {
        this.db = db;
        this.access = access;
        this.change = change;
        this.ids = ids;
        this.clock = clock;
    }

    public void addTo(Router router) {
        router.post("/api/v1/connections", this::create);
        router.get("/api/v1/connections", this::list);
        router.get("/api/v1/connections/{id}", this::get);
        router.patch("/api/v1/connections/{id}", this::patch);
        router.delete("/api/v1/connections/{id}", this::delete);
    }

    private Reply create(Request request) throws IOException {
        var caller = access.caller(request);
        var form = request.form();
        var source =
                form.required("source_id", form.uuid("source_id")).toOptional().map(SourceId::new);
        var destination =
                form.required("destination_id", form.uuid("destination_id"))
                        .toOptional()
                        .map(DestinationId::new);
        boolean enabled = form.bool("enabled").or(true);
        var filter = FilterForm.read(form).toOptional();
        var transformation = TransformationForm.read(form).toOptional();
        form.check();
        var now = clock.instant();
        var connection =
                new Connection(
                        new ConnectionId(ids.next()),
                        caller.workspace(),
                        source.orElseThrow(),
                        destination.orElseThrow(),
                        enabled,
                        filter,
                        transformation,
                        now,
                        now);
        Described created;
        try {
            created =
                    db.call(tx -> {
                        insert(tx, connection);
                        return Described.of(tx, connection);
                    });
        } catch (DbException e) {
            if (e.isDuplicate()) {
                throw new ApiException(
                        ErrorStatus.CONFLICT,
                        "This source and this destination are connected already.");
            }
            throw e;
        }
        change.committed();
        return Reply.created(created.json());
    }

    private static void insert(Tx tx, Connection connection) {
        long version = WorkspaceStore.nextVersion(tx);
        if (!SourceStore.exists(tx, connection.workspace(), connection.source())) {
            throw ApiException.notFound("source");
        }
        if (!DestinationStore.exists(tx, connection.workspace(), connection.destination())) {
            throw ApiException.notFound("destination");
        }
        if (ConnectionStore.countOfSource(tx, connection.source(), "") >= MOST_PER_SOURCE) {
            throw new ApiException(
                    ErrorStatus.CONFLICT,
                    "A source has at most " + MOST_PER_SOURCE + " connections.");
        }
        ConnectionStore.insert(tx, connection, version);
    }

    private Reply list(Request request) {
        var caller = access.caller(request);
        var query = new Query(request);
        var page = Page.asked(query);
        query.check();
        return db.call(tx -> {
            var connections =
                    ConnectionStore.list(
                            tx,
                            caller.workspace(),
                            page.map(Page::offset).orElse(0L),
                            page.map(Page::limit).orElse(Integer.MAX_VALUE));
            var json =
                    JsonObject.items(
                            Described.of(tx, connections).stream().map(Described::json).toList());
            page.ifPresent(_ -> json.put("total", ConnectionStore.count(tx, caller.workspace())));
            return Reply.ok(json);
        });
    }

    private Reply get(Request request) {
        var caller = access.caller(request);
        var id = new ConnectionId(request.id("connection"));
        return Reply.ok(db.call(tx -> Described.of(tx, find(tx, caller.workspace(), id))).json());
    }

    private Reply patch(Request request) throws IOException {
        var caller = access.caller(request);
        var id = new ConnectionId(request.id("connection"));
        var form = request.form();
        var enabled = form.bool("enabled");
        var filter = FilterForm.read(form);
        var transformation = TransformationForm.read(form);
        form.refuseNull("enabled", enabled);
        form.check();
        var patched =
                db.call(tx -> {
                    long version = WorkspaceStore.nextVersion(tx);
                    var before = find(tx, caller.workspace(), id);
                    var after =
                            new Connection(
                                    id,
                                    before.workspace(),
                                    before.source(),
                                    before.destination(),
                                    enabled.or(before.enabled()),
                                    filter.over(before.filter()),
                                    transformation.over(before.transformation()),
                                    before.createdAt(),
                                    clock.instant());
                    ConnectionStore.update(tx, after, version);
                    return Described.of(tx, after);
                });
        change.committed();
        return Reply.ok(patched.json());
    }

    private Reply delete(Request request) {
        var caller = access.caller(request);
        var id = new ConnectionId(request.id("connection"));
        db.run(tx -> {
            long version = WorkspaceStore.nextVersion(tx);
            ConnectionStore.delete(tx, find(tx, caller.workspace(), id), clock.instant(), version);
        });
        change.committed();
        return Reply.noContent();
    }

    private static Connection find(Tx tx, WorkspaceId workspace, ConnectionId id) {
        return ConnectionStore.find(tx, workspace, id)
                .orElseThrow(() -> ApiException.notFound("connection"));
    }
}
