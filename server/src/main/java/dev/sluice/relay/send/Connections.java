package dev.sluice.relay.send;

import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.platform.net.Host;
import dev.sluice.relay.ErrorCode;

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

/// Connections to destinations, kept open for the next attempt: plain HTTP/1.1, each to an address
/// that was judged before. Thread-safe.
///
/// No client stands above this pool, so there is nothing that could follow a redirect, repeat a
/// request, keep a cookie, unpack a body or ask the environment for a proxy.
final class Connections implements AutoCloseable {

    private static final TimeValue IDLE = TimeValue.ofSeconds(30);
    private static final TimeValue HARDLY_IDLE = TimeValue.ofSeconds(1);
    private static final TimeValue LIFE = TimeValue.ofMinutes(5);
    private static final TimeValue UNCHECKED = TimeValue.ofSeconds(1);

    /// The pool remembers every address it ever connected to. With this many it is replaced.
    private static final int MOST_ROUTES = 10_000;

    /// How many tidyings a replaced pool lives on, so that what it has lent comes back: more
    /// seconds than the longest timeout has.
    private static final int LAST_ROUNDS = 600;

    /// 100 fields, each of at most 16 KiB; one more because the library counts the last as one too
    /// many. [HeadParser] bounds the sum.
    private static final Http1Config LIMITS =
            Http1Config.custom()
                    .setMaxHeaderCount(101)
                    .setMaxLineLength(16 << 10)
                    .setMaxEmptyLineCount(1)
                    .build();

    private final SSLContext trust;
    private final int most;
    private volatile PoolingHttpClientConnectionManager pool;

    private final Deque<Replaced> replaced = new ConcurrentLinkedDeque<>();

    /// Used by the tidying thread only.
    private long round;

    Connections(SSLContext trust, int most) {
        this.trust = trust;
        this.most = most;
        pool = newPool();
    }

    /// Connects to the first of the addresses that takes the connection.
    Link open(DestinationUrl url, List<InetAddress> addresses, Deadline attempt) throws Failure {
        for (int i = 0; ; i++) {
            int left = addresses.size() - i;
            var connection = lease(url, addresses.get(i), attempt);
            try {
                connection.open(attempt, attempt.remaining().dividedBy(left));
                return connection;
            } catch (Failure e) {
                connection.close();
                if (left == 1 || attempt.isOver() || !isWorthAnotherAddress(e)) {
                    throw e;
                }
            } catch (RuntimeException e) {
                connection.close();
                throw e;
            }
        }
    }

    private static boolean isWorthAnotherAddress(Failure e) {
        return e.code() == ErrorCode.CONNECT_REFUSED || e.code() == ErrorCode.CONNECT_TIMEOUT;
    }

    private Link lease(DestinationUrl url, InetAddress address, Deadline attempt) throws Failure {
        var lender = pool;
        attempt.enter(Deadline.Phase.CONNECT);
        var remaining = attempt.remaining();
        if (remaining.isNegative()) { // a process that stood still finds it so
            throw attempt.timedOut();
        }
        try {
            var endpoint = lender.lease("", route(url, address), null).get(Timeout.of(remaining));
            return new Link(lender, endpoint, url.isSecure());
        } catch (TimeoutException e) {
            throw attempt.timedOut();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.interrupted();
        }
    }

    /// With the address in it: the pool never asks for one, and connections to an address that the
    /// name no longer has are not used.
    private static HttpRoute route(DestinationUrl url, InetAddress address) {
        String name =
                switch (url.host()) {
                    case Host.Name(var text) -> text;
                    case Host.Literal(var literal) -> literal.getHostAddress();
                };
        var host = new HttpHost(url.scheme(), address, name, url.port());
        return new HttpRoute(host, null, url.isSecure());
    }

    private PoolingHttpClientConnectionManager newPool() {
        return new DirectPool()
                .setPoolConcurrencyPolicy(PoolConcurrencyPolicy.LAX)
                .setMaxConnPerRoute(most)
                .setDnsResolver(new NoResolver())
                .setTlsSocketStrategy(tls())
                .setConnectionFactory(Connections::newConnection)
                .setDefaultSocketConfig(
                        // No limit of their own: the attempt ends them, see Deadline.
                        SocketConfig.custom()
                                .setSoTimeout(Timeout.DISABLED)
                                .setTcpNoDelay(true)
                                .setSoKeepAlive(true)
                                .build())
                .setDefaultConnectionConfig(
                        ConnectionConfig.custom()
                                .setTimeToLive(LIFE)
                                .setIdleTimeout(Timeout.of(IDLE.toDuration()))
                                .setValidateAfterInactivity(UNCHECKED)
                                .build())
                .build();
    }

    private TlsSocketStrategy tls() {
        var strategy =
                new DefaultClientTlsStrategy(trust, HostnameVerificationPolicy.BUILTIN, null);
        return (socket, host, port, config, context) -> {
            if (context.getAttribute(Link.ATTEMPT) instanceof Deadline attempt) {
                attempt.enter(Deadline.Phase.HANDSHAKE);
            }
            return strategy.upgrade(socket, host, port, config, context);
        };
    }

    private static ManagedHttpClientConnection newConnection(Socket unused) {
        var parser = new HeadParser(LIMITS);
        return new DefaultManagedHttpClientConnection(
                "",
                null,
                null,
                LIMITS,
                null,
                null,
                () -> (post, buffer, out) -> write((Post) post, parser, buffer, out),
                _ -> parser);
    }

    private static void write(
            Post post, HeadParser parser, SessionOutputBuffer buffer, OutputStream out)
            throws IOException {
        if (parser.hasLeftover()) {
            throw new ConnectionClosedException("not asked");
        }
        post.writeTo(buffer, out);
    }

    /// Closes what lay idle too long; sooner when there is too much of it. Meant to be called once
    /// a second, by one thread.
    void tidy() {
        round++;
        pool.closeIdle(pool.getTotalStats().getAvailable() > most ? HARDLY_IDLE : IDLE);
        if (pool.getRoutes().size() > MOST_ROUTES) {
            replaced.add(new Replaced(pool, round + LAST_ROUNDS));
            pool = newPool();
        }
        for (var old : replaced) {
            old.pool.closeIdle(HARDLY_IDLE);
        }
        if (!replaced.isEmpty() && replaced.getFirst().end < round) {
            replaced.removeFirst().pool.close(CloseMode.IMMEDIATE);
        }
    }

    @Override
    public void close() {
        pool.close(CloseMode.IMMEDIATE);
        replaced.forEach(old -> old.pool.close(CloseMode.IMMEDIATE));
    }

    private record Replaced(PoolingHttpClientConnectionManager pool, long end) {}

    /// Dials itself: a plain `new Socket()` would ask the JVM's properties for a SOCKS proxy.
    private static final class DirectPool extends PoolingHttpClientConnectionManagerBuilder {

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

    /// Addresses come with the route. Asked all the same, this refuses.
    private static final class NoResolver implements DnsResolver {

        @Override
        public InetAddress[] resolve(String host) throws UnknownHostException {
            throw new UnknownHostException("addresses are resolved and judged before: " + host);
        }

        @Override
        public String resolveCanonicalHostname(String host) throws UnknownHostException {
            throw new UnknownHostException("addresses are resolved and judged before: " + host);
        }
    }
}
