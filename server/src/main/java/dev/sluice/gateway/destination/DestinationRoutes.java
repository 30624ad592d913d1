package dev.sluice.gateway.destination;

import dev.sluice.account.access.Access;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.gateway.ConfigurationChange;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.Query;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.net.AddressPolicy;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;

/// `/api/v1/destinations`.
public final class DestinationRoutes {

    private final Db db;
    private final Access access;
    private final DestinationStore destinations;
    private final AddressPolicy addresses;
    private final ConfigurationChange change;
    private final Uuid7 ids;
    private final InstantSource clock;

    public DestinationRoutes(
            Db db,
            Access access,
            DestinationStore destinations,
            AddressPolicy addresses,
            ConfigurationChange change,
            Uuid7 ids,
            InstantSource clock) {
        this.db = db;
        this.access = access;
        this.destinations = destinations;
        this.addresses = addresses;
        this.change = change;
        this.ids = ids;
        this.clock = clock;
    }

    public void addTo(Router router) {
        router.post("/api/v1/destinations", this::create);
        router.get("/api/v1/destinations", this::list);
        router.get("/api/v1/destinations/{id}", this::get);
        router.patch("/api/v1/destinations/{id}", this::patch);
        router.delete("/api/v1/destinations/{id}", this::delete);
    }

    private Reply create(Request request) throws IOException {
        var caller = access.caller(request);
        var form = request.form();
        var fields = DestinationForm.read(form, addresses);
        fields.require(form);
        form.check();
        var now = clock.instant();
        var destination =
                new Destination(
                        new DestinationId(ids.next()),
                        caller.workspace(),
                        ids.next(),
                        fields.created(),
                        now,
                        now);
        db.run(tx -> destinations.insert(tx, destination, WorkspaceStore.nextVersion(tx)));
        change.committed();
        return Reply.created(destination.json(CircuitView.CLOSED));
    }

    private Reply list(Request request) {
        var caller = access.caller(request);
        var query = new Query(request);
        var page = Page.asked(query);
        query.check();
        return db.call(tx -> {
            var shown =
                    destinations.list(
                            tx,
                            caller.workspace(),
                            page.map(Page::offset).orElse(0L),
                            page.map(Page::limit).orElse(Integer.MAX_VALUE));
            var json = JsonObject.items(shown.stream().map(DestinationStore.Shown::json).toList());
            page.ifPresent(_ -> json.put("total", destinations.count(tx, caller.workspace())));
            return Reply.ok(json);
        });
    }

    private Reply get(Request request) {
        var caller = access.caller(request);
        var id = new DestinationId(request.id("destination"));
        return Reply.ok(found(db.call(tx -> destinations.find(tx, caller.workspace(), id))).json());
    }

    private Reply patch(Request request) throws IOException {
        var caller = access.caller(request);
        var id = new DestinationId(request.id("destination"));
        var form = request.form();
        var fields = DestinationForm.read(form, addresses);
        fields.refuseClearing(form);
        form.check();
        var patched =
                db.call(tx -> {
                    long version = WorkspaceStore.nextVersion(tx);
                    var before = found(destinations.find(tx, caller.workspace(), id)).destination();
                    destinations.update(tx, before, changed(before, fields), version);
                    return found(destinations.find(tx, caller.workspace(), id));
                });
        change.committed();
        return Reply.ok(patched.json());
    }

    /// A new name or URL is a new revision, so that history keeps the old one.
    private Destination changed(Destination before, DestinationForm fields) {
        var spec = fields.over(before.spec());
        boolean same =
                spec.name().equals(before.spec().name())
                        && spec.url().toString().equals(before.spec().url().toString());
        UUID revision = same ? before.revision() : ids.next();
        return new Destination(
                before.id(),
                before.workspace(),
                revision,
                spec,
                before.createdAt(),
                clock.instant());
    }

    private Reply delete(Request request) {
        var caller = access.caller(request);
        var id = new DestinationId(request.id("destination"));
        if (!db.call(
                tx -> {
                    long version = WorkspaceStore.nextVersion(tx);
                    return destinations.delete(
                            tx, caller.workspace(), id, clock.instant(), version);
                })) {
            throw ApiException.notFound("destination");
        }
        change.committed();
        return Reply.noContent();
    }

    private static <T> T found(Optional<T> destination) {
        return destination.orElseThrow(() -> ApiException.notFound("destination"));
    }
}
