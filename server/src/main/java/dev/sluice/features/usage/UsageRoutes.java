package dev.sluice.features.usage;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.account.plan.ConfigurationUse;
import dev.sluice.account.plan.MinuteWindow;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.json.JsonObject;

import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.ToLongBiFunction;

/// The route `GET /api/v1/usage`, which returns how much of its plan's limits a workspace has used.
public final class UsageRoutes {

    private final Db db;
    private final PlanCatalog plans;
    private final ToLongBiFunction<Tx, WorkspaceId> openStreams;
    private final InstantSource clock;

    /// @param openStreams returns how many streams a workspace has open, counting all nodes
    public UsageRoutes(
            Db db,
            PlanCatalog plans,
            ToLongBiFunction<Tx, WorkspaceId> openStreams,
            InstantSource clock) {
        this.db = db;
        this.plans = plans;
        this.openStreams = openStreams;
        this.clock = clock;
    }

    public void addTo(Api api) {
        api.get("/api/v1/usage", Gate.MEMBER, Set.of(Budget.DATABASE), this::get);
    }

    private Reply get(Caller caller, Request request) {
        return Reply.ok(db.snapshot(tx -> json(tx, caller.workspace(), clock.instant())));
    }

    private JsonObject json(Tx tx, WorkspaceId workspace, Instant now) {
        String plan = WorkspaceStore.find(tx, workspace).orElseThrow().plan();
        var limits = plans.byNameOrLast(plan).limits();
        var month = now.atOffset(ZoneOffset.UTC).truncatedTo(ChronoUnit.DAYS).withDayOfMonth(1);
        var start = month.toInstant();
        var end = month.plusMonths(1).toInstant();
        return new JsonObject()
                .put("plan", plan)
                .put("period", new JsonObject().put("start", start).put("end", end))
                .put(
                        "events",
                        used(
                                Optional.of(LimitUsageQueries.events(tx, workspace, start, end)),
                                limits.eventsPerMonth()))
                .put(
                        "api_requests",
                        used(
                                        apiRequests(
                                                tx, workspace, limits.apiRequestsPerMinute(), now),
                                        asLong(limits.apiRequestsPerMinute()))
                                .put("resets_at", endOfMinute(now)))
                .put(
                        "sources",
                        used(
                                Optional.of(LimitUsageQueries.sourceCount(tx, workspace)),
                                asLong(limits.sources())))
                .put(
                        "destinations",
                        used(
                                Optional.of(LimitUsageQueries.destinationCount(tx, workspace)),
                                asLong(limits.destinations())))
                .put(
                        "connections_per_source",
                        used(
                                Optional.of(
                                        LimitUsageQueries.mostConnectionsOfSource(tx, workspace)),
                                OptionalLong.of(limits.connectionsPerSource())))
                .put(
                        "concurrent_streams",
                        used(
                                Optional.of(openStreams.applyAsLong(tx, workspace)),
                                asLong(limits.concurrentStreams())))
                .put(
                        "configuration_bytes",
                        used(
                                Optional.of(ConfigurationUse.of(tx, workspace).bytes()),
                                limits.configurationBytes()));
    }

    /// Returns the number of API requests in the current minute. Returns empty if the plan has no
    /// limit, because requests are not counted in that case.
    private static Optional<Long> apiRequests(
            Tx tx, WorkspaceId workspace, OptionalInt limit, Instant now) {
        return limit.isEmpty()
                ? Optional.empty()
                : Optional.of((long) LimitUsageQueries.apiRequests(tx, workspace, now));
    }

    private static Instant endOfMinute(Instant now) {
        return now.truncatedTo(ChronoUnit.SECONDS).plusSeconds(MinuteWindow.secondsLeft(now));
    }

    private static OptionalLong asLong(OptionalInt limit) {
        return limit.isPresent() ? OptionalLong.of(limit.getAsInt()) : OptionalLong.empty();
    }

    private static JsonObject used(Optional<Long> used, OptionalLong limit) {
        return new JsonObject()
                .put("used", used)
                .put(
                        "limit",
                        limit.isPresent() ? Optional.of(limit.getAsLong()) : Optional.empty());
    }
}
