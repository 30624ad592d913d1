package dev.sluice.bench.bare;

import dev.sluice.bench.platform.Json;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.Parent;

import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

/// In over HTTP, one commit for many, out over HTTP, one commit for many: nothing else. No routing,
/// no identity, no retries, no limits, no guard; not to be used for anything but measuring.
///
/// As a process it takes the database from its environment, prints its port as a line of JSON and
/// runs until its standard input ends.
public final class BarePipeline {

    static final String URL = "BARE_DATABASE";
    static final String USER = "BARE_USER";
    static final String PASSWORD = "BARE_PASSWORD";

    /// Where it listens on loopback.
    record Port(int port) {}

    private BarePipeline() {}

    public static void main(String[] arguments) throws Exception {
        var options = Options.parse(List.of(arguments));
        var sink = options.uri("sink").orElseThrow();
        int inFlight = options.number("in-flight", 64);
        var variant = BareVariant.from(options);
        String schema = options.text("schema").orElse("bare");
        options.finish();

        var store = BareStore.open(schema, variant);
        var sender = BareSender.of(variant.client(), sink, store::finish, inFlight);
        store.start(sender::send);
        var server = server(new BareIngest(store::store));
        server.start();
        var connector = (ServerConnector) server.getConnectors()[0];
        System.out.println(Json.line(new Port(connector.getLocalPort())));

        var end = new CountDownLatch(1);
        Parent.whenGone(end::countDown);
        end.await();
        Runtime.getRuntime().halt(0); // what it stored is thrown away
    }

    private static Server server(BareIngest ingest) {
        var threads = new QueuedThreadPool(16, 4);
        threads.setVirtualThreadsExecutor(Executors.newVirtualThreadPerTaskExecutor());
        var server = new Server(threads);
        var configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        var connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(configuration));
        connector.setHost("127.0.0.1");
        connector.setAcceptQueueSize(1024);
        server.addConnector(connector);
        server.setHandler(ingest);
        return server;
    }
}
