package dev.sluice.account.plan;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/// A kind of item that the usage ledger counts. A refusal is counted in the hour in which it
/// happened. Any other item is counted in the hour in which its event arrived. The database stores
/// the kind's number.
public enum UsageKind {
    /// Events received by a source, grouped by verification result.
    EVENTS(1),
    /// Finished deliveries on a connection, grouped by status.
    OUTCOMES(2),
    /// Deliveries created on a connection, grouped by trigger. A delivery that the connection's
    /// filter rejects is not counted. If it was counted before the filter's result was known, it is
    /// subtracted again.
    DELIVERIES(3),
    /// Attempts on a connection that got a response or timed out waiting for one, grouped by
    /// latency bucket (see `relay.LatencyBuckets`).
    LATENCIES(4),
    /// Requests to a source that were refused and not stored, grouped by `relay.RefusalReason`.
    /// Requests that failed verification are stored and counted in [#EVENTS].
    REFUSALS(5);

    /// The minimum time for which hourly counts are kept. Daily counts are kept longer: until their
    /// workspace is erased, or until their source is purged and has neither events nor hourly
    /// counts left.
    public static final Duration HOURLY_RETENTION = Duration.ofDays(93);

    private final int number;

    UsageKind(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    /// Returns the numbers of all kinds.
    public static List<Integer> numbers() {
        return Arrays.stream(values()).map(UsageKind::number).toList();
    }

    public static UsageKind fromNumber(int number) {
        return values()[number - 1];
    }
}
