package dev.sluice.account.access;

import dev.sluice.account.plan.MinuteWindow;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.Request;

import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/// The management API's rate limits: the numbers of requests that may be made in one clock minute.
///
/// The keys of a workspace together have the limit of the workspace's plan. Requests with a session
/// do not count towards it. They have two limits of their own, which are the same for all plans and
/// which nobody reaches by hand: one for each account, over all its sessions and workspaces, and
/// one for each workspace, over all sessions in it.
///
/// Requests are counted in the database, in the transaction that looks up the key or session, so
/// all nodes share one count. The tables are unlogged, so counting does not wait for a flush to
/// disk. Thread-safe.
final class ApiRateLimiter {

    static final int MAX_SESSION_REQUESTS_OF_ACCOUNT = 3_000;
    static final int MAX_SESSION_REQUESTS_OF_WORKSPACE = 6_000;

    /// Which limit a request counts towards.
    private enum Limit {
        PLAN("The workspace's plan allows %d requests a minute."),
        ACCOUNT("Your account may make %d requests a minute while signed in."),
        WORKSPACE("The people of a workspace together may make %d requests a minute.");

        private final String rule;

        Limit(String rule) {
            this.rule = rule;
        }

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// The state of a rate limit after a request.
    ///
    /// @param max requests per minute
    /// @param remaining requests left in this minute
    /// @param resetSeconds seconds until the next minute
    /// @param isExceeded whether this request is over the limit
    record ApiRateLimitStatus(
            Limit limit, int max, int remaining, int resetSeconds, boolean isExceeded) {

        private static ApiRateLimitStatus of(
                Limit limit, int max, Optional<Integer> counted, Instant now) {
            return new ApiRateLimitStatus(
                    limit,
                    max,
                    max - counted.orElse(max),
                    MinuteWindow.secondsLeft(now),
                    counted.isEmpty());
        }

        /// Returns the headers defined in version 6 of the IETF draft "RateLimit header fields for
        /// HTTP".
        List<Header> headers() {
            return List.of(
                    new Header("RateLimit-Limit", Integer.toString(max)),
                    new Header("RateLimit-Remaining", Integer.toString(remaining)),
                    new Header("RateLimit-Reset", Integer.toString(resetSeconds)));
        }

        private ApiException refusal() {
            return new ApiException(
                            ApiErrorCode.RATE_LIMITED,
                            limit.rule.formatted(max) + " Try again in " + resetSeconds + " s.")
                    .withHeader(new Header("Retry-After", Integer.toString(resetSeconds)));
        }
    }

    private final PlanCatalog plans;

    /// Replaces each limit if it is not empty.
    private volatile OptionalInt replacement = OptionalInt.empty();

    private final Map<Limit, LongAdder> refused = new EnumMap<>(Limit.class);

    ApiRateLimiter(PlanCatalog plans) {
        this.plans = plans;
        for (var limit : Limit.values()) {
            refused.put(limit, new LongAdder());
        }
    }

    /// Counts a request with a key, unless it is over the limit. Returns the limit's state, or
    /// empty if the plan has no limit.
    ///
    /// @param plan the name of the workspace's plan
    Optional<ApiRateLimitStatus> countRequest(
            Tx tx, WorkspaceId workspace, String plan, Instant now) {
        var ofPlan = plans.byNameOrLast(plan).limits().apiRequestsPerMinute();
        var max = replacement.isPresent() ? replacement : ofPlan;
        if (max.isEmpty()) {
            return Optional.empty();
        }
        var count =
                max.getAsInt() == 0
                        ? Optional.<Integer>empty()
                        : ApiUseStore.increment(
                                tx, workspace, MinuteWindow.number(now), max.getAsInt());
        return Optional.of(ApiRateLimitStatus.of(Limit.PLAN, max.getAsInt(), count, now));
    }

    /// Counts a request with a session, unless it is over a limit. Returns the state of the limit
    /// that has fewer requests left.
    ///
    /// The account's limit is always counted first, so two transactions cannot wait for each other.
    ///
    /// @param workspace the workspace that the request is for; empty if there is none
    ApiRateLimitStatus countSessionRequest(
            Tx tx, UUID account, Optional<WorkspaceId> workspace, Instant now) {
        var ofAccount =
                countSessionRequest(
                        tx, Limit.ACCOUNT, account, MAX_SESSION_REQUESTS_OF_ACCOUNT, now);
        if (workspace.isEmpty() || ofAccount.isExceeded()) {
            return ofAccount;
        }
        var ofWorkspace =
                countSessionRequest(
                        tx,
                        Limit.WORKSPACE,
                        workspace.get().value(),
                        MAX_SESSION_REQUESTS_OF_WORKSPACE,
                        now);
        return ofWorkspace.isExceeded() || ofWorkspace.remaining() < ofAccount.remaining()
                ? ofWorkspace
                : ofAccount;
    }

    private ApiRateLimitStatus countSessionRequest(
            Tx tx, Limit limit, UUID owner, int usual, Instant now) {
        int max = replacement.orElse(usual);
        var count =
                max == 0
                        ? Optional.<Integer>empty()
                        : SessionUseStore.increment(tx, owner, MinuteWindow.number(now), max);
        return ApiRateLimitStatus.of(limit, max, count, now);
    }

    /// Replaces all limits by one number, for tests.
    ///
    /// @param max empty for the usual limits
    void replaceLimits(OptionalInt max) {
        replacement = max;
    }

    /// Adds the limit's headers to the reply.
    ///
    /// @throws ApiException 429 if the request is over the limit
    void apply(ApiRateLimitStatus status, Request request) {
        request.addExtraHeaders(status.headers());
        if (status.isExceeded()) {
            Objects.requireNonNull(refused.get(status.limit())).increment();
            throw status.refusal();
        }
    }

    /// Returns how many requests were over each limit, by the limit's name.
    Map<String, Long> refused() {
        return refused.entrySet().stream()
                .collect(
                        Collectors.toMap(
                                entry -> entry.getKey().label(), entry -> entry.getValue().sum()));
    }
}
