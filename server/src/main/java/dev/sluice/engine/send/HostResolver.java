package dev.sluice.engine.send;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.ErrorCode;
import dev.sluice.platform.net.AddressPolicy;
import dev.sluice.platform.net.Host;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Resolves a host to IP addresses and rejects any host that has a forbidden address.
///
/// A DNS lookup cannot be interrupted and blocks its thread. Lookups therefore run on a small
/// dedicated thread pool, and a caller waits no longer than its attempt's time limit. Workspaces
/// share the threads, and one domain of a workspace gets at most a quarter of them (see
/// [FairLookupQueue]).
///
/// Each workspace's results, including failures, are cached for a short time, but the addresses are
/// checked against the policy for every attempt. Results are not shared between workspaces, because
/// a lookup waits in the queue of the workspace that started it, and another workspace must not
/// have to wait for that queue. Thread-safe.
final class HostResolver implements AutoCloseable {

    /// The maximum number of lookups that run at the same time.
    private static final int MAX_CONCURRENT_LOOKUPS = 64;

    /// The maximum number of lookups that are running or waiting. Further lookups are rejected.
    private static final int MAX_UNFINISHED_LOOKUPS = 10_000;

    /// The maximum number of addresses to try for one host. Further addresses are checked against
    /// the policy, but never tried.
    private static final int MAX_ADDRESSES = 6;

    private final DnsLookup lookup;
    private final AddressPolicy policy;
    private final Duration cacheTtl;
    private final ConcurrentHashMap<CacheKey, CachedLookup> cache = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor threads;
    private final FairLookupQueue queue;

    HostResolver(DnsLookup lookup, AddressPolicy policy, Duration cacheTtl) {
        this.lookup = lookup;
        this.policy = policy;
        this.cacheTtl = cacheTtl;
        threads =
                new ThreadPoolExecutor(
                        MAX_CONCURRENT_LOOKUPS,
                        MAX_CONCURRENT_LOOKUPS,
                        30,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        Thread.ofPlatform().daemon().name("lookup-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
        queue =
                new FairLookupQueue(
                        threads,
                        MAX_CONCURRENT_LOOKUPS,
                        MAX_CONCURRENT_LOOKUPS / 4,
                        MAX_UNFINISHED_LOOKUPS);
    }

    /// Returns the addresses to try, in order. A single forbidden address causes the whole host to
    /// be rejected, because no public name has a good reason to resolve to such an address.
    ///
    /// @param workspace the workspace whose share of the lookups is used
    List<InetAddress> addresses(WorkspaceId workspace, Host host, Deadline deadline)
            throws SendException {
        var addresses =
                switch (host) {
                    case Host.IpLiteral(var address) -> List.of(address);
                    case Host.HostName(var name) -> lookUp(new CacheKey(workspace, name), deadline);
                };
        for (var address : addresses) {
            if (policy.refusal(address).isPresent()) {
                throw new SendException(
                        ErrorCode.BLOCKED_ADDRESS,
                        "The host is at a private or internal address; the operator of this"
                                + " server can allow it with "
                                + AddressPolicy.SETTING_NAME);
            }
        }
        return addresses.size() > MAX_ADDRESSES ? addresses.subList(0, MAX_ADDRESSES) : addresses;
    }

    private List<InetAddress> lookUp(CacheKey key, Deadline deadline) throws SendException {
        try {
            var addresses =
                    cachedLookup(key)
                            .addresses
                            .get(deadline.remaining().toNanos(), TimeUnit.NANOSECONDS);
            if (addresses.isEmpty()) {
                throw unresolved(key.name);
            }
            return addresses;
        } catch (ExecutionException | CancellationException e) {
            throw unresolved(key.name);
        } catch (TimeoutException e) {
            throw deadline.timeoutFailure();
        } catch (RejectedExecutionException e) {
            throw new SendException(
                    ErrorCode.DNS_FAILURE, "Too many host names are being looked up at once");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw SendException.interrupted();
        }
    }

    private static SendException unresolved(String name) {
        return new SendException(
                ErrorCode.DNS_FAILURE, "The host name " + name + " could not be resolved");
    }

    private CachedLookup cachedLookup(CacheKey key) {
        var known = cache.get(key);
        if (known != null && known.isFresh(cacheTtl)) {
            return known;
        }
        return cache.compute(
                key, (_, old) -> old != null && old.isFresh(cacheTtl) ? old : startLookup(key));
    }

    private CachedLookup startLookup(CacheKey key) {
        var cachedLookup = new CachedLookup(new FutureTask<>(() -> lookup.addresses(key.name)));
        queue.execute(key.workspace, key.name, cachedLookup.addresses);
        return cachedLookup;
    }

    /// Removes cached results that are too old to use.
    void evictExpired() {
        cache.values().removeIf(cachedLookup -> !cachedLookup.isFresh(cacheTtl));
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    private record CacheKey(WorkspaceId workspace, String name) {}

    private record CachedLookup(FutureTask<List<InetAddress>> addresses, long startedAtNanos) {

        CachedLookup(FutureTask<List<InetAddress>> addresses) {
            this(addresses, System.nanoTime());
        }

        /// Whether the lookup can be used for a new attempt. This includes a lookup in progress, so
        /// that a workspace does not look up the same name twice at the same time.
        boolean isFresh(Duration cacheTtl) {
            return !addresses.isDone() || System.nanoTime() - startedAtNanos < cacheTtl.toNanos();
        }
    }
}
