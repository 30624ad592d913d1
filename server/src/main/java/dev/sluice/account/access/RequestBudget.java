package dev.sluice.account.access;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.ErrorStatus;
import dev.sluice.platform.http.Header;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Requests that a workspace's keys may make in a minute of the clock, by its plan.
///
/// They are counted in the database, in the transaction that looks the key up, so the number is
/// exact over all nodes. The table is unlogged: counting waits for no flush.
final class RequestBudget {

    private static final int MINUTE = 60;

    /// How a workspace stands after one more request.
    ///
    /// @param reset seconds until the next minute
    record Standing(int limit, int remaining, int reset, boolean isOver) {

        /// As in the IETF's draft "RateLimit header fields for HTTP", version 6.
        List<Header> headers() {
            return List.of(
                    new Header("RateLimit-Limit", Integer.toString(limit)),
                    new Header("RateLimit-Remaining", Integer.toString(remaining)),
                    new Header("RateLimit-Reset", Integer.toString(reset)));
        }

        ApiException refusal() {
            return new ApiException(
                            ErrorStatus.RATE_LIMITED,
                            "The workspace's plan allows "
                                    + limit
                                    + " requests a minute. Try again in "
                                    + reset
                                    + " s.")
                    .with(new Header("Retry-After", Integer.toString(reset)));
        }
    }

    private final PlanCatalog plans;

    RequestBudget(PlanCatalog plans) {
        this.plans = plans;
    }

    /// Counts a request; empty when the plan has no limit.
    ///
    /// @param plan the name of the workspace's
    Optional<Standing> spend(Tx tx, WorkspaceId workspace, String plan, Instant now) {
        var limit = plans.named(plan).limits().apiRequestsPerMinute();
        if (limit.isEmpty()) {
            return Optional.empty();
        }
        int most = limit.getAsInt();
        var count = most == 0 ? Optional.<Integer>empty() : count(tx, workspace, most, now);
        int reset = MINUTE - Math.floorMod(now.getEpochSecond(), MINUTE);
        return Optional.of(new Standing(most, most - count.orElse(most), reset, count.isEmpty()));
    }

    /// The requests of this minute, this one included; empty when there were `most` before. A count
    /// of the next minute stands: another node's clock is a little ahead. Any other is of the past,
    /// or of a clock that was set back.
    private static Optional<Integer> count(Tx tx, WorkspaceId workspace, int most, Instant now) {
        return tx.one(
                """
                insert into api_use (workspace_id, minute, n)
                values (?, ?, 1)
                on conflict (workspace_id) do update
                   set n = case when api_use.minute in (excluded.minute, excluded.minute + 1)
                                then api_use.n + 1 else 1 end,
                       minute = case when api_use.minute = excluded.minute + 1
                                     then api_use.minute else excluded.minute end
                 where api_use.minute not in (excluded.minute, excluded.minute + 1) or api_use.n < ?
                returning n
                """,
                row -> row.integer("n"),
                workspace.value(),
                now.getEpochSecond() / MINUTE,
                most);
    }
}
