package dev.sluice.bench.scenario;

import dev.sluice.bench.load.LoadPattern;
import dev.sluice.bench.load.LoadPlan;
import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.platform.BenchJson;
import dev.sluice.bench.platform.CommandLineException;
import dev.sluice.bench.platform.UncheckedCalls;
import dev.sluice.bench.relay.RelayApi;
import dev.sluice.bench.relay.RelayApi.BenchSource;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// An attack in which one sender tries to use up resources that all sources share. Each attack is
/// prepared once and can then be started any number of times. Closing the object that `start`
/// returns ends the attack.
enum NeighbourAttack {

    /// Opens many connections. Each sends all but the last 4 bytes of a 1 MiB body, then three of
    /// those 4 bytes, one every 15 s, and is then closed. Every closed connection is reopened,
    /// whichever side closed it.
    BODIES("137 connections hold a body of 1 MiB, 4 bytes short") {
        private static final int CONNECTIONS = 137;
        private static final int BODY_BYTES = 1 << 20;
        private static final int LAST_BYTES = 4;

        @Override
        BenchSource prepare(RelayApi api) {
            return api.createSource("attacker with bodies");
        }

        @Override
        AutoCloseable start(BenchSource source) {
            return new RepeatedCalls(CONNECTIONS, stop -> hold(source.ingest(), stop));
        }

        private static void hold(URI ingest, CountDownLatch stop) throws InterruptedException {
            try (var socket = new Socket(ingest.getHost(), ingest.getPort())) {
                var out = socket.getOutputStream();
                String head =
                        "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %s\r\n\r\n"
                                .formatted(
                                        ingest.getRawPath(),
                                        ingest.getRawAuthority(),
                                        Integer.toString(BODY_BYTES));
                out.write(head.getBytes(StandardCharsets.US_ASCII));
                out.write(new byte[BODY_BYTES - LAST_BYTES]);
                for (int sent = 1; sent < LAST_BYTES && !stop.await(15, TimeUnit.SECONDS); sent++) {
                    out.write(' ');
                    out.flush();
                }
            } catch (IOException refused) {
                boolean _ = stop.await(100, TimeUnit.MILLISECONDS);
            }
        }
    },

    /// Sends events through expensive filters, which compare long lists of operands with long
    /// arrays.
    FILTERS("20 events/s of 180 KB through five connections with filters that cost much") {
        private static final int CONNECTIONS = 5;
        private static final int PER_SECOND = 20;
        private static final int ARRAYS = 60_000;
        private static final int OPERANDS = 2_700;

        @Override
        BenchSource prepare(RelayApi api) {
            var source = api.createSource("attacker with filters");
            var rule =
                    Map.of(
                            "path", "body.a",
                            "op", "contains",
                            "value", Collections.nCopies(OPERANDS, 0));
            var filter = Map.of("operator", "and", "rules", List.of(rule));
            for (int i = 0; i < CONNECTIONS; i++) {
                String destination = pausedDestination(api, "filters " + i);
                api.connect(source, destination, Map.of("filter_rules", filter));
            }
            return source;
        }

        @Override
        AutoCloseable start(BenchSource source) {
            String body = BenchJson.compact(Map.of("a", Collections.nCopies(ARRAYS, List.of())));
            return PacedPosts.start(PER_SECOND, source.ingest(), body);
        }
    },

    /// Sends small events that each cause many deliveries.
    WIDE("10 events/s of a source with 1 000 connections to paused destinations") {
        private static final int CONNECTIONS = 1_000;
        private static final int PER_SECOND = 10;

        @Override
        BenchSource prepare(RelayApi api) {
            var source = api.createSource("attacker with connections");
            for (int i = 0; i < CONNECTIONS; i++) {
                api.connect(source, pausedDestination(api, "wide " + i), Map.of());
            }
            return source;
        }

        @Override
        AutoCloseable start(BenchSource source) {
            return PacedPosts.start(PER_SECOND, source.ingest(), "{\"wide\":true}");
        }
    },

    /// Sends small events to a source like the one that [#WIDE] uses, as fast as the relay accepts
    /// them.
    WIDE_FLOOD("the same, 32 connections back to back") {
        @Override
        BenchSource prepare(RelayApi api) {
            return WIDE.prepare(api);
        }

        @Override
        AutoCloseable start(BenchSource source) {
            var load =
                    LoadProcess.start(
                            LoadPlan.of(new LoadPattern.BackToBack(), 32, source.ingest())
                                    .sized(128));
            load.awaitMeasuring();
            return load;
        }
    };

    private final String offered;

    NeighbourAttack(String offered) {
        this.offered = offered;
    }

    static NeighbourAttack named(String name) {
        return Arrays.stream(values())
                .filter(attack -> attack.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() ->
                        new CommandLineException(
                                "--attack must be one of "
                                        + Arrays.toString(values()).toLowerCase(Locale.ROOT)));
    }

    /// Describes in words what the attacker sends.
    String offered() {
        return offered;
    }

    abstract BenchSource prepare(RelayApi api);

    abstract AutoCloseable start(BenchSource source);

    private static String pausedDestination(RelayApi api, String name) {
        var nowhere = URI.create("http://127.0.0.1:8099/");
        String destination = api.createDestination(name, nowhere, 32, List.of(3_600));
        api.setStatus(destination, "paused");
        return destination;
    }

    /// Repeats a call on several threads until this object is closed.
    private static final class RepeatedCalls implements AutoCloseable {

        private interface Call {
            void run(CountDownLatch stop) throws InterruptedException;
        }

        private final CountDownLatch stop = new CountDownLatch(1);
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

        RepeatedCalls(int count, Call call) {
            for (int i = 0; i < count; i++) {
                var _ = threads.submit(() -> repeat(call));
            }
        }

        private boolean repeat(Call call) throws InterruptedException {
            while (stop.getCount() > 0) {
                call.run(stop);
            }
            return true;
        }

        @Override
        public void close() {
            stop.countDown();
            threads.close();
        }
    }

    /// Posts at a constant rate, but skips a request while 32 others are open. A request that times
    /// out is not repeated.
    private static final class PacedPosts {

        private static final int MAX_OPEN = 32;

        private PacedPosts() {}

        static AutoCloseable start(int perSecond, URI ingest, String body) {
            var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
            var request =
                    HttpRequest.newBuilder(ingest)
                            .timeout(Duration.ofSeconds(15))
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString(body))
                            .build();
            var open = new Semaphore(MAX_OPEN);
            var calls =
                    new RepeatedCalls(
                            1,
                            stop -> {
                                if (open.tryAcquire()) {
                                    var _ =
                                            client.sendAsync(request, BodyHandlers.discarding())
                                                    .whenComplete((_, _) -> open.release());
                                }
                                boolean _ = stop.await(1_000 / perSecond, TimeUnit.MILLISECONDS);
                            });
            return () -> {
                calls.close();
                UncheckedCalls.uncheckedRun(() -> open.acquire(MAX_OPEN));
                client.close();
            };
        }
    }
}
