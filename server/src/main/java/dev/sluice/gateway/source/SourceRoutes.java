package dev.sluice.gateway.source;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.ApiContext;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.account.idempotency.AnswerKeeper;
import dev.sluice.account.idempotency.IdempotencyKeys;
import dev.sluice.account.plan.PlanCaps;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.gateway.ConfigurationWriter;
import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.platform.db.Db;
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
import dev.sluice.platform.secret.SecretGenerator;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The routes under `/api/v1/sources`: create, list, get, patch, rotate the token, and delete.
public final class SourceRoutes {

    private static final int TOKEN_LENGTH = 32;

    /// How long the previous token is accepted after a rotation, in seconds, unless the request
    /// says otherwise: one day.
    private static final int DEFAULT_OVERLAP_SECONDS = 86_400;

    /// The maximum value of `overlap_seconds` in a rotation request: one week.
    private static final int MAX_OVERLAP_SECONDS = 604_800;

    /// The default colors, assigned in turn to new sources for which the user chooses no color.
    private static final List<String> DEFAULT_COLORS =
            List.of(
                    "#2563eb", "#16a34a", "#d97706", "#dc2626", "#7c3aed", "#0891b2", "#db2777",
                    "#65a30d");

    private final Db db;
    private final SourceStore sources;
    private final PlanCaps planCaps;
    private final CustomHeaderRules headerRules;
    private final ConfigurationWriter configuration;
    private final IdempotencyKeys idempotency;
    private final Uuid7 ids;
    private final String baseUrl;
    private final SecretGenerator random = new SecretGenerator();
    private final InstantSource clock;

    /// @param baseUrl the server's public address, without a slash at the end
    public SourceRoutes(
            ApiContext api,
            SourceStore sources,
            PlanCatalog plans,
            CustomHeaderRules headerRules,
            ConfigurationWriter configuration,
            IdempotencyKeys idempotency,
            String baseUrl) {
        this.baseUrl = baseUrl;
        this.db = api.db();
        this.sources = sources;
        this.planCaps = new PlanCaps(plans);
        this.headerRules = headerRules;
        this.configuration = configuration;
        this.idempotency = idempotency;
        this.ids = api.ids();
        this.clock = api.clock();
    }

    public void addTo(Api api) {
        api.post("/api/v1/sources", Gate.MEMBER, Set.of(Budget.DATABASE), this::create);
        api.get("/api/v1/sources", Gate.MEMBER, Set.of(Budget.DATABASE), this::list);
        api.get("/api/v1/sources/{id}", Gate.MEMBER, Set.of(Budget.DATABASE), this::get);
        api.patch("/api/v1/sources/{id}", Gate.MEMBER, Set.of(Budget.DATABASE), this::patch);
        api.delete("/api/v1/sources/{id}", Gate.MEMBER, Set.of(Budget.DATABASE), this::delete);
        api.post(
                "/api/v1/sources/{id}/rotate-token",
                Gate.MEMBER,
                Set.of(Budget.DATABASE),
                this::rotateToken);
    }

    private Reply create(Caller caller, Request request) throws IOException {
        var input = request.jsonBody();
        return idempotency.answer(
                request, caller.workspace().value(), keeper -> create(caller, input, keeper));
    }

    private Reply create(Caller caller, FieldReader input, AnswerKeeper keeper) {
        var fields = SourceFields.readNew(input, headerRules);
        fields.require(input);
        input.check();
        return configuration.write(
                caller.workspace(),
                (tx, version) -> {
                    var source = newSource(tx, caller, fields, version);
                    sources.insert(tx, source, version);
                    record(tx, caller, "source.created", source, input.names());
                    return keeper.keep(
                            tx,
                            Reply.created("/api/v1/sources/" + source.id(), source.json(baseUrl))
                                    .with(source.tag()));
                });
    }

    private Source newSource(Tx tx, Caller caller, SourceFields fields, long version) {
        long existing = SourceStore.count(tx, caller.workspace());
        planCaps.requireRoomForSource(tx, caller.workspace(), existing);
        var now = clock.instant();
        String token = fields.token().orElse(random.base62(TOKEN_LENGTH));
        if (!TokenStore.take(tx, caller.workspace(), token, now, version)) {
            throw new ApiException(
                    ApiErrorCode.CONFLICT, "token is in use already. Choose another one.");
        }
        return new Source(
                new SourceId(ids.next()),
                caller.workspace(),
                token,
                fields.newSpec(DEFAULT_COLORS.get((int) (existing % DEFAULT_COLORS.size()))),
                now,
                now);
    }

    private Reply list(Caller caller, Request request) {
        var query = new QueryParameters(request);
        var page = Page.of(query);
        String q = query.searchText().orElse("");
        query.check();
        return db.call(tx -> {
            var listed = sources.list(tx, caller.workspace(), q, page.offset(), page.limit());
            var counts = SourceStore.eventCounts(tx, listed.stream().map(Source::id).toList());
            return Reply.ok(
                    JsonObject.items(listed.stream().map(source -> item(source, counts)).toList())
                            .put("total", SourceStore.count(tx, caller.workspace(), q)));
        });
    }

    private JsonObject item(Source source, Map<SourceId, Long> counts) {
        return source.json(baseUrl).put("event_count", counts.getOrDefault(source.id(), 0L));
    }

    private Reply get(Caller caller, Request request) {
        var id = new SourceId(request.id("source"));
        return reply(orNotFound(db.call(tx -> sources.find(tx, caller.workspace(), id))));
    }

    private Reply reply(Source source) {
        return Reply.ok(source.json(baseUrl)).with(source.tag());
    }

    private Reply patch(Caller caller, Request request) throws IOException {
        var id = new SourceId(request.id("source"));
        var input = request.jsonBody();
        var fields = SourceFields.readChange(input, headerRules);
        fields.refuseClearing(input);
        input.check();
        var condition = request.ifMatch();
        var patched =
                configuration.write(
                        caller.workspace(),
                        (tx, version) -> {
                            var before = orNotFound(sources.find(tx, caller.workspace(), id));
                            condition.require(before.tag(), "source");
                            var after = before.with(fields.applyTo(before.spec()), clock.instant());
                            sources.update(tx, before, after, version);
                            record(tx, caller, "source.updated", after, input.names());
                            return after;
                        });
        return reply(patched);
    }

    private Reply delete(Caller caller, Request request) {
        var id = new SourceId(request.id("source"));
        var condition = request.ifMatch();
        return configuration.write((tx, version) -> {
            var source = orNotFound(sources.find(tx, caller.workspace(), id));
            condition.require(source.tag(), "source");
            TrashStore.moveToTrash(tx, caller.workspace(), id, clock.instant(), version);
            record(tx, caller, "source.deleted", source, Set.of());
            return Reply.noContent();
        });
    }

    private Reply rotateToken(Caller caller, Request request) throws IOException {
        var id = new SourceId(request.id("source"));
        var input = request.optionalJsonBody();
        return idempotency.answer(
                request,
                caller.workspace().value(),
                keeper -> rotateToken(caller, id, input, keeper));
    }

    private Reply rotateToken(Caller caller, SourceId id, FieldReader input, AnswerKeeper keeper) {
        var overlap =
                input.integer("overlap_seconds", 0, MAX_OVERLAP_SECONDS)
                        .orElse(DEFAULT_OVERLAP_SECONDS);
        input.check();
        return configuration.writeUncapped(
                caller.workspace(),
                (tx, version) -> {
                    var before = orNotFound(sources.find(tx, caller.workspace(), id));
                    var after =
                            before.rotated(
                                    random.base62(TOKEN_LENGTH),
                                    Duration.ofSeconds(overlap),
                                    clock.instant());
                    TokenStore.rotate(tx, after, version);
                    record(tx, caller, "source.token_rotated", after, Set.of());
                    return keeper.keep(tx, reply(after));
                });
    }

    private static void record(
            Tx tx, Caller caller, String action, Source source, Set<String> fields) {
        caller.record(tx, action, source.id().value(), source.spec().name(), fields);
    }

    private static Source orNotFound(Optional<Source> source) {
        return source.orElseThrow(() -> ApiException.notFound("source"));
    }
}
