package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.features.audit.DatabaseAuditor;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/// Tests which data retention removes and when, as users see it, and that its removal disturbs
/// nobody. Clocks begin some days ago, because a day that is not over by the database's clock
/// stays.
class RetentionTest {

    private static final Duration DAY = Duration.ofDays(1);
    private static final DateTimeFormatter PARTITION_DATE = DateTimeFormatter.ofPattern("uuuuMMdd");

    @TempDir Path directory;

    private RunningSluice start(ManualClock clock, int days) throws IOException {
        var plans =
                Files.writeString(
                        directory.resolve("plans.json"),
                        "{\"items\": [{\"name\": \"p\", \"limits\": {\"retention_days\": "
                                + days
                                + "}}]}");
        return RunningSluice.start(
                directory.resolve("data"),
                clock,
                Map.of("SLUICE_PLANS_FILE", plans.toString(), "SLUICE_WORKSPACE_PLAN", "p"));
    }

    private static Instant daysAgo(int days) {
        return Instant.now().minus(DAY.multipliedBy(days)).truncatedTo(ChronoUnit.MILLIS);
    }

    @Test
    void what_waits_says_when_it_ends_unsent_and_does() throws IOException {
        var clock = new ManualClock(daysAgo(10));
        try (var sluice = start(clock, 2);
                var db = sluice.db()) {
            var api = sluice.api();
            var source = api.source("s");
            api.connect(
                    source, api.destination("http://127.0.0.1:8000/", ", \"status\": \"paused\""));
            var accepted = api.ingest(source.text("ingest_path"), "{}");
            var expires = EventReader.detail(api, accepted).path("expires_at").asString();
            assertThat(Instant.parse(expires)).isEqualTo(clock.instant().plus(DAY.multipliedBy(2)));
            assertThat(EventReader.delivery(api, accepted).path("reason").asString())
                    .startsWith("Held: the destination is paused.")
                    .doesNotContain("unsent");

            clock.advance(DAY.plus(Duration.ofMinutes(1)));
            assertThat(EventReader.delivery(api, accepted).path("reason").asString())
                    .startsWith("Held: the destination is paused.")
                    .endsWith(
                            " It expires unsent at "
                                    + expires
                                    + ", when the event's retention ends.");

            clock.advance(DAY.plus(Duration.ofHours(1)));
            assertThat(api.get("/api/v1/events/" + accepted.text("request_id")).status())
                    .isEqualTo(404);
            await().untilAsserted(() ->
                    assertThat(ends(db))
                            .containsExactly(
                                    new DeliveryEnd(
                                            DeliveryStatus.FAILED, ErrorCode.EVENT_EXPIRED)));
            assertThat(count(db, "delivery_work")).isZero();
        }
    }

    /// From the delivery that waits to the message that somebody reads.
    @Test
    void deliveries_that_will_expire_are_told_over_an_alert_channel() throws IOException {
        var clock = new ManualClock(daysAgo(10));
        try (var webhook = Receiver.start();
                var sluice = start(clock, 2)) {
            var api = sluice.api();
            var channel =
                    api.post(
                            "/api/v1/alert-configs",
                            "{'channel': 'webhook', 'config': {'url': '" + webhook.url() + "'}}");
            assertThat(channel.status()).isEqualTo(201);
            var source = api.source("s");
            api.connect(
                    source, api.destination("http://127.0.0.1:8000/", ", \"status\": \"paused\""));
            api.ingest(source.text("ingest_path"), "{}");

            clock.advance(DAY.plus(Duration.ofMinutes(1)));
            await().until(() -> !webhook.requests().isEmpty());

            assertThat(webhook.requests().getFirst().body())
                    .contains("\"kind\":\"expiring\"")
                    .contains("1 delivery to \\\"d\\\" will expire");
        }
    }

    private record DeliveryEnd(DeliveryStatus status, ErrorCode error) {}

    private static List<DeliveryEnd> ends(Db db) {
        return db.call(tx ->
                tx.query(
                        "select status, error_code from delivery",
                        row ->
                                new DeliveryEnd(
                                        DeliveryStatus.fromNumber(row.integer("status")),
                                        ErrorCode.fromNumber(row.integer("error_code")))));
    }

    private static long count(Db db, String table) {
        return db.call(
                tx -> tx.single("select count(*) as n from " + table, row -> row.number("n")));
    }

    /// The partitions of the coming days are missing too, as when nothing made them in time.
    @Test
    void midnight_passes_under_load_without_an_error() throws Exception {
        var midnight = daysAgo(5).truncatedTo(ChronoUnit.DAYS);
        var clock = new ManualClock(midnight.minusMillis(500));
        try (var receiver = Receiver.start();
                var sluice = start(clock, 30);
                var db = sluice.db();
                var load = new BackgroundSenders(sluice.api(), receiver)) {
            db.run(tx -> dropFrom(tx, date(midnight)));
            load.awaitAnswers(50);

            clock.advance(Duration.ofSeconds(1));
            load.awaitAnswers(100);

            load.stop();
            assertThat(load.statuses).containsOnly(200);
            assertThat(count(db, "event_" + PARTITION_DATE.format(date(midnight)))).isPositive();
            load.awaitDelivered();
            await().until(() -> count(db, "delivery_work") == 0);
            var hour = Duration.ofHours(1);
            var report = DatabaseAuditor.check(db, midnight.minus(hour), midnight.plus(hour));
            assertThat(report.violations()).isEmpty();
            assertThat(report.events()).isEqualTo(load.statuses.size());
        }
    }

    private static LocalDate date(Instant at) {
        return LocalDate.ofInstant(at, ZoneOffset.UTC);
    }

    private static void dropFrom(Tx tx, LocalDate first) {
        for (int day = 0; day < 8; day++) {
            for (String table : List.of("event", "delivery", "attempt")) {
                tx.update(
                        "drop table if exists "
                                + table
                                + "_"
                                + PARTITION_DATE.format(first.plusDays(day)));
            }
        }
    }

    /// A reader of an old day delays its removal, and nothing else.
    @Test
    void a_reader_delays_the_removal_of_a_day_and_no_traffic() throws Exception {
        var clock = new ManualClock(daysAgo(4));
        try (var receiver = Receiver.start();
                var sluice = start(clock, 1);
                var db = sluice.db();
                var load = new BackgroundSenders(sluice.api(), receiver)) {
            load.awaitAnswers(20);
            var oldest = "event_" + PARTITION_DATE.format(date(clock.instant()).minusDays(1));

            db.snapshot(reading -> {
                long seen = events(reading);
                assertThat(seen).isPositive();
                clock.advance(DAY.multipliedBy(3));
                for (int round = 0; round < 3; round++) {
                    int answered = load.statuses.size() + 20;
                    int delivered = receiver.requests().size() + 20;
                    await().until(() ->
                            events(reading) == seen
                                    && isPending(db, oldest)
                                    && load.statuses.size() > answered
                                    && receiver.requests().size() > delivered);
                    assertThat(blocked(db)).isEmpty();
                    clock.advance(Duration.ofMinutes(1));
                }
                return seen;
            });

            clock.advance(Duration.ofMinutes(1));
            await().until(() -> isGone(db, oldest));
            load.stop();
            assertThat(load.statuses).containsOnly(200);
            await().until(() -> count(db, "delivery_work") == 0);
        }
    }

    private static long events(Tx tx) {
        return tx.single("select count(*) as n from event", row -> row.number("n"));
    }

    private static boolean isPending(Db db, String partition) {
        return db.call(tx ->
                tx.single(
                        """
                        select exists (select from pg_inherits
                                        where inhdetachpending and inhrelid = to_regclass(?)) as is_pending
                        """,
                        row -> row.bool("is_pending"),
                        partition));
    }

    private static boolean isGone(Db db, String table) {
        return db.call(tx ->
                tx.single(
                        "select to_regclass(?) is null as is_gone",
                        row -> row.bool("is_gone"),
                        table));
    }

    /// The statements that wait for a lock of the removal. The removal itself and the creation of
    /// partitions may wait.
    private static List<String> blocked(Db db) {
        return db.call(tx ->
                tx.query(
                        """
                        select waiting.query
                          from pg_stat_activity as waiting,
                               unnest(pg_blocking_pids(waiting.pid)) as blocker
                          join pg_stat_activity as blocking on blocking.pid = blocker
                         where waiting.datname = current_database()
                           and waiting.query !~* '^(alter|drop)'
                           and blocking.query ~* '^(alter|drop)'
                        """,
                        row -> row.text("query")));
    }

    /// Senders that keep sending until they are stopped.
    private static final class BackgroundSenders implements AutoCloseable {

        private static final int SENDER_COUNT = 2;

        final List<Integer> statuses = new CopyOnWriteArrayList<>();

        private final Receiver receiver;
        private final AtomicBoolean isStopped = new AtomicBoolean();
        private final AtomicInteger running = new AtomicInteger(SENDER_COUNT);

        BackgroundSenders(ApiClient api, Receiver receiver) {
            this.receiver = receiver;
            var source = api.source("s");
            api.connect(source, api.destination(receiver.url(), ""));
            String path = source.text("ingest_path");
            for (int i = 0; i < SENDER_COUNT; i++) {
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                while (!isStopped.get()) {
                                    statuses.add(api.ingest(path, "{}").status());
                                }
                            } finally {
                                running.decrementAndGet();
                            }
                        });
            }
        }

        void awaitAnswers(int more) {
            int before = statuses.size();
            await().until(() -> statuses.size() >= before + more);
        }

        void stop() {
            isStopped.set(true);
            await().until(() -> running.get() == 0);
        }

        void awaitDelivered() {
            await().until(() -> receiver.requests().size() >= statuses.size());
        }

        @Override
        public void close() {
            isStopped.set(true);
        }
    }
}
