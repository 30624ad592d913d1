package dev.sluice.account.people;

import dev.sluice.account.access.LeastRecentlyUsed;
import dev.sluice.account.access.NetworkCounter;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/// Counts failed sign-ins and decides how long a client must wait before it may try again.
///
/// There are two counts. The first counts failures for one account from one network. After five in
/// a row, the client must wait one second. Each further failure doubles the wait, up to 15 minutes.
/// The second counts all failures from one network. After 20 in a minute, all clients on that
/// network must wait until the minute is over. Failures are never counted for an account alone, so
/// nobody can lock out an owner who signs in from elsewhere. A network is an IPv4 address or an
/// IPv6 /64.
///
/// The counts are kept in memory, up to 50,000 of each kind. Beyond that, the least recently used
/// counts are forgotten. Thread-safe.
final class SignInThrottle {

    static final int FREE_FAILURES = 5;
    static final Duration MAX_DELAY = Duration.ofMinutes(15);
    static final int MAX_FAILURES_PER_MINUTE = 20;

    private static final int MAX_PAIRS = 50_000;

    /// Identifies the sign-ins to one account from one network.
    private record AccountOnNetwork(String email, String network) {}

    /// @param number the number of failures in a row
    /// @param last when the last failure happened
    private record PairFailures(int number, Instant last) {}

    private final Map<AccountOnNetwork, PairFailures> byPair = new LeastRecentlyUsed<>(MAX_PAIRS);
    private final NetworkCounter byNetwork = new NetworkCounter();

    /// Returns how long the client must wait, or zero if it may try now.
    synchronized Duration delay(String email, String network, Instant now) {
        var pair = byPair.get(new AccountOnNetwork(email, network));
        var pairDelay =
                pair == null || pair.number() < FREE_FAILURES
                        ? Duration.ZERO
                        : remaining(pair.last().plus(backoff(pair.number())), now);
        var networkDelay = byNetwork.delay(network, MAX_FAILURES_PER_MINUTE, now);
        return pairDelay.compareTo(networkDelay) > 0 ? pairDelay : networkDelay;
    }

    /// Returns the time left until `until`. The result is at most `MAX_DELAY`, even if the clock
    /// was set back.
    private static Duration remaining(Instant until, Instant now) {
        var left = Duration.between(now, until);
        return left.isNegative() ? Duration.ZERO : left.compareTo(MAX_DELAY) > 0 ? MAX_DELAY : left;
    }

    private static Duration backoff(int failures) {
        var delay = Duration.ofSeconds(1L << Math.min(failures - FREE_FAILURES, 20));
        return delay.compareTo(MAX_DELAY) > 0 ? MAX_DELAY : delay;
    }

    synchronized void failed(String email, String network, Instant now) {
        byPair.merge(
                new AccountOnNetwork(email, network),
                new PairFailures(1, now),
                (before, _) -> new PairFailures(before.number() + 1, now));
        byNetwork.add(network, now);
    }

    /// Returns the number of counts that are kept in memory.
    synchronized int size() {
        return byPair.size() + byNetwork.size();
    }

    synchronized void succeeded(String email, String network) {
        byPair.remove(new AccountOnNetwork(email, network));
    }
}
