package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/// Tests that two nodes live side by side when the data directory of one is a copy of the other's,
/// as after cloning a virtual machine or restoring a volume.
class CopiedDirectoryTest {

    @TempDir Path directory;

    private static Map<Long, Instant> leases(Db db) {
        var leases = new HashMap<Long, Instant>();
        db.call(tx ->
                        tx.query(
                                "select epoch, lease_until from node where state = 'live'",
                                row -> Map.entry(row.number("epoch"), row.instant("lease_until"))))
                .forEach(entry -> leases.put(entry.getKey(), entry.getValue()));
        return leases;
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectory(to);
        try (var files = Files.list(from)) {
            for (var file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    @Test
    void neither_fences_the_other_and_nothing_is_sent_twice() throws IOException {
        var answer = new CountDownLatch(1);
        try (var receiver = Receiver.start();
                var first = RunningSluice.start(directory.resolve("data"));
                var db = first.db()) {
            receiver.willDo(new Receiver.GatedBehaviour(answer, Receiver.answer(200, "")));
            var source = first.api().source("s");
            first.api()
                    .connect(
                            source,
                            first.api().destination(receiver.url(), ", 'timeout_ms': 60000"));
            var accepted = first.api().ingest(source.text("ingest_path"), "{}");
            await().until(() -> receiver.requests().size() == 1);
            var before = leases(db);
            copy(directory.resolve("data"), directory.resolve("copy"));

            try (var second =
                    RunningSluice.start(
                            directory.resolve("copy"),
                            InstantSource.system(),
                            Map.of("SLUICE_DATABASE_URL", TestPostgres.url(first.database())))) {
                var both = leases(db);
                assertThat(both).hasSize(2).containsKeys(before.keySet().toArray(Long[]::new));
                await().until(() -> areRenewed(both, leases(db)));

                assertThat(leases(db).keySet()).isEqualTo(both.keySet());
                assertThat(recoveries(db)).as("deaths counted").isZero();
                answer.countDown();
                EventReader.delivery(second.api(), accepted, "succeeded");
                assertThat(receiver.requests()).hasSize(1);
            }
        }
    }

    /// Whether each node has renewed its lease, or is gone.
    private static boolean areRenewed(Map<Long, Instant> before, Map<Long, Instant> now) {
        return before.entrySet().stream()
                .noneMatch(entry -> entry.getValue().equals(now.get(entry.getKey())));
    }

    private static long recoveries(Db db) {
        return db.call(tx ->
                tx.single(
                        "select coalesce(sum(recoveries), 0) as n from delivery_work",
                        row -> row.number("n")));
    }
}
