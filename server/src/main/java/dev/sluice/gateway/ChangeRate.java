package dev.sluice.gateway;

import dev.sluice.account.access.LeastRecentlyUsed;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.http.ApiException;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;

/// Limits how fast a workspace changes its configuration through this node, whoever makes the
/// changes. A workspace may save up [#BURST] units and gets [#UNITS_PER_SECOND] back each second. A
/// change costs one unit, and one more for every 4 KiB of rows that it writes, because replaced
/// rows take space on the disk until the database has cleaned up.
///
/// What a change costs is known once it is made, so a large one may leave a workspace with a debt.
/// The balances are kept in memory for up to 50,000 workspaces. Thread-safe.
public final class ChangeRate {

    static final int BURST = 12_000;
    static final int UNITS_PER_SECOND = 10;

    private static final int BYTES_PER_UNIT = 4 * 1024;
    private static final int MAX_WORKSPACES = 50_000;

    /// @param units what the workspace had at this time; negative after a large change
    private record Balance(double units, Instant at) {

        /// Returns the balance at a later time. A clock that was set back adds nothing.
        Balance at(Instant now) {
            double seconds = Math.max(0, Duration.between(at, now).toMillis()) / 1000.0;
            return new Balance(Math.min(BURST, units + seconds * UNITS_PER_SECOND), now);
        }
    }

    private final InstantSource clock;
    private final Map<WorkspaceId, Balance> balances = new LeastRecentlyUsed<>(MAX_WORKSPACES);

    public ChangeRate(InstantSource clock) {
        this.clock = clock;
    }

    /// Charges a workspace for a change that it is about to make.
    ///
    /// @throws ApiException 429 if the workspace has changed its configuration too fast; nothing is
    ///   charged then
    public synchronized void begin(WorkspaceId workspace) {
        var balance = present(workspace);
        balances.put(workspace, balance);
        if (balance.units() < 1) {
            throw ApiException.tooMany(
                    "A workspace may change its configuration "
                            + 60 * UNITS_PER_SECOND
                            + " times a minute, fewer if the changes are large.",
                    Duration.ofMillis(
                            (long) Math.ceil((1 - balance.units()) * 1000 / UNITS_PER_SECOND)));
        }
        balances.put(workspace, new Balance(balance.units() - 1, balance.at()));
    }

    /// Charges a workspace for the rows that a change has written.
    synchronized void wrote(WorkspaceId workspace, long bytes) {
        var balance = present(workspace);
        long units = bytes / BYTES_PER_UNIT; // a smaller rest is free
        balances.put(workspace, new Balance(balance.units() - units, balance.at()));
    }

    private Balance present(WorkspaceId workspace) {
        var now = clock.instant();
        var known = balances.get(workspace);
        return known == null ? new Balance(BURST, now) : known.at(now);
    }
}
