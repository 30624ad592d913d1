package dev.sluice.relay;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/// What the usage ledger counts. Each item is counted at the time its event arrived; a refusal, at
/// its own time. The database stores the kind's number.
public enum UsageKind {
    /// Events received by a source, grouped by verification result.
    EVENTS(1),
    /// Finished deliveries on a connection, grouped by status.
    OUTCOMES(2),
    /// Deliveries created on a connection, grouped by trigger. Those that its filter kept back are
    /// not among them, or no longer.
    DELIVERIES(3),
    /// Attempts on a connection that the destination answered, or let time out. Grouped by the
    /// bucket of their latency, see [LatencyBuckets].
    LATENCIES(4),
    /// Requests to a source that were refused and not stored, grouped by [RefusalReason].
    REFUSALS(5);

    /// How long hourly counts are kept at least. Daily counts are kept until their source is purged
    /// and no hourly count of it is left.
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
