package dev.sluice.features.recovery;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.ApiContext;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.account.idempotency.AnswerKeeper;
import dev.sluice.account.idempotency.IdempotencyKeys;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;
import dev.sluice.platform.loop.Wake;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// `POST /api/v1/dlq/resend`: resends the unresolved dead letters that match the request's
/// criteria, across any number of connections.
///
/// The resends are always created by one job, which can be paused, slowed down and cancelled. A dry
/// run only counts the dead letters that would be resent.
public final class DeadLetterResendRoutes {

    /// One selection for each connection that matches the request's criteria and can accept
    /// resends.
    ///
    /// @param hasUnreachable whether other matching connections were left out because they are
    ///   disabled, or because they or their destinations are deleted
    private record SelectedConnections(List<ResendSelection> selections, boolean hasUnreachable) {}

    /// The selections that have something to resend or were not fully counted, together with the
    /// number of resends counted.
    ///
    /// @param isExact whether all selections were fully counted
    private record CountedSelections(
            List<ResendSelection> selections, long count, boolean isExact) {

        /// Returns the estimated number of resends, at most `maxCreated`.
        ResendEstimate estimate(Optional<Long> maxCreated) {
            long max = maxCreated.orElse(Long.MAX_VALUE);
            return new ResendEstimate(Math.min(count, max), isExact || count >= max, List.of());
        }
    }

    private final Db db;
    private final PlanCatalog plans;
    private final IdempotencyKeys idempotency;
    private final Wake replays;
    private final Uuid7 ids;
    private final InstantSource clock;

    /// @param replays called when a job has been created
    public DeadLetterResendRoutes(
            ApiContext api, PlanCatalog plans, IdempotencyKeys idempotency, Wake replays) {
        this.db = api.db();
        this.plans = plans;
        this.idempotency = idempotency;
        this.replays = replays;
        this.ids = api.ids();
        this.clock = api.clock();
    }

    public void addTo(Api api) {
        api.post("/api/v1/dlq/resend", Gate.MEMBER, Set.of(Budget.DATABASE), this::resend);
    }

    private Reply resend(Caller caller, Request request) throws IOException {
        var input = request.jsonBody();
        return idempotency.answer(
                request, caller.workspace().value(), keeper -> resend(caller, input, keeper));
    }

    private Reply resend(Caller caller, FieldReader input, AnswerKeeper keeper) {
        var resendRequest = DeadLetterResendRequest.read(input);
        // The time is read before the count, so that events resent during the count are not resent
        // again.
        var askedAt = clock.instant();
        var selected = selected(caller, resendRequest, askedAt);
        var counted = count(selected, resendRequest.maxCreated());
        var estimate = counted.estimate(resendRequest.maxCreated());
        if (resendRequest.isDryRun()) {
            return Reply.ok(estimate.dryRunJson());
        }
        if (counted.selections().isEmpty()) {
            var nothing =
                    Reply.accepted(
                            "/api/v1/dlq", estimate.createdJson().put("reason", reason(selected)));
            return db.call(tx -> keeper.keep(tx, nothing));
        }
        return startJob(caller, input.names(), resendRequest, counted, askedAt, keeper);
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

    /// Counts the resends in each selection in turn, until the time is up or `maxCreated` is
    /// reached. Keeps only the selections that have something to resend or were not fully counted.
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

    private Reply startJob(
            Caller caller,
            Set<String> fields,
            DeadLetterResendRequest resendRequest,
            CountedSelections counted,
            Instant askedAt,
            AnswerKeeper keeper) {
        UUID id = ids.next();
        var estimate = counted.estimate(resendRequest.maxCreated());
        var reply =
                Reply.accepted(
                        "/api/v1/replays/" + id, estimate.createdJson().put("replay_id", id));
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
            ReplayStore.start(
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
            keeper.keep(tx, reply);
        });
        replays.wake();
        return reply;
    }
}
