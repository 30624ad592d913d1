package dev.sluice.account.access;

import dev.sluice.account.plan.MinuteWindow;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Header;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The management API's rate limit: the number of requests that all of a workspace's keys together
/// may make in one clock minute. The workspace's plan sets the limit.
///
/// Requests are counted in the database, in the transaction that looks up the key, so all nodes
/// share one count. The table is unlogged, so counting does not wait for a flush to disk.
/// Thread-safe.
final class ApiRateLimiter {

    /// The state of a workspace's rate limit after a request.
    ///
    /// @param limit requests per minute
    /// @param remaining requests left in this minute
    /// @param resetSeconds seconds until the next minute
    /// @param isExceeded whether this request is over the limit
    record ApiRateLimitStatus(int limit, int remaining, int resetSeconds, boolean isExceeded) {

        /// Returns the headers defined in version 6 of the IETF draft "RateLimit header fields for
        /// HTTP".
        List<Header> headers() {
            return List.of(
                    new Header("RateLimit-Limit", Integer.toString(limit)),
                    new Header("RateLimit-Remaining", Integer.toString(remaining)),
                    new Header("RateLimit-Reset", Integer.toString(resetSeconds)));
        }

        ApiException refusal() {
            return new ApiException(
                            ApiErrorCode.RATE_LIMITED,
                            "The workspace's plan allows "
                                    + limit
                                    + " requests a minute. Try again in "
                                    + resetSeconds
                                    + " s.")
                    .withHeader(new Header("Retry-After", Integer.toString(resetSeconds)));
        }
    }

    private final PlanCatalog plans;

    ApiRateLimiter(PlanCatalog plans) {
        this.plans = plans;
    }

    /// Counts a request, unless it is over the limit. Returns the limit's state, or empty if the
    /// plan has no limit.
    ///
    /// @param plan the name of the workspace's plan
    Optional<ApiRateLimitStatus> countRequest(
            Tx tx, WorkspaceId workspace, String plan, Instant now) {
        var limit = plans.byNameOrLast(plan).limits().apiRequestsPerMinute();
        if (limit.isEmpty()) {
            return Optional.empty();
        }
        int max = limit.getAsInt();
        var count =
                max == 0
                        ? Optional.<Integer>empty()
                        : ApiUseStore.increment(tx, workspace, MinuteWindow.number(now), max);
        return Optional.of(
                new ApiRateLimitStatus(
                        max,
                        max - count.orElse(max),
                        MinuteWindow.secondsLeft(now),
                        count.isEmpty()));
    }
}
