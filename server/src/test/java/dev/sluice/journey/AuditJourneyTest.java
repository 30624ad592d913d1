package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;

class AuditJourneyTest {

    @TempDir Path dataDir;

    @Test
    void a_running_server_finds_what_was_lost_in_an_hour_that_is_over() throws IOException {
        var start = Instant.now();
        var hour = start.truncatedTo(ChronoUnit.HOURS);
        var clock = new ManualClock(start);
        try (var receiver = Receiver.start();
                var sluice = RunningSluice.start(dataDir, clock, Map.of());
                var db = sluice.db()) {
            var api = sluice.api();
            var source = api.source("s");
            api.connect(source, api.destination(receiver.url(), ""));
            EventReader.delivery(api, api.ingest(source.text("ingest_path"), "{}"), "succeeded");
            db.run(tx -> tx.update("delete from delivery"));

            clock.advance(Duration.ofMinutes(66));

            await().untilAsserted(() -> {
                skipTo(db, hour); // so that the audit need not check all of yesterday
                // One delivery is lost, and two counts lack it: deliveries made and
                // deliveries succeeded.
                assertThat(violations(db)).isEqualTo(3);
            });
        }
    }

    private static void skipTo(Db db, Instant hour) {
        db.run(tx -> tx.update("update audit set checked_to = ? where checked_to < ?", hour, hour));
    }

    private static long violations(Db db) {
        return db.call(
                tx -> tx.single("select violations from audit", row -> row.number("violations")));
    }
}
