package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.id.Uuid7;
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
import java.util.UUID;

/// Tests what a leap of the clock does, and what it does not do.
class ClockLeapTest {

    private static final Duration TEN_DAYS = Duration.ofDays(10);
    private static final Duration LONGER_THAN_ANY_RETENTION = Duration.ofDays(400);

    @TempDir Path dataDir;

    private static long count(Db db, String rows) {
        return db.call(
                tx -> tx.single("select count(*) as n from " + rows, row -> row.number("n")));
    }

    @Test
    void ingest_goes_on_through_a_leap_and_after_it() throws IOException {
        var clock = ManualClock.ofNow();
        try (var receiver = Receiver.start();
                var sluice = RunningSluice.start(dataDir, clock, Map.of())) {
            var api = sluice.api();
            var source = api.source("s");
            api.connect(source, api.destination(receiver.url(), ""));
            String path = source.text("ingest_path");
            assertThat(api.ingest(path, "{}").status()).isEqualTo(200);

            clock.advance(TEN_DAYS);
            assertThat(api.ingest(path, "{}").status()).isEqualTo(200);

            clock.advance(TEN_DAYS.negated());
            var after = api.ingest(path, "{}");
            assertThat(after.status()).isEqualTo(200);
            assertThat(Uuid7.timeOf(UUID.fromString(after.text("request_id"))))
                    .as("the time of its arrival")
                    .isCloseTo(clock.instant(), within(1, ChronoUnit.SECONDS));
            await().until(() -> receiver.requests().size() == 3);
        }
    }

    @Test
    void a_retry_that_was_scheduled_during_a_leap_is_made_when_the_leap_is_over()
            throws IOException {
        var clock = ManualClock.ofNow();
        try (var receiver = Receiver.start();
                var sluice = RunningSluice.start(dataDir, clock, Map.of());
                var db = sluice.db()) {
            receiver.willAnswer(503, 200);
            var api = sluice.api();
            var source = api.source("s");
            api.connect(source, api.destination(receiver.url(), ""));
            clock.advance(TEN_DAYS);
            api.ingest(source.text("ingest_path"), "{}");
            await().until(() -> count(db, "delivery_work where attempts = 1") == 1);

            clock.advance(TEN_DAYS.negated());

            await().until(() -> receiver.requests().size() == 2);
            await().until(() -> count(db, "delivery_work") == 0);
        }
    }

    @Test
    void a_leap_ends_nothing_for_good_until_it_is_believed() throws IOException {
        var clock = ManualClock.ofNow();
        var settledClock = new ManualClock(clock.instant());
        try (var receiver = Receiver.start();
                var sluice = RunningSluice.start(dataDir, clock, settledClock);
                var db = sluice.db()) {
            var api = sluice.api();
            var source = api.source("s");
            var destination = api.destination(receiver.url(), ", 'status': 'paused'");
            api.connect(source, destination);
            api.ingest(source.text("ingest_path"), "{}");
            var trashed = api.source("t");
            api.delete("/api/v1/sources/" + trashed.text("id"));

            clock.advance(LONGER_THAN_ANY_RETENTION);
            sluice.restart(); // each loop begins with a round
            var after = sluice.api();
            after.patch("/api/v1/destinations/" + destination.text("id"), "{'status': 'active'}");
            await().until(() -> receiver.requests().size() == 1);
            assertThat(count(db, "source where purged_at is not null")).isZero();
            assertThat(count(db, "event")).isEqualTo(1);

            settledClock.advance(LONGER_THAN_ANY_RETENTION);
            sluice.restart();
            await().until(() -> count(db, "source where purged_at is not null") == 1);
            await().until(() -> count(db, "event") == 0);
        }
    }

    /// The circuit's cooldown began in a time that is still to come.
    @Test
    void a_clock_that_is_set_back_keeps_no_circuit_open() throws IOException {
        var clock = new ManualClock(Instant.now().plus(TEN_DAYS));
        try (var receiver = Receiver.start();
                var sluice = RunningSluice.start(dataDir, clock, Map.of());
                var db = sluice.db()) {
            receiver.willAnswer(503, 503, 503, 503, 503, 200);
            var api = sluice.api();
            var source = api.source("s");
            api.connect(source, api.destination(receiver.url(), ""));
            for (int i = 0; i < 5; i++) {
                api.ingest(source.text("ingest_path"), "{}");
            }
            await().until(() -> count(db, "circuit where state = 'open'") == 1);

            clock.advance(TEN_DAYS.negated());

            await().until(() -> count(db, "delivery_work") == 0);
        }
    }
}
