package dev.sluice.relay.replay;

import dev.sluice.account.access.Authenticator;
import dev.sluice.account.access.Caller;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.JsonObject;
import dev.sluice.relay.deadletters.DeadLetterConnection;
import dev.sluice.relay.deadletters.DeadLetterConnectionQueries;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// `POST /api/v1/dlq/resend`: resends the unresolved dead letters that a filter finds, on any
/// number of connections.
///
/// The resends are always made by one job, which can be paused, slowed down and cancelled. A dry
/// run only counts.
public final class DeadLetterResendRoutes {

    /// What a request selects.
    ///
    /// @param hasUnreachable whether connections were left out because nothing can be sent to them
    private record SelectedConnections(List<ResendSelection> selections, boolean hasUnreachable) {}

    /// A part of the selection that has something to resend.
    private record CountedSelections(
            List<ResendSelection> selections, long count, boolean isExact) {

        /// Returns the number of resends to expect under this limit.
        ResendEstimate estimate(Optional<Long> maxCreated) {
            long max = maxCreated.orElse(Long.MAX_VALUE);
            return new ResendEstimate(Math.min(count, max), isExact || count >= max, List.of());
        }
    }

    private final Db db;
    private final Authenticator authenticator;
    private final PlanCatalog plans;
    private final Runnable onJob;
    private final Uuid7 ids;
    private final InstantSource clock;

    /// @param onJob called when a job was created; must be quick
    public DeadLetterResendRoutes(
            Db db,
            Authenticator authenticator,
            PlanCatalog plans,
            Runnable onJob,
            Uuid7 ids,
            InstantSource clock) {
        this.db = db;
        this.authenticator = authenticator;
        this.plans = plans;
        this.onJob = onJob;
        this.ids = ids;
        this.clock = clock;
    }

    public void addTo(Router router) {
        router.post("/api/v1/dlq/resend", this::resend);
    }

    private Reply resend(Request request) throws IOException {
        var caller = authenticator.authenticate(request);
        var input = request.jsonBody();
        var resendRequest = DeadLetterResendRequest.read(input);
        // read before the count, so that events resent during the count are not resent again
        var askedAt = clock.instant();
        var selected = selected(caller, resendRequest, askedAt);
        var counted = count(selected, resendRequest.maxCreated());
        var estimate = counted.estimate(resendRequest.maxCreated());
        if (resendRequest.isDryRun()) {
            return Reply.ok(
                    new JsonObject()
                            .put("dry_run", true)
                            .put("created", 0)
                            .put("would_create", estimate.count())
                            .put("is_exact", estimate.isExact()));
        }
        var planned =
                new JsonObject()
                        .put("created", estimate.count())
                        .put("is_exact", estimate.isExact());
        return Reply.json(
                202,
                counted.selections().isEmpty()
                        ? planned.put("reason", reason(selected))
                        : planned.put(
                                "replay_id",
                                startJob(
                                        caller,
                                        input.names(),
                                        resendRequest,
                                        counted,
                                        estimate,
                                        askedAt)));
    }

    private static String reason(SelectedConnections selected) {
        return selected.hasUnreachable()
                ? "Nothing was resent: what matches is resolved, or belongs to connections that are"
                        + " disabled or deleted."
                : "Nothing was resent: no unresolved dead letter matches.";
    }

    private SelectedConnections selected(
            Caller caller, DeadLetterResendRequest resendRequest, Instant askedAt) {
        return db.snapshot(tx -> {
            var criteria = resendRequest.criteria();
            var connections =
                    DeadLetterConnectionQueries.matching(tx, caller.workspace(), criteria);
            var since =
                    plans.ofWorkspace(tx, caller.workspace())
                            .limits()
                            .retention()
                            .expiryCutoff(clock.instant());
            var range = criteria.ids(since);
            var condition =
                    new FailureCondition(criteria.code(), criteria.responseStatus(), askedAt);
            return new SelectedConnections(
                    range.isEmpty()
                            ? List.of()
                            : connections.stream()
                                    .filter(DeadLetterConnection::isResendable)
                                    .map(one ->
                                            new ResendSelection(
                                                    one.source(),
                                                    one.connection(),
                                                    criteria.statuses(),
                                                    range.low(),
                                                    range.high(),
                                                    Optional.of(condition)))
                                    .toList(),
                    connections.stream().anyMatch(one -> !one.isResendable()));
        });
    }

    /// Counts the selections one after the other, until the time is over or the limit is reached.
    /// Keeps those that have something to resend, or were not counted.
    private CountedSelections count(SelectedConnections selected, Optional<Long> maxCreated) {
        long start = System.nanoTime();
        long max = maxCreated.orElse(Long.MAX_VALUE);
        long count = 0;
        boolean isExact = true;
        var kept = new ArrayList<ResendSelection>();
        for (var selection : selected.selections()) {
            var left = ResendEstimate.COUNT_TIMEOUT.minusNanos(System.nanoTime() - start);
            if (left.isNegative() || count >= max) {
                isExact = false;
                kept.add(selection);
                continue;
            }
            var estimate = ResendEstimate.of(db, selection, left, max - count);
            if (!estimate.isEmpty()) {
                kept.add(selection);
            }
            count += estimate.count();
            isExact &= estimate.isExact();
        }
        return new CountedSelections(kept, count, isExact);
    }

    private UUID startJob(
            Caller caller,
            Set<String> fields,
            DeadLetterResendRequest resendRequest,
            CountedSelections counted,
            ResendEstimate estimate,
            Instant askedAt) {
        UUID id = ids.next();
        var criteria = resendRequest.criteria();
        var connections = counted.selections().stream().map(ResendSelection::connection).toList();
        var scope =
                new ReplayScope(
                        connections,
                        counted.selections().stream()
                                .skip(1)
                                .map(one ->
                                        new ReplayScope.WaitingConnection(
                                                one.connection(), one.source(), one.after()))
                                .toList(),
                        resendRequest.maxCreated(),
                        resendRequest.perSecond());
        db.run(tx -> {
            caller.record(tx, "replay.started", id, "", fields);
            var createdAt = ReplayStore.nextCreatedAt(tx, caller.workspace(), connections, askedAt);
            ReplayStore.insert(
                    tx,
                    Replay.started(
                            id,
                            caller.workspace(),
                            counted.selections().getFirst(),
                            scope,
                            new BulkResendRequest.ArrivalPeriod(
                                    criteria.receivedAfter(), criteria.receivedBefore()),
                            estimate,
                            Replay.creationTime(id, createdAt)));
        });
        onJob.run();
        return id;
    }
}
