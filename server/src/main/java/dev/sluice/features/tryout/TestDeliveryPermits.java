package dev.sluice.features.tryout;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.http.ApiErrorCode;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.share.FairShare;
import dev.sluice.platform.share.Portion;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;

/// Limits this node's test deliveries in two ways: how many are in flight, and how many each
/// workspace begins per clock minute. Workspaces share the limit on test deliveries in flight
/// according to [FairShare], so that a few workspaces cannot lock out the others.
final class TestDeliveryPermits {

    static final int MAX_IN_FLIGHT_PER_WORKSPACE = 4;
    static final int MAX_IN_FLIGHT = 64;
    static final int MAX_PER_MINUTE = 60;

    private static final long MINUTE_SECONDS = Duration.ofMinutes(1).toSeconds();

    /// Permission to make one test delivery. Closing a permit gives it back.
    @FunctionalInterface
    interface TestDeliveryPermit extends AutoCloseable {

        @Override
        void close();
    }

    private final InstantSource clock;

    /// Guarded by `this`, like the fields below.
    private final Map<WorkspaceId, Portion> inFlight = new HashMap<>();

    private final Map<WorkspaceId, Integer> begun = new HashMap<>();
    private final FairShare all = new FairShare(MAX_IN_FLIGHT);
    private long minute;

    TestDeliveryPermits(InstantSource clock) {
        this.clock = clock;
    }

    /// Takes a permit.
    ///
    /// @throws ApiException 429 if the workspace has too many test deliveries in flight or has
    ///   begun too many in the current minute, or 503 if this node has too many in flight
    synchronized TestDeliveryPermit take(WorkspaceId workspace) {
        var now = clock.instant();
        startMinute(now);
        var portion = inFlight.getOrDefault(workspace, new Portion());
        if (portion.held() >= MAX_IN_FLIGHT_PER_WORKSPACE) {
            throw ApiException.tooMany(
                    "The workspace has "
                            + MAX_IN_FLIGHT_PER_WORKSPACE
                            + " test deliveries under way, which is the most.",
                    Duration.ofSeconds(1));
        }
        if (begun.getOrDefault(workspace, 0) >= MAX_PER_MINUTE) {
            throw ApiException.tooMany(
                    "A workspace may send " + MAX_PER_MINUTE + " test deliveries a minute.",
                    Duration.ofSeconds(MINUTE_SECONDS - now.getEpochSecond() % MINUTE_SECONDS));
        }
        if (!all.mayTake(portion)) {
            throw new ApiException(
                            ApiErrorCode.UNAVAILABLE,
                            "Too many test deliveries are under way. Try again.")
                    .withHeader(new Header("Retry-After", "1"));
        }
        begun.merge(workspace, 1, Integer::sum);
        all.take(portion);
        inFlight.put(workspace, portion);
        return () -> giveBack(workspace, portion);
    }

    private void startMinute(Instant now) {
        long current = now.getEpochSecond() / MINUTE_SECONDS;
        if (current != minute) {
            minute = current;
            begun.clear();
        }
    }

    private synchronized void giveBack(WorkspaceId workspace, Portion portion) {
        all.giveBack(portion);
        if (portion.held() == 0) {
            inFlight.remove(workspace);
        }
    }
}
