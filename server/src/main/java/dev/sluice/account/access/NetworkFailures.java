package dev.sluice.account.access;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/// Counts the failures that come from each network, such as wrong passwords. A count covers one
/// minute, which begins with the network's first failure. The first failure after that minute
/// begins a new count. A network is an IPv4 address or an IPv6 /64, as returned by
/// [ClientAddress#network].
///
/// The counts are kept in memory. They cover up to 50 000 networks; beyond that, those not used for
/// the longest time are forgotten. Thread-safe.
public final class NetworkFailures {

    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final int MAX_NETWORKS = 50_000;

    /// @param first when the first failure of the minute happened
    private record FailedMinute(int number, Instant first) {

        /// Whether the minute is over, or the clock was set back.
        boolean isOld(Instant now) {
            return Duration.between(first, now).abs().compareTo(WINDOW) >= 0;
        }
    }

    private final int max;
    private final Map<String, FailedMinute> byNetwork = new LeastRecentlyUsed<>(MAX_NETWORKS);

    /// @param max how many failures a network may have in a minute before it must wait
    public NetworkFailures(int max) {
        this.max = max;
    }

    /// Returns how long the network must wait until its minute is over; zero if it has fewer than
    /// `max` failures.
    public synchronized Duration delay(String network, Instant now) {
        var failures = byNetwork.get(network);
        return failures == null || failures.isOld(now) || failures.number() < max
                ? Duration.ZERO
                : Duration.between(now, failures.first().plus(WINDOW));
    }

    /// Returns the number of the network's failures in its current minute.
    public synchronized int number(String network, Instant now) {
        var failures = byNetwork.get(network);
        return failures == null || failures.isOld(now) ? 0 : failures.number();
    }

    public synchronized void add(String network, Instant now) {
        byNetwork.merge(
                network,
                new FailedMinute(1, now),
                (before, first) ->
                        before.isOld(now)
                                ? first
                                : new FailedMinute(before.number() + 1, before.first()));
    }

    /// Returns how many networks are held in memory.
    public synchronized int size() {
        return byNetwork.size();
    }
}
