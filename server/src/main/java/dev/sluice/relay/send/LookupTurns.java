package dev.sluice.relay.send;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/// Whose look-up is next: those of one domain take a share of the threads at most, and a quarter of
/// the places in line, so that whoever has many names that hang does not keep others waiting. A
/// domain is the last two labels of a name, because that is what its owner has to register.
///
/// All methods are short and hold the monitor of this object.
final class LookupTurns {

    /// Each domain has the fourth part of the line.
    private static final int LINE_SHARE = 4;

    private final Executor threads;
    private final int share;
    private final int most;
    private final Map<String, Domain> domains = new HashMap<>();
    private int underWay;

    private static final class Domain {
        private final Queue<Runnable> waiting = new ArrayDeque<>();
        private int started;
    }

    /// @param threads whose queue has no bound
    /// @param share of the threads that one domain may have
    /// @param most look-ups that are not done, in all
    LookupTurns(Executor threads, int share, int most) {
        this.threads = threads;
        this.share = share;
        this.most = most;
    }

    /// Runs it when it is its domain's turn.
    ///
    /// @throws RejectedExecutionException when there are too many, in all or of its domain
    synchronized void execute(String name, Runnable lookup) {
        if (underWay >= most) {
            throw new RejectedExecutionException("too many look-ups at once");
        }
        var domain = domains.computeIfAbsent(domainOf(name), _ -> new Domain());
        if (domain.waiting.size() >= most / LINE_SHARE) {
            throw new RejectedExecutionException("too many look-ups in one domain");
        }
        underWay++;
        if (domain.started < share) {
            start(domain, name, lookup);
        } else {
            domain.waiting.add(lookup);
        }
    }

    private void start(Domain domain, String name, Runnable lookup) {
        domain.started++;
        try {
            threads.execute(() -> {
                try {
                    lookup.run();
                } finally {
                    ended(domain, name);
                }
            });
        } catch (RejectedExecutionException e) {
            // They are closed, and nobody waits for an answer any more.
        }
    }

    private synchronized void ended(Domain domain, String name) {
        underWay--;
        domain.started--;
        var next = domain.waiting.poll();
        if (next != null) {
            start(domain, name, next);
        } else if (domain.started == 0) {
            domains.remove(domainOf(name), domain);
        }
    }

    static String domainOf(String name) {
        int last = name.lastIndexOf('.');
        return name.substring(name.lastIndexOf('.', last - 1) + 1);
    }
}
