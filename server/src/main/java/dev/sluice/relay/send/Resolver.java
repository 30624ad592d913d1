package dev.sluice.relay.send;

import dev.sluice.platform.net.AddressPolicy;
import dev.sluice.platform.net.Host;
import dev.sluice.relay.ErrorCode;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Finds the addresses of a host and refuses those that must not be dialled.
///
/// A look-up cannot be interrupted and holds its thread, so look-ups have threads of their own, and
/// few of them; whoever waits does so no longer than his attempt lasts. One domain has a quarter of
/// them at most (see [LookupTurns]). An answer is kept for some seconds, and judged anew for every
/// attempt. Thread-safe.
final class Resolver implements AutoCloseable {

    /// How many names are looked up at once, and how many are to be, those included.
    private static final int LOOKUPS = 32;

    private static final int MOST_ASKED = 10_000;

    /// More addresses than this are not tried.
    private static final int MOST_ADDRESSES = 6;

    private final Lookup lookup;
    private final AddressPolicy policy;
    private final Duration freshness;
    private final ConcurrentHashMap<String, Question> asked = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor threads;
    private final LookupTurns turns;

    Resolver(Lookup lookup, AddressPolicy policy, Duration freshness) {
        this.lookup = lookup;
        this.policy = policy;
        this.freshness = freshness;
        threads =
                new ThreadPoolExecutor(
                        LOOKUPS,
                        LOOKUPS,
                        30,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        Thread.ofPlatform().daemon().name("lookup-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
        turns = new LookupTurns(threads, LOOKUPS / 4, MOST_ASKED);
    }

    /// The addresses to try, in order. One forbidden address among them forbids the host: no public
    /// name has one for a good reason.
    List<InetAddress> addresses(Host host, Deadline attempt) throws Failure {
        var found =
                switch (host) {
                    case Host.Literal(var address) -> List.of(address);
                    case Host.Name(var name) -> lookUp(name, attempt);
                };
        for (var address : found) {
            if (policy.refusal(address).isPresent()) {
                throw new Failure(
                        ErrorCode.BLOCKED_ADDRESS,
                        "The host is at a private or internal address; whoever runs this server"
                                + " can open some with "
                                + AddressPolicy.SETTING);
            }
        }
        return found.size() > MOST_ADDRESSES ? found.subList(0, MOST_ADDRESSES) : found;
    }

    private List<InetAddress> lookUp(String name, Deadline attempt) throws Failure {
        try {
            var found =
                    question(name).answer.get(attempt.remaining().toNanos(), TimeUnit.NANOSECONDS);
            if (found.isEmpty()) {
                throw unresolved(name);
            }
            return found;
        } catch (ExecutionException e) {
            throw unresolved(name);
        } catch (TimeoutException e) {
            throw attempt.timedOut();
        } catch (RejectedExecutionException e) {
            throw new Failure(
                    ErrorCode.DNS_FAILURE, "Too many host names are being looked up at once");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.interrupted();
        }
    }

    private static Failure unresolved(String name) {
        return new Failure(
                ErrorCode.DNS_FAILURE, "The host name " + name + " could not be resolved");
    }

    private Question question(String name) {
        var known = asked.get(name);
        if (known != null && known.isFresh(freshness)) {
            return known;
        }
        return asked.compute(
                name, (_, old) -> old != null && old.isFresh(freshness) ? old : ask(name));
    }

    private Question ask(String name) {
        var question = new Question(new FutureTask<>(() -> lookup.addresses(name)));
        turns.execute(name, question.answer);
        return question;
    }

    /// Forgets answers that are too old to be used.
    void tidy() {
        asked.values().removeIf(question -> !question.isFresh(freshness));
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    private record Question(FutureTask<List<InetAddress>> answer, long at) {

        Question(FutureTask<List<InetAddress>> answer) {
            this(answer, System.nanoTime());
        }

        /// One still without an answer is not asked twice.
        boolean isFresh(Duration freshness) {
            return !answer.isDone() || System.nanoTime() - at < freshness.toNanos();
        }
    }
}
