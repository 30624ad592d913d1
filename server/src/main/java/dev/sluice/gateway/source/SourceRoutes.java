package dev.sluice.gateway.source;

import dev.sluice.account.access.Access;
import dev.sluice.account.access.Caller;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.gateway.ConfigurationChange;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.Query;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.Form;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.platform.json.Patch;
import dev.sluice.platform.secret.RandomText;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// `/api/v1/sources`.
public final class SourceRoutes {

    private static final int TOKEN_LENGTH = 32;

    /// Given out in turn to sources that name no colour.
    private static final List<String> PALETTE =
            List.of(
                    "#2563eb", "#16a34a", "#d97706", "#dc2626", "#7c3aed", "#0891b2", "#db2777",
                    "#65a30d");

    private final Db db;
    private final Access access;
    private final SourceStore sources;
    private final SourceCap cap;
    private final ConfigurationChange change;
    private final Uuid7 ids;
    private final RandomText random;
    private final InstantSource clock;

    public SourceRoutes(
            Db db,
            Access access,
            SourceStore sources,
            PlanCatalog plans,
            ConfigurationChange change,
            Uuid7 ids,
            RandomText random,
            InstantSource clock) {
        this.db = db;
        this.access = access;
        this.sources = sources;
        this.cap = new SourceCap(plans);
        this.change = change;
        this.ids = ids;
        this.random = random;
        this.clock = clock;
    }

    public void addTo(Router router) {
        router.post("/api/v1/sources", this::create);
        router.get("/api/v1/sources", this::list);
        router.get("/api/v1/sources/{id}", this::get);
        router.patch("/api/v1/sources/{id}", this::patch);
        router.delete("/api/v1/sources/{id}", this::delete);
    }

    private Reply create(Request request) throws IOException {
        var caller = access.caller(request);
        var form = request.form();
        var fields = Fields.read(form);
        form.required("name", fields.name());
        form.check();
        var created =
                db.call(tx -> {
                    long version = WorkspaceStore.nextVersion(tx);
                    var source = source(tx, caller, fields);
                    sources.insert(tx, source, version);
                    return source;
                });
        change.committed();
        return Reply.created(created.json());
    }

    private Source source(Tx tx, Caller caller, Fields fields) {
        long others = SourceStore.count(tx, caller.workspace());
        cap.refuseOver(tx, caller.workspace(), others);
        var now = clock.instant();
        return new Source(
                new SourceId(ids.next()),
                caller.workspace(),
                fields.name().or(""),
                fields.description().toOptional(),
                fields.color().or(PALETTE.get((int) (others % PALETTE.size()))),
                random.base62(TOKEN_LENGTH),
                fields.status().or(Source.Status.ACTIVE),
                fields.verification().or(new VerificationConfig.None()),
                fields.response().toOptional(),
                now,
                now);
    }

    private Reply list(Request request) {
        var caller = access.caller(request);
        var query = new Query(request);
        var page = Page.of(query);
        String q = query.text("q").orElse("");
        query.check();
        return db.call(tx -> {
            var listed = sources.list(tx, caller.workspace(), q, page.offset(), page.limit());
            var counts = SourceStore.eventCounts(tx, listed.stream().map(Source::id).toList());
            return Reply.ok(
                    JsonObject.items(listed.stream().map(source -> item(source, counts)).toList())
                            .put("total", SourceStore.count(tx, caller.workspace(), q)));
        });
    }

    private static JsonObject item(Source source, Map<SourceId, Long> counts) {
        return source.json().put("event_count", counts.getOrDefault(source.id(), 0L));
    }

    private Reply get(Request request) {
        var caller = access.caller(request);
        var id = new SourceId(request.id("source"));
        return Reply.ok(found(db.call(tx -> sources.find(tx, caller.workspace(), id))).json());
    }

    private Reply patch(Request request) throws IOException {
        var caller = access.caller(request);
        var id = new SourceId(request.id("source"));
        var form = request.form();
        var fields = Fields.read(form);
        fields.refuseClearing(form);
        form.check();
        var patched =
                db.call(tx -> {
                    long version = WorkspaceStore.nextVersion(tx);
                    var source =
                            fields.over(found(sources.find(tx, caller.workspace(), id)), clock);
                    sources.update(tx, source, version);
                    return source;
                });
        change.committed();
        return Reply.ok(patched.json());
    }

    private Reply delete(Request request) {
        var caller = access.caller(request);
        var id = new SourceId(request.id("source"));
        if (!db.call(
                tx -> {
                    long version = WorkspaceStore.nextVersion(tx);
                    return TrashStore.put(tx, caller.workspace(), id, clock.instant(), version);
                })) {
            throw ApiException.notFound("source");
        }
        change.committed();
        return Reply.noContent();
    }

    private static Source found(Optional<Source> source) {
        return source.orElseThrow(() -> ApiException.notFound("source"));
    }

    /// The fields that create and PATCH share.
    private record Fields(
            Patch<String> name,
            Patch<String> description,
            Patch<String> color,
            Patch<Source.Status> status,
            Patch<VerificationConfig> verification,
            Patch<ResponseConfig> response) {

        static Fields read(Form form) {
            var fields =
                    new Fields(
                            form.text("name", 1, 200),
                            form.text("description", 0, 2000),
                            form.text("color", 7, 7),
                            form.oneOf("status", Source.Status.BY_TEXT),
                            form.form("verification_config").map(VerificationJson::read),
                            form.form("response_config").map(ResponseConfig::read));
            fields.color()
                    .toOptional()
                    .filter(color -> !color.matches("#[0-9a-fA-F]{6}"))
                    .ifPresent(_ -> form.complain("color", "must be a colour such as #2563eb."));
            return fields;
        }

        void refuseClearing(Form form) {
            form.refuseNull("name", name);
            form.refuseNull("color", color);
            form.refuseNull("status", status);
        }

        Source over(Source source, InstantSource clock) {
            return new Source(
                    source.id(),
                    source.workspace(),
                    name.or(source.name()),
                    description.over(source.description()),
                    color.or(source.color()),
                    source.token(),
                    status.or(source.status()),
                    verification.over(source.verification(), new VerificationConfig.None()),
                    response.over(source.response()),
                    source.createdAt(),
                    clock.instant());
        }
    }
}
