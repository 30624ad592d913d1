package dev.sluice.features.recovery;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.json.JsonObject;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;

/// The routes that mark dead letters as resolved (`POST /api/v1/dlq/dismiss`) and that remove the
/// mark (`POST /api/v1/dlq/undismiss`).
///
/// Each request works in small transactions and stops after a few seconds. The reply says whether
/// all selected dead letters were handled. If not, the reply contains a cursor. The same request,
/// sent again with this cursor, continues where the first one stopped.
public final class DismissalRoutes {

    /// The time after which a request starts no more chunks, each of which is one transaction. The
    /// first chunk always runs.
    private static final Duration REQUEST_BUDGET = Duration.ofSeconds(5);

    private static final int MAX_CHUNK_ROWS = 2_000;

    /// The connections and the range of delivery ids in which a request looks for dead letters.
    ///
    /// @param connections the selected connections of each source, in order of the source ids
    /// @param asOf when the first request began; dead letters that ended later are not dismissed
    record DismissalScope(Map<SourceId, List<UUID>> connections, IdRange ids, Instant asOf) {}

    /// Dismisses or undismisses one chunk of a source's dead letters.
    @FunctionalInterface
    interface ChunkStep {
        DismissalStore.DismissalChunk run(SourceId source, List<UUID> connections, IdRange ids);
    }

    /// The result of a request.
    ///
    /// @param changed the number of dead letters that were dismissed or undismissed
    /// @param rest where to continue; empty if all selected dead letters were handled
    record DismissalProgress(int changed, Optional<DismissalCursor> rest) {

        private JsonObject json(String name, String request) {
            return new JsonObject()
                    .put(name, changed)
                    .put("is_complete", rest.isEmpty())
                    .put("next_cursor", rest.map(cursor -> cursor.text(request)));
        }
    }

    private final Db db;
    private final PlanCatalog plans;
    private final InstantSource clock;

    public DismissalRoutes(Db db, PlanCatalog plans, InstantSource clock) {
        this.db = db;
        this.plans = plans;
        this.clock = clock;
    }

    public void addTo(Api api) {
        api.post("/api/v1/dlq/dismiss", Gate.MEMBER, Set.of(Budget.DATABASE), this::dismiss);
        api.post("/api/v1/dlq/undismiss", Gate.MEMBER, Set.of(Budget.DATABASE), this::undismiss);
    }

    private Reply dismiss(Caller caller, Request request) throws IOException {
        return mark(
                caller,
                request,
                "dismissed",
                false,
                (criteria, asOf) ->
                        (source, connections, ids) ->
                                db.call(tx ->
                                        DismissalStore.dismiss(
                                                tx,
                                                source,
                                                connections,
                                                criteria,
                                                ids,
                                                asOf,
                                                MAX_CHUNK_ROWS)));
    }

    private Reply undismiss(Caller caller, Request request) throws IOException {
        return mark(
                caller,
                request,
                "undismissed",
                true,
                (criteria, _) ->
                        (source, connections, ids) ->
                                db.call(tx ->
                                        DismissalStore.undismiss(
                                                tx,
                                                source,
                                                connections,
                                                criteria,
                                                ids,
                                                MAX_CHUNK_ROWS)));
    }

    /// @param what the past participle of the operation, such as `dismissed`; also used as the name
    ///   of a field in the reply
    /// @param resolved whether the operation applies to resolved dead letters
    /// @param step returns the step that handles one chunk, given the criteria and the time when
    ///   the first request began
    private Reply mark(
            Caller caller,
            Request request,
            String what,
            boolean resolved,
            BiFunction<DeadLetterCriteria, Instant, ChunkStep> step)
            throws IOException {
        var input = request.jsonBody();
        var criteria = DeadLetterCriteria.read(input, resolved);
        // The name identifies the request that a cursor belongs to. It includes the workspace
        // because a session's workspace can change between two requests.
        String name = what + " " + caller.workspace() + " " + criteria;
        var cursor = input.parsed("cursor", text -> DismissalCursor.parse(text, name)).toOptional();
        input.check();
        var now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        var asOf =
                cursor.map(DismissalCursor::asOf).filter(begun -> begun.isBefore(now)).orElse(now);
        var scope = scope(caller, criteria, now, asOf);
        if (cursor.isEmpty()) {
            record(caller, "dead_letters." + what, input.names());
        }
        var progress = runChunks(scope, cursor, REQUEST_BUDGET, step.apply(criteria, scope.asOf()));
        if (cursor.isPresent() && progress.changed() > 0) {
            record(caller, "dead_letters." + what, input.names());
        }
        return Reply.ok(progress.json(what, name));
    }

    private DismissalScope scope(
            Caller caller, DeadLetterCriteria criteria, Instant now, Instant asOf) {
        return db.snapshot(tx -> {
            Map<SourceId, List<UUID>> bySource = new LinkedHashMap<>();
            for (var found :
                    DeadLetterConnectionQueries.matching(tx, caller.workspace(), criteria)) {
                bySource.computeIfAbsent(found.source(), _ -> new ArrayList<>())
                        .add(found.connection().value());
            }
            var since =
                    plans.ofWorkspace(tx, caller.workspace())
                            .limits()
                            .retention()
                            .expiryCutoff(now);
            return new DismissalScope(bySource, criteria.ids(since), asOf);
        });
    }

    private void record(Caller caller, String action, Set<String> fields) {
        db.run(tx -> caller.record(tx, action, caller.workspace().value(), "", fields));
    }

    /// Runs chunks until all are done or the time budget is used up. Runs at least one chunk, if
    /// there are any. A source without matching dead letters also takes one chunk.
    ///
    /// @param cursor where an earlier request stopped; empty for the first request
    static DismissalProgress runChunks(
            DismissalScope scope,
            Optional<DismissalCursor> cursor,
            Duration budget,
            ChunkStep step) {
        long start = System.nanoTime();
        boolean isFirst = true;
        int changed = 0;
        for (var entry : scope.connections().entrySet()) {
            var source = entry.getKey();
            var ids = cursor.map(place -> place.left(source, scope.ids())).orElse(scope.ids());
            while (!ids.isEmpty()) {
                if (!isFirst && System.nanoTime() - start >= budget.toNanos()) {
                    return new DismissalProgress(
                            changed,
                            Optional.of(new DismissalCursor(source, ids.low(), scope.asOf())));
                }
                isFirst = false;
                var chunk = step.run(source, entry.getValue(), ids);
                changed += chunk.changed();
                if (chunk.last().isEmpty()) {
                    break;
                }
                ids = new IdRange(following(chunk.last().get()), ids.high());
            }
        }
        return new DismissalProgress(changed, Optional.empty());
    }

    private static UUID following(UUID id) {
        return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits() + 1);
    }
}
