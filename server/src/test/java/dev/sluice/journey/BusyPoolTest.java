package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/// Tests a server whose background work holds every connection that it may use.
class BusyPoolTest {

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();

    @AutoClose private final Receiver receiver = Receiver.start();

    @Test
    void changes_deliveries_and_retries_go_on_while_background_work_holds_all_its_connections()
            throws InterruptedException {
        var pool = sluice.relayPool();
        var held = new CountDownLatch(pool.use().max());
        var end = new CountDownLatch(1);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < pool.use().max(); i++) {
                threads.execute(() -> hold(pool, held, end));
            }
            try {
                assertThat(held.await(1, TimeUnit.MINUTES)).isTrue();
                receiver.willAnswer(503, 200);
                var api = sluice.api();
                var source = api.source("shop");
                var destination =
                        api.destination(
                                receiver.url(), ", 'retry_policy': {'intervals_seconds': [1]}");
                api.connect(source, destination);
                var event = api.ingest(source.text("ingest_path"), "{}");

                var delivered = EventReader.delivery(api, event, "succeeded");
                assertThat(delivered.path("attempt_count").asInt()).isEqualTo(2);
            } finally {
                end.countDown();
            }
        }
    }

    /// Holds one connection of the pool until the end, in a transaction that is never idle for
    /// long.
    private static void hold(Db pool, CountDownLatch held, CountDownLatch end) {
        boolean isHeld = false;
        while (!isHeld) {
            try {
                pool.run(tx -> {
                    held.countDown();
                    while (end.getCount() > 0) {
                        tx.query("select pg_sleep(0.2)", _ -> 0);
                    }
                });
                isHeld = true;
            } catch (DbException _) {
                // The background work had all connections; try again.
            }
        }
    }
}
