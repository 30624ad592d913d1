package dev.sluice.engine.send;

import dev.sluice.engine.ErrorCode;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.platform.net.Host;

import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.HttpRoute;
import org.apache.hc.client5.http.SchemePortResolver;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.io.DefaultHttpClientConnectionOperator;
import org.apache.hc.client5.http.impl.io.DefaultManagedHttpClientConnection;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.io.HttpClientConnectionOperator;
import org.apache.hc.client5.http.io.ManagedHttpClientConnection;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.io.SessionOutputBuffer;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.pool.PoolConcurrencyPolicy;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import javax.net.ssl.SSLContext;

/// A pool of HTTP/1.1 connections to destinations, kept open for later attempts. Thread-safe.
///
/// Each connection is made to an address that has already been checked. The pool is used without an
/// HTTP client, so nothing can follow a redirect, repeat a request, keep a cookie, decompress a
/// body or use a proxy from the environment.
final class HttpConnectionPool implements AutoCloseable {

    /// How long an unused connection is kept open.
    static final TimeValue IDLE_TIMEOUT = TimeValue.ofSeconds(30);

    private static final TimeValue CROWDED_IDLE_TIMEOUT = TimeValue.ofSeconds(1);
    private static final TimeValue MAX_CONNECTION_AGE = TimeValue.ofMinutes(5);
    private static final TimeValue VALIDATE_AFTER_IDLE = TimeValue.ofSeconds(1);

    /// The maximum number of addresses that one of the library's pools may remember. Such a pool
    /// never forgets an address, so a pool that remembers more is replaced with a new one.
    private static final int MAX_ROUTES = 10_000;

    /// The number of calls to [#evictIdle] after which a replaced pool is closed. At one call a
    /// second, this takes ten minutes. No attempt may take that long, so all of the pool's
    /// connections have been returned by then.
    private static final int RETIREMENT_ROUNDS = 600;

    /// Allows at most 100 header fields. The limit is set to 101, because the library counts one
    /// field too many. [ResponseHeadParser] limits the total size, which one line may use up.
    private static final Http1Config RESPONSE_HEAD_LIMITS =
            Http1Config.custom()
                    .setMaxHeaderCount(101)
                    .setMaxLineLength(ResponseHeadParser.MAX_HEAD_BYTES)
                    .setMaxEmptyLineCount(1)
                    .build();

    private final SSLContext sslContext;
    private final int maxConnections;
    private volatile PoolingHttpClientConnectionManager pool;

    private final Deque<RetiredPool> retiredPools = new ConcurrentLinkedDeque<>();

    /// Used only by the thread that calls `evictIdle`.
    private long tidyRound;

    HttpConnectionPool(SSLContext sslContext, int maxConnections) {
        this.sslContext = sslContext;
        this.maxConnections = maxConnections;
        pool = newPool();
    }

    /// Connects to the first address that accepts the connection, or reuses an idle connection.
    /// Tries the next address only if a connection was refused or timed out. Divides the remaining
    /// time equally among the addresses not yet tried.
    LeasedConnection open(DestinationUrl url, List<InetAddress> addresses, Deadline deadline)
            throws SendException {
        for (int i = 0; ; i++) {
            int left = addresses.size() - i;
            var connection = lease(url, addresses.get(i), deadline);
            try {
                connection.open(deadline, deadline.remaining().dividedBy(left));
                return connection;
            } catch (SendException e) {
                connection.close();
                if (left == 1 || deadline.isExpired() || !canTryNextAddress(e)) {
                    throw e;
                }
            } catch (RuntimeException e) {
                connection.close();
                throw e;
            }
        }
    }

    private static boolean canTryNextAddress(SendException e) {
        return e.code() == ErrorCode.CONNECT_REFUSED || e.code() == ErrorCode.CONNECT_TIMEOUT;
    }

    private LeasedConnection lease(DestinationUrl url, InetAddress address, Deadline deadline)
            throws SendException {
        var leasePool = pool;
        deadline.enter(Deadline.AttemptPhase.CONNECT);
        var remaining = deadline.remaining();
        if (remaining.isNegative()) { // possible after the process was suspended
            throw deadline.timeoutFailure();
        }
        try {
            var endpoint =
                    leasePool.lease("", route(url, address), null).get(Timeout.of(remaining));
            return new LeasedConnection(leasePool, endpoint, url.isSecure());
        } catch (TimeoutException e) {
            throw deadline.timeoutFailure();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw SendException.interrupted();
        }
    }

    /// Returns the pool's key for a connection. The key contains the address, so the pool never
    /// resolves names. For the same reason, a connection is not reused once the name no longer
    /// resolves to the connection's address.
    private static HttpRoute route(DestinationUrl url, InetAddress address) {
        String name =
                switch (url.host()) {
                    case Host.HostName(var text) -> text;
                    case Host.IpLiteral(var literal) -> literal.getHostAddress();
                };
        var host = new HttpHost(url.scheme(), address, name, url.port());
        return new HttpRoute(host, null, url.isSecure());
    }

    private PoolingHttpClientConnectionManager newPool() {
        return new DirectPoolBuilder()
                .setPoolConcurrencyPolicy(PoolConcurrencyPolicy.LAX)
                .setMaxConnPerRoute(maxConnections)
                .setDnsResolver(new RefusingDnsResolver())
                .setTlsSocketStrategy(tls())
                .setConnectionFactory(HttpConnectionPool::newConnection)
                .setDefaultSocketConfig(
                        // There is no socket timeout because Deadline closes the connection when
                        // the time is up.
                        SocketConfig.custom()
                                .setSoTimeout(Timeout.DISABLED)
                                .setTcpNoDelay(true)
                                .setSoKeepAlive(true)
                                .build())
                .setDefaultConnectionConfig(
                        ConnectionConfig.custom()
                                .setTimeToLive(MAX_CONNECTION_AGE)
                                .setIdleTimeout(Timeout.of(IDLE_TIMEOUT.toDuration()))
                                .setValidateAfterInactivity(VALIDATE_AFTER_IDLE)
                                .build())
                .build();
    }

    private TlsSocketStrategy tls() {
        var strategy =
                new DefaultClientTlsStrategy(sslContext, HostnameVerificationPolicy.BUILTIN, null);
        return (socket, host, port, config, context) -> {
            if (context.getAttribute(LeasedConnection.DEADLINE_ATTRIBUTE)
                    instanceof Deadline deadline) {
                deadline.enter(Deadline.AttemptPhase.TLS_HANDSHAKE);
            }
            return strategy.upgrade(socket, host, port, config, context);
        };
    }

    private static ManagedHttpClientConnection newConnection(Socket unused) {
        var parser = new ResponseHeadParser(RESPONSE_HEAD_LIMITS);
        return new DefaultManagedHttpClientConnection(
                "",
                null,
                null,
                RESPONSE_HEAD_LIMITS,
                null,
                null,
                () -> (request, buffer, out) -> write((WireRequest) request, parser, buffer, out),
                _ -> parser);
    }

    private static void write(
            WireRequest wireRequest,
            ResponseHeadParser parser,
            SessionOutputBuffer buffer,
            OutputStream out)
            throws IOException {
        if (parser.hasUnsolicitedBytes()) {
            throw new ConnectionClosedException("unsolicited bytes before the request");
        }
        wireRequest.writeTo(buffer, out);
    }

    /// Closes connections that have been idle too long. If there are too many idle connections,
    /// closes them sooner. Also replaces the library's pool if it remembers too many addresses.
    /// Call this method once a second, from one thread.
    void evictIdle() {
        tidyRound++;
        pool.closeIdle(
                pool.getTotalStats().getAvailable() > maxConnections
                        ? CROWDED_IDLE_TIMEOUT
                        : IDLE_TIMEOUT);
        if (pool.getRoutes().size() > MAX_ROUTES) {
            retiredPools.add(new RetiredPool(pool, tidyRound + RETIREMENT_ROUNDS));
            pool = newPool();
        }
        for (var old : retiredPools) {
            old.pool.closeIdle(CROWDED_IDLE_TIMEOUT);
        }
        if (!retiredPools.isEmpty() && retiredPools.getFirst().closeAfterRound < tidyRound) {
            retiredPools.removeFirst().pool.close(CloseMode.IMMEDIATE);
        }
    }

    @Override
    public void close() {
        pool.close(CloseMode.IMMEDIATE);
        retiredPools.forEach(old -> old.pool.close(CloseMode.IMMEDIATE));
    }

    private record RetiredPool(PoolingHttpClientConnectionManager pool, long closeAfterRound) {}

    /// Builds pools whose sockets connect directly, without a proxy. A plain `new Socket()` would
    /// use a SOCKS proxy set in the JVM's properties.
    private static final class DirectPoolBuilder extends PoolingHttpClientConnectionManagerBuilder {

        @Override
        protected HttpClientConnectionOperator createConnectionOperator(
                SchemePortResolver ports, DnsResolver resolver, TlsSocketStrategy tls) {
            return new DefaultHttpClientConnectionOperator(
                    _ -> new Socket(Proxy.NO_PROXY),
                    ports,
                    resolver,
                    scheme -> scheme.equals("https") ? tls : null);
        }
    }

    /// Rejects every lookup because the route already contains a checked address.
    private static final class RefusingDnsResolver implements DnsResolver {

        @Override
        public InetAddress[] resolve(String host) throws UnknownHostException {
            throw new UnknownHostException("the route already contains an address: " + host);
        }

        @Override
        public String resolveCanonicalHostname(String host) throws UnknownHostException {
            throw new UnknownHostException("the route already contains an address: " + host);
        }
    }
}
