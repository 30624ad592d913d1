package dev.sluice.bench.bare;

import dev.sluice.bench.platform.BenchJson;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.platform.ParentProcess;

import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

/// A stripped-down relay that does only the bare minimum: it receives events over HTTP, stores
/// them, posts them to the sink, and stores the results.
///
/// It has no routing, no authentication, no retries, no limits and no address guard, so it is
/// useful only for measurements. It reads the database's address, user and password from
/// environment variables, prints its port as a line of JSON, and runs until its standard input is
/// closed.
public final class BarePipeline {

    static final String DATABASE_URL_VARIABLE = "BARE_DATABASE";
    static final String DATABASE_USER_VARIABLE = "BARE_USER";
    static final String DATABASE_PASSWORD_VARIABLE = "BARE_PASSWORD";

    /// The loopback port that the pipeline listens on.
    record BarePipelinePort(int port) {}

    private BarePipeline() {}

    public static void main(String[] arguments) throws Exception {
        var options = CommandLineOptions.parse(List.of(arguments));
        var sink = options.uri("sink").orElseThrow();
        int inFlight = options.number("in-flight", 64);
        options.rejectUnknown();

        var store = new BareStore();
        var sender = new BareSender(sink, store::finish, inFlight);
        store.start(sender::send);
        var server = server(new BareIngestEndpoint(store::store));
        server.start();
        var connector = (ServerConnector) server.getConnectors()[0];
        System.out.println(BenchJson.compact(new BarePipelinePort(connector.getLocalPort())));

        var end = new CountDownLatch(1);
        ParentProcess.onExit(end::countDown);
        end.await();
        Runtime.getRuntime().halt(0); // no clean shutdown: the data is no longer needed
    }

    private static Server server(BareIngestEndpoint ingest) {
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
