package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// Receivers on real sockets that cannot take as much as arrives.
class PacedReceiverTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();

    private final ApiClient api = sluice.api();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server = start();
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger inside = new AtomicInteger();

    // Guarded by this object's monitor.
    private double tokens;
    private long filledAt = System.nanoTime();

    private HttpServer start() {
        try {
            var made =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 256);
            made.setExecutor(threads);
            made.start();
            return made;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void stop() {
        server.stop(0);
        threads.close();
    }

    /// Answers one request: 200, or this status.
    @FunctionalInterface
    private interface Model {
        int statusOf(HttpExchange exchange) throws InterruptedException;
    }

    private void answer(Model model) {
        server.createContext(
                "/",
                exchange -> {
                    try (exchange) {
                        exchange.getRequestBody().readAllBytes();
                        int status = model.statusOf(exchange);
                        (status == 200 ? taken : refused).incrementAndGet();
                        exchange.sendResponseHeaders(status, -1);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
    }

    private synchronized boolean takesToken(double perSecond) {
        long now = System.nanoTime();
        tokens = Math.min(perSecond, tokens + (now - filledAt) / 1e9 * perSecond);
        filledAt = now;
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }

    private ApiClient.ApiResponse destination() {
        return api.destination("http://127.0.0.1:" + server.getAddress().getPort() + "/", "");
    }

    private void send(ApiClient.ApiResponse destination, int events) {
        var source = api.source("s");
        api.connect(source, destination);
        for (int i = 0; i < events; i++) {
            assertThat(api.ingest(source.text("ingest_path"), "{}").status()).isEqualTo(200);
        }
    }

    /// It got 24 in the first minute.
    @Test
    void receiver_of_twenty_a_second_gets_nearly_as_many() {
        answer(_ -> takesToken(20) ? 200 : 429);
        long begun = System.nanoTime();
        send(destination(), 300);

        await().atMost(Duration.ofSeconds(60)).until(() -> taken.get() >= 220);

        double possible = (System.nanoTime() - begun) / 1e9 * 20;
        assertThat(taken.get()).isGreaterThan((int) (0.5 * possible));
        assertThat(refused.get()).isLessThan(taken.get() / 2);
    }

    @Test
    void receiver_of_four_at_a_time_refuses_few() {
        answer(_ -> {
            try {
                if (inside.incrementAndGet() > 4) {
                    return 503;
                }
                assertThat(new CountDownLatch(1).await(50, TimeUnit.MILLISECONDS)).isFalse();
                return 200;
            } finally {
                inside.decrementAndGet();
            }
        });
        send(destination(), 400);

        await().atMost(Duration.ofSeconds(60)).until(() -> taken.get() >= 300);

        assertThat(refused.get()).isLessThan(100);
    }

    @Test
    void receiver_that_answers_nothing_but_429_is_open_after_five() {
        answer(exchange -> {
            exchange.getResponseHeaders().set("Retry-After", "1");
            return 429;
        });
        var destination = destination();
        var source = api.source("s");
        api.connect(source, destination);
        for (int i = 1; i <= 5; i++) {
            assertThat(api.ingest(source.text("ingest_path"), "{}").status()).isEqualTo(200);
            int count = i;
            await().until(() -> refused.get() >= count);
        }

        await().atMost(Duration.ofSeconds(5))
                .until(() ->
                        api.get("/api/v1/destinations/" + destination.text("id"))
                                .text("circuit_state")
                                .equals("open"));
        assertThat(refused.get()).isEqualTo(5);
    }
}
