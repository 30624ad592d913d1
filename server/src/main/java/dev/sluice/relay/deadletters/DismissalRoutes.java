package dev.sluice.relay.deadletters;

import dev.sluice.account.access.Authenticator;
import dev.sluice.account.access.Caller;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.json.JsonObject;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/// `POST /api/v1/dlq/dismiss` and `POST /api/v1/dlq/undismiss`: marks dead letters as resolved, and
/// takes the mark back.
///
/// A request works in small transactions for a few seconds at most. The answer says whether it
/// reached the end; if not, the same request goes on.
public final class DismissalRoutes {

    private static final Duration REQUEST_BUDGET = Duration.ofSeconds(5);
    private static final int MAX_CHUNK_ROWS = 2_000;

    /// What a request is about.
    ///
    /// @param connections the connections of each source
    private record DismissalScope(Map<SourceId, List<UUID>> connections, IdRange ids) {}

    /// Works through one chunk of a source.
    @FunctionalInterface
    private interface ChunkStep {
        DismissalStore.DismissalChunk run(
                Tx tx, SourceId source, List<UUID> connections, IdRange ids);
    }

    private record DismissalCount(int changed, boolean isComplete) {

        private JsonObject json(String name) {
            return new JsonObject().put(name, changed).put("is_complete", isComplete);
        }
    }

    private final Db db;
    private final Authenticator authenticator;
    private final PlanCatalog plans;
    private final InstantSource clock;
    private final Duration budget;

    public DismissalRoutes(
            Db db, Authenticator authenticator, PlanCatalog plans, InstantSource clock) {
        this(db, authenticator, plans, clock, REQUEST_BUDGET);
    }

    /// @param budget how long a request may work; its first chunk is always done
    DismissalRoutes(
            Db db,
            Authenticator authenticator,
            PlanCatalog plans,
            InstantSource clock,
            Duration budget) {
        this.db = db;
        this.authenticator = authenticator;
        this.plans = plans;
        this.clock = clock;
        this.budget = budget;
    }

    public void addTo(Router router) {
        router.post("/api/v1/dlq/dismiss", this::dismiss);
        router.post("/api/v1/dlq/undismiss", this::undismiss);
    }

    private Reply dismiss(Request request) throws IOException {
        var caller = authenticator.authenticate(request);
        var input = request.jsonBody();
        var criteria = DeadLetterCriteria.read(input, false);
        input.check();
        var now = clock.instant();
        var scope = scope(caller, criteria, now);
        record(caller, "dead_letters.dismissed", input.names());
        return Reply.ok(
                runChunks(
                                scope,
                                (tx, source, connections, ids) ->
                                        DismissalStore.dismiss(
                                                tx,
                                                source,
                                                connections,
                                                criteria,
                                                ids,
                                                now,
                                                MAX_CHUNK_ROWS))
                        .json("dismissed"));
    }

    private Reply undismiss(Request request) throws IOException {
        var caller = authenticator.authenticate(request);
        var input = request.jsonBody();
        var criteria = DeadLetterCriteria.read(input, true);
        input.check();
        var scope = scope(caller, criteria, clock.instant());
        record(caller, "dead_letters.undismissed", input.names());
        return Reply.ok(
                runChunks(
                                scope,
                                (tx, source, connections, ids) ->
                                        DismissalStore.undismiss(
                                                tx,
                                                source,
                                                connections,
                                                criteria,
                                                ids,
                                                MAX_CHUNK_ROWS))
                        .json("undismissed"));
    }

    private DismissalScope scope(Caller caller, DeadLetterCriteria criteria, Instant now) {
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
            return new DismissalScope(bySource, criteria.ids(since));
        });
    }

    private void record(Caller caller, String action, Set<String> fields) {
        db.run(tx -> caller.record(tx, action, caller.workspace().value(), "", fields));
    }

    private DismissalCount runChunks(DismissalScope scope, ChunkStep step) {
        long start = System.nanoTime();
        int changed = 0;
        for (var source : scope.connections().entrySet()) {
            for (var ids = scope.ids(); !ids.isEmpty(); ) {
                var rest = ids;
                var chunk = db.call(tx -> step.run(tx, source.getKey(), source.getValue(), rest));
                changed += chunk.changed();
                if (chunk.last().isEmpty()) {
                    break;
                }
                ids = new IdRange(following(chunk.last().get()), ids.high());
                if (System.nanoTime() - start >= budget.toNanos()) {
                    return new DismissalCount(changed, false);
                }
            }
        }
        return new DismissalCount(changed, true);
    }

    private static UUID following(UUID id) {
        return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits() + 1);
    }
}
