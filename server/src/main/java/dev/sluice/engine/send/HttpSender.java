package dev.sluice.engine.send;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.JsonPoster;
import dev.sluice.engine.Outcome;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.net.AddressPolicy;

import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import javax.net.ssl.SSLContext;

/// Sends requests over HTTP/1.1. Resolves the host and checks its addresses for each attempt.
///
/// Blocks the calling thread, which should be a virtual thread. Thread-safe. Attempts that are
/// waiting for the network when the sender is closed end as `INTERRUPTED`.
public final class HttpSender implements Sender, JsonPoster, AutoCloseable {

    /// Creates the request to send. Called after the host's addresses have been looked up.
    @FunctionalInterface
    private interface RequestContent {
        WireRequest make() throws SendException;
    }

    /// A request's outcome, together with the response headers.
    ///
    /// @param responseHeaders the headers in the order in which they were received; empty if there
    ///   is no response
    public record ShownOutcome(Outcome outcome, List<Header> responseHeaders) {

        public ShownOutcome {
            responseHeaders = List.copyOf(responseHeaders);
        }
    }

    /// How long a DNS result is reused. Its addresses are still checked for each attempt.
    private static final Duration DNS_CACHE_TTL = Duration.ofSeconds(5);

    private static final List<Header> JSON_HEADERS =
            List.of(
                    new Header("Content-Type", "application/json"),
                    new Header("User-Agent", "Sluice"));

    private final HostResolver resolver;
    private final HttpConnectionPool pool;
    private final OutboundHeaderBuilder headerBuilder;
    private final InstantSource clock;
    private final ScheduledThreadPoolExecutor timer = daemon("attempt-timer");

    /// Whether the timer has a task that is due within a second; see [#keepTimerBusy].
    private final AtomicBoolean isTimerBusy = new AtomicBoolean();

    private final ScheduledThreadPoolExecutor evictionTimer = daemon("connection-tidying");

    /// Whether the eviction timer has its task. Some senders are never used, so the first attempt
    /// starts it.
    private final AtomicBoolean isEvicting = new AtomicBoolean();

    private volatile boolean isClosed;

    private HttpSender(
            HostResolver resolver,
            HttpConnectionPool pool,
            OutboundHeaderBuilder headerBuilder,
            InstantSource clock) {
        this.resolver = resolver;
        this.pool = pool;
        this.headerBuilder = headerBuilder;
        this.clock = clock;
    }

    /// Opens a sender that uses the operating system's DNS resolver.
    ///
    /// @param headerPrefix the prefix of the headers that Sluice adds, such as `X-Service`
    /// @param maxConnections the maximum number of connections to one address. Also a threshold: if
    ///   there are more idle connections than this in total, they are closed sooner
    public static HttpSender open(
            AddressPolicy policy, InstantSource clock, String headerPrefix, int maxConnections) {
        return open(
                new HostResolver(DnsLookup.system(), policy, DNS_CACHE_TTL),
                new HttpConnectionPool(systemTrust(), maxConnections),
                new OutboundHeaderBuilder(headerPrefix),
                clock);
    }

    static HttpSender open(
            HostResolver resolver,
            HttpConnectionPool pool,
            OutboundHeaderBuilder headerBuilder,
            InstantSource clock) {
        return new HttpSender(resolver, pool, headerBuilder, clock);
    }

    @Override
    public Outcome send(OutboundRequest request, BooleanSupplier mayStart) {
        return send(
                request.workspace(),
                request.url(),
                request.timeout(),
                () -> wireRequest(request),
                mayStart,
                _ -> {});
    }

    /// Sends the request as [#send] does, and also returns the response headers.
    public ShownOutcome sendAndShow(OutboundRequest request) {
        var headers = new ArrayList<Header>();
        var outcome =
                send(
                        request.workspace(),
                        request.url(),
                        request.timeout(),
                        () -> wireRequest(request),
                        () -> true,
                        response -> headers.addAll(response.headers()));
        return new ShownOutcome(outcome, headers);
    }

    @Override
    public Outcome post(WorkspaceId workspace, DestinationUrl url, byte[] json, Duration timeout) {
        return send(
                workspace,
                url,
                timeout,
                () -> new WireRequest(url, JSON_HEADERS, OutboundBody.of(json)),
                () -> true,
                _ -> {});
    }

    private Outcome send(
            WorkspaceId workspace,
            DestinationUrl url,
            Duration timeout,
            RequestContent content,
            BooleanSupplier mayStart,
            Consumer<ReceivedResponse> onResponse) {
        if (isClosed) {
            return unreachable(SendException.interrupted(), Duration.ZERO);
        }
        try (var deadline = new Deadline(timeout, timer)) {
            keepTimerBusy();
            keepEvicting();
            try {
                var receivedResponse = deliver(workspace, url, content, deadline, mayStart);
                onResponse.accept(receivedResponse);
                return new Outcome.DestinationResponse(
                        receivedResponse.status(),
                        receivedResponse.body(),
                        deadline.elapsed(),
                        RetryAfterParser.parse(receivedResponse.retryAfter(), clock.instant()),
                        receivedResponse.remark());
            } catch (SendException e) {
                return unreachable(isClosed ? SendException.interrupted() : e, deadline.elapsed());
            }
        } catch (RejectedExecutionException | IllegalStateException e) {
            if (isClosed) {
                return unreachable(SendException.interrupted(), Duration.ZERO);
            }
            throw e;
        }
    }

    private ReceivedResponse deliver(
            WorkspaceId workspace,
            DestinationUrl url,
            RequestContent content,
            Deadline deadline,
            BooleanSupplier mayStart)
            throws SendException {
        var addresses = resolver.addresses(workspace, url.host(), deadline);
        var wireRequest = content.make();
        try (var connection = pool.open(url, addresses, deadline)) {
            // A process that was suspended until now may have lost its deliveries to another node.
            if (!mayStart.getAsBoolean()) {
                throw SendException.interrupted();
            }
            if (deadline.isExpired()) {
                throw deadline.timeoutFailure();
            }
            return connection.exchange(wireRequest, deadline);
        }
    }

    private WireRequest wireRequest(OutboundRequest request) throws SendException {
        try {
            var prepared = PreparedRequest.of(request, headerBuilder, request.attemptedAt());
            return new WireRequest(request.url(), prepared.headers(), prepared.body());
        } catch (TransformationException e) {
            throw new SendException(ErrorCode.TRANSFORMATION_FAILED, e.detail());
        }
    }

    private static Outcome unreachable(SendException failure, Duration latency) {
        return new Outcome.AttemptError(failure.code(), failure.detail(), latency);
    }

    private void evictIdle() {
        pool.evictIdle();
        resolver.evictExpired();
    }

    /// Gives the timer an empty task that is due in a second, unless the timer already has one. A
    /// new task wakes the timer's thread only if it is due before all others. Most deadlines are
    /// later than the empty task and so do not wake the thread. Without the empty task, each
    /// attempt would wake the thread twice.
    private void keepTimerBusy() {
        if (isTimerBusy.compareAndSet(false, true)) {
            var _ = timer.schedule(() -> isTimerBusy.set(false), 1, TimeUnit.SECONDS);
        }
    }

    private void keepEvicting() {
        if (isEvicting.compareAndSet(false, true)) {
            var _ = evictionTimer.scheduleWithFixedDelay(this::evictIdle, 1, 1, TimeUnit.SECONDS);
        }
    }

    @Override
    public void close() {
        isClosed = true;
        timer.shutdownNow();
        evictionTimer.shutdownNow();
        pool.close();
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
