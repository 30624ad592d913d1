package dev.sluice.relay.send;

import dev.sluice.platform.net.AddressPolicy;
import dev.sluice.relay.Outcome;

import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import javax.net.ssl.SSLContext;

/// Sends over HTTP/1.1, each attempt to an address that was looked up and judged for it.
///
/// Blocks the calling thread, which is meant to be a virtual one. Thread-safe. What is under way
/// when it is closed ends as interrupted.
public final class HttpSender implements Sender, AutoCloseable {

    /// For so long an answer of the name service is used again; it is judged each time.
    private static final Duration NAMES_FRESH = Duration.ofSeconds(5);

    private final Resolver resolver;
    private final Connections connections;
    private final OutgoingHeaders headers;
    private final InstantSource clock;
    private final ScheduledThreadPoolExecutor timer = daemon("attempt-timer");
    private final ScheduledThreadPoolExecutor tidying = daemon("connection-tidying");
    private volatile boolean isClosed;

    private HttpSender(
            Resolver resolver,
            Connections connections,
            OutgoingHeaders headers,
            InstantSource clock) {
        this.resolver = resolver;
        this.connections = connections;
        this.headers = headers;
        this.clock = clock;
    }

    /// Opens one that looks names up as the machine does.
    ///
    /// @param headerPrefix what our own headers begin with, such as `X-Service`
    /// @param maxConnections to one address; also how many may lie idle in all
    public static HttpSender open(
            AddressPolicy policy, InstantSource clock, String headerPrefix, int maxConnections) {
        return open(
                new Resolver(Lookup.system(), policy, NAMES_FRESH),
                new Connections(systemTrust(), maxConnections),
                new OutgoingHeaders(headerPrefix),
                clock);
    }

    static HttpSender open(
            Resolver resolver,
            Connections connections,
            OutgoingHeaders headers,
            InstantSource clock) {
        var sender = new HttpSender(resolver, connections, headers, clock);
        var _ = sender.tidying.scheduleWithFixedDelay(sender::tidy, 1, 1, TimeUnit.SECONDS);
        return sender;
    }

    @Override
    public Outcome send(Parcel parcel, BooleanSupplier mayStart) {
        if (isClosed) {
            return unreachable(Failure.interrupted(), Duration.ZERO);
        }
        try (var attempt = new Deadline(parcel.timeout(), timer)) {
            try {
                var answer = deliver(parcel, attempt, mayStart);
                return new Outcome.Answered(
                        answer.status(),
                        answer.body(),
                        attempt.elapsed(),
                        RetryAfter.read(answer.retryAfter(), clock.instant()));
            } catch (Failure e) {
                return unreachable(isClosed ? Failure.interrupted() : e, attempt.elapsed());
            }
        } catch (RejectedExecutionException | IllegalStateException e) {
            if (isClosed) {
                return unreachable(Failure.interrupted(), Duration.ZERO);
            }
            throw e;
        }
    }

    private Answer deliver(Parcel parcel, Deadline attempt, BooleanSupplier mayStart)
            throws Failure {
        var url = parcel.url();
        var addresses = resolver.addresses(url.host(), attempt);
        var letter = Letter.of(parcel, headers, clock.instant());
        var post = new Post(url, letter.headers(), letter.body());
        try (var connection = connections.open(url, addresses, attempt)) {
            // A process that stood still until now may have lost its work to others.
            if (!mayStart.getAsBoolean()) {
                throw Failure.interrupted();
            }
            if (attempt.isOver()) {
                throw attempt.timedOut();
            }
            return connection.exchange(post, attempt);
        }
    }

    private static Outcome unreachable(Failure failure, Duration latency) {
        return new Outcome.Unreachable(failure.code(), failure.detail(), latency);
    }

    private void tidy() {
        connections.tidy();
        resolver.tidy();
    }

    @Override
    public void close() {
        isClosed = true;
        timer.shutdownNow();
        tidying.shutdownNow();
        connections.close();
        resolver.close();
    }

    private static ScheduledThreadPoolExecutor daemon(String name) {
        var executor =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().daemon().name(name).factory());
        executor.setRemoveOnCancelPolicy(true);
        return executor;
    }

    private static SSLContext systemTrust() {
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has TLS", e);
        }
    }
}
