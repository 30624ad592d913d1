package dev.sluice.relay.send;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/// Runs DNS lookups so that no domain can delay the lookups of others.
///
/// One domain uses at most its share of the threads and a quarter of the queue. The owner of many
/// names whose lookups hang therefore delays nobody else. Here, a domain is the last two labels of
/// a name, because this is the part that an owner has to register.
///
/// Thread-safe: all methods are short and synchronized.
final class FairLookupQueue {

    /// One domain may fill this fraction of the queue: one quarter.
    private static final int DOMAIN_QUEUE_DIVISOR = 4;

    private final Executor threads;
    private final int maxRunningPerDomain;
    private final int maxUnfinished;
    private final Map<String, DomainQueue> domains = new HashMap<>();
    private int unfinished;

    private static final class DomainQueue {
        private final Queue<Runnable> waiting = new ArrayDeque<>();
        private int running;
    }

    /// @param threads runs the lookups; must have an unbounded queue
    /// @param maxRunningPerDomain maximum number of threads that one domain may use
    /// @param maxUnfinished maximum number of running and waiting lookups, over all domains
    FairLookupQueue(Executor threads, int maxRunningPerDomain, int maxUnfinished) {
        this.threads = threads;
        this.maxRunningPerDomain = maxRunningPerDomain;
        this.maxUnfinished = maxUnfinished;
    }

    /// Runs the lookup as soon as its domain may use another thread.
    ///
    /// @throws RejectedExecutionException when too many lookups are unfinished, in total or in this
    ///   domain
    synchronized void execute(String name, Runnable lookup) {
        if (unfinished >= maxUnfinished) {
            throw new RejectedExecutionException("too many lookups at once");
        }
        var domain = domains.computeIfAbsent(domainOf(name), _ -> new DomainQueue());
        if (domain.waiting.size() >= maxUnfinished / DOMAIN_QUEUE_DIVISOR) {
            throw new RejectedExecutionException("too many lookups in one domain");
        }
        unfinished++;
        if (domain.running < maxRunningPerDomain) {
            start(domain, name, lookup);
        } else {
            domain.waiting.add(lookup);
        }
    }

    private void start(DomainQueue domain, String name, Runnable lookup) {
        domain.running++;
        try {
            threads.execute(() -> {
                try {
                    lookup.run();
                } finally {
                    finish(domain, name);
                }
            });
        } catch (RejectedExecutionException e) {
            // The threads have been shut down, and nobody waits for a result any more.
        }
    }

    private synchronized void finish(DomainQueue domain, String name) {
        unfinished--;
        domain.running--;
        var next = domain.waiting.poll();
        if (next != null) {
            start(domain, name, next);
        } else if (domain.running == 0) {
            domains.remove(domainOf(name), domain);
        }
    }

    static String domainOf(String name) {
        int last = name.lastIndexOf('.');
        return name.substring(name.lastIndexOf('.', last - 1) + 1);
    }
}
