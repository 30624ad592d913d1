package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.platform.db.Db;
import dev.sluice.testkit.Nightly;
import dev.sluice.testkit.RelayProcess;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/// Tests four relay processes that spend one workspace's monthly quota, and one of them is killed.
@Nightly
class QuotaOfProcessesTest {

    private static final int NODES = 4;
    private static final int QUOTA = 2_000;
    private static final int OFFERED = 4_000;
    private static final int SENDERS_PER_NODE = 4;

    /// The most that a node reserves at once, which is all that its death can lose.
    private static final int MAX_CHUNK = QUOTA / 100;

    @TempDir private static Path directory;

    private final List<RelayProcess> nodes = new ArrayList<>();

    @AfterEach
    void close() {
        nodes.forEach(RelayProcess::close);
    }

    private static Map<String, String> plan() throws IOException {
        var file = directory.resolve("plans.json");
        Files.writeString(
                file,
                """
                {"items": [{"name": "small", "limits": {"events_per_month": %d, "retention_days": 3}}]}
                """
                        .formatted(QUOTA));
        return Map.of("SLUICE_PLANS_FILE", file.toString(), "SLUICE_WORKSPACE_PLAN", "small");
    }

    @Test
    void never_more_than_the_quota_is_accepted_and_a_killed_one_loses_a_hundredth_at_most()
            throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var database = TestPostgres.newDatabase();
            var settings = plan();
            nodes.add(RelayProcess.start(directory.resolve("0"), database, settings));
            for (var started :
                    threads.invokeAll(
                            IntStream.range(1, NODES)
                                    .<Callable<RelayProcess>>mapToObj(i ->
                                            () ->
                                                    RelayProcess.start(
                                                            directory.resolve("" + i),
                                                            database,
                                                            settings))
                                    .toList())) {
                nodes.add(started.get());
            }
            String path = nodes.getFirst().api().source("Shop").text("ingest_path");
            var accepted = new AtomicInteger();
            var offered = new AtomicInteger();
            var senders = new ArrayList<Callable<Boolean>>();
            for (int i = 0; i < NODES * SENDERS_PER_NODE; i++) {
                var node = nodes.get(i % NODES);
                senders.add(() -> {
                    while (offered.getAndIncrement() < OFFERED) {
                        offer(node, path, accepted);
                        if (accepted.get() > QUOTA / 2) {
                            nodes.getLast().kill();
                        }
                    }
                    return true;
                });
            }
            threads.invokeAll(senders);

            try (var db = TestPostgres.open(database)) {
                assertThat(accepted.get()).isBetween(QUOTA - NODES * MAX_CHUNK, QUOTA);
                // The killed node may have stored events without answering.
                assertThat(stored(db)).isBetween((long) accepted.get(), (long) QUOTA);
                // Those that stop return what they hold.
                nodes.subList(1, NODES - 1).forEach(RelayProcess::stop);
                await().untilAsserted(() -> {
                    while (offer(nodes.getFirst(), path, accepted)) {
                        assertThat(accepted.get()).isLessThanOrEqualTo(QUOTA);
                    }
                    assertThat(stored(db)).isGreaterThanOrEqualTo(QUOTA - MAX_CHUNK);
                });
                assertThat(stored(db)).isLessThanOrEqualTo(QUOTA);
            }
        }
    }

    private static boolean offer(RelayProcess node, String path, AtomicInteger accepted) {
        try {
            boolean isAccepted = node.api().ingest(path, "{}").status() == 200;
            if (isAccepted) {
                accepted.incrementAndGet();
            }
            return isAccepted;
        } catch (UncheckedIOException e) {
            return false; // the node was killed
        }
    }

    private static long stored(Db db) {
        return db.call(tx -> tx.single("select count(*) as n from event", row -> row.number("n")));
    }
}
