package dev.sluice.account.access;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/// Counts events, such as wrong passwords, for each network, and decides when a network must wait.
/// A count covers one minute, which begins with the first event. The first event after that minute
/// begins a new count. A network is an IPv4 address or an IPv6 /64, as returned by
/// [ClientAddress#network].
///
/// The counts are kept in memory for up to 50,000 networks. Beyond that, the least recently used
/// networks are forgotten. Thread-safe.
public final class NetworkCounter {

    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final int MAX_NETWORKS = 50_000;

    /// @param start when the first event of the minute happened
    private record CountedMinute(int number, Instant start) {

        /// Whether the minute is over, or the clock was set back by a minute or more.
        boolean isOld(Instant now) {
            return Duration.between(start, now).abs().compareTo(WINDOW) >= 0;
        }
    }

    private final Map<String, CountedMinute> byNetwork = new LeastRecentlyUsed<>(MAX_NETWORKS);

    /// Returns how long the network must wait until its minute is over, or zero if fewer than `max`
    /// events were counted in that minute.
    public synchronized Duration delay(String network, int max, Instant now) {
        var counted = byNetwork.get(network);
        return counted == null || counted.isOld(now) || counted.number() < max
                ? Duration.ZERO
                : Duration.between(now, counted.start().plus(WINDOW));
    }

    /// Counts an event from a network. Returns how many events were counted before it in the
    /// network's current minute.
    public synchronized int add(String network, Instant now) {
        return byNetwork
                        .merge(
                                network,
                                new CountedMinute(1, now),
                                (before, first) ->
                                        before.isOld(now)
                                                ? first
                                                : new CountedMinute(
                                                        before.number() + 1, before.start()))
                        .number()
                - 1;
    }

    /// Returns the number of networks that are kept in memory.
    public synchronized int size() {
        return byNetwork.size();
    }
}
