package dev.sluice.engine.send;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.share.RoundRobin;
import dev.sluice.platform.share.FairShare;
import dev.sluice.platform.share.Portion;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;

/// Runs DNS lookups on a few threads, so that slow lookups for one workspace or domain hardly delay
/// the lookups for others.
///
/// Both the threads and the number of unfinished (running or waiting) lookups are limited.
/// Workspaces share both according to [FairShare], and take turns. Within a workspace, one domain
/// may use at most `maxRunningPerDomain` threads and a quarter of the allowed unfinished lookups. A
/// dead name server therefore does not delay the lookups for the workspace's other names. Here, a
/// domain is the last two labels of a name.
///
/// Thread-safe: all methods are short and synchronized.
final class FairLookupQueue {

    /// One domain of a workspace may use at most a quarter of the allowed unfinished lookups.
    private static final int DOMAIN_ROOM_DIVISOR = 4;

    private final Executor threads;
    private final int maxRunningPerDomain;
    private final int maxUnfinishedPerDomain;
    private final FairShare freeThreads;
    private final FairShare room;
    private final Map<WorkspaceId, WorkspaceUse> workspaces = new HashMap<>();
    private final RoundRobin<WorkspaceUse, Lookup> waiting = new RoundRobin<>();

    private static final class WorkspaceUse {
        private final WorkspaceId id;
        private final Portion running = new Portion();
        private final Portion unfinished = new Portion();
        private final Map<String, DomainUse> domains = new HashMap<>();

        private WorkspaceUse(WorkspaceId id) {
            this.id = id;
        }
    }

    private static final class DomainUse {
        private final String name;
        private int running;
        private int unfinished;

        private DomainUse(String name) {
            this.name = name;
        }
    }

    private record Lookup(WorkspaceUse workspace, DomainUse domain, FutureTask<?> task) {}

    /// @param threads runs the lookups; must have an unbounded queue
    /// @param maxRunning the maximum number of lookups that run at the same time
    /// @param maxRunningPerDomain the maximum number of lookups that run at the same time for one
    ///   domain of a workspace
    /// @param maxUnfinished the maximum number of running and waiting lookups
    FairLookupQueue(Executor threads, int maxRunning, int maxRunningPerDomain, int maxUnfinished) {
        this.threads = threads;
        this.maxRunningPerDomain = maxRunningPerDomain;
        maxUnfinishedPerDomain = maxUnfinished / DOMAIN_ROOM_DIVISOR;
        freeThreads = new FairShare(maxRunning);
        room = new FairShare(maxUnfinished);
    }

    /// Queues the lookup, which runs as soon as its workspace and its domain may use another
    /// thread. Cancels `task` if it cannot be started.
    ///
    /// @throws RejectedExecutionException if the workspace or the domain has too many unfinished
    ///   lookups
    synchronized void execute(WorkspaceId workspace, String name, FutureTask<?> task) {
        var use = workspaces.computeIfAbsent(workspace, WorkspaceUse::new);
        var domain = use.domains.computeIfAbsent(domainOf(name), DomainUse::new);
        var lookup = new Lookup(use, domain, task);
        if (!mayWait(lookup)) {
            forgetUnused(lookup);
            throw new RejectedExecutionException("too many lookups at once");
        }
        room.take(lookup.workspace.unfinished);
        lookup.domain.unfinished++;
        waiting.add(lookup.workspace, lookup);
        startWaiting();
    }

    private boolean mayWait(Lookup lookup) {
        return room.mayTake(lookup.workspace.unfinished)
                && lookup.domain.unfinished < maxUnfinishedPerDomain;
    }

    private void startWaiting() {
        for (var next = poll(); next.isPresent(); next = poll()) {
            start(next.get());
        }
    }

    private Optional<Lookup> poll() {
        if (freeThreads.free() == 0) {
            return Optional.empty();
        }
        return waiting.poll(
                workspace -> freeThreads.mayTake(workspace.running),
                lookup -> lookup.domain.running < maxRunningPerDomain);
    }

    /// Starts the lookup. If that fails, for example because no more threads can be created, the
    /// lookup no longer counts as running or unfinished, and its task is cancelled.
    private void start(Lookup lookup) {
        freeThreads.take(lookup.workspace.running);
        lookup.domain.running++;
        try {
            threads.execute(() -> {
                try {
                    lookup.task.run();
                } finally {
                    finish(lookup);
                }
            });
        } catch (RuntimeException | Error e) {
            end(lookup);
            boolean _ = lookup.task.cancel(false);
        }
    }

    private synchronized void finish(Lookup lookup) {
        end(lookup);
        startWaiting();
    }

    private void end(Lookup lookup) {
        freeThreads.giveBack(lookup.workspace.running);
        room.giveBack(lookup.workspace.unfinished);
        lookup.domain.running--;
        lookup.domain.unfinished--;
        forgetUnused(lookup);
    }

    private void forgetUnused(Lookup lookup) {
        if (lookup.domain.unfinished == 0) {
            lookup.workspace.domains.remove(lookup.domain.name);
        }
        if (lookup.workspace.unfinished.held() == 0) {
            workspaces.remove(lookup.workspace.id);
        }
    }

    static String domainOf(String name) {
        int last = name.lastIndexOf('.');
        return name.substring(name.lastIndexOf('.', last - 1) + 1);
    }
}
