package dev.sluice.platform.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

class DatabaseClockTest {

    private Db db;

    /// A monotonic clock that advances with each reading, because a round trip takes time.
    private final AtomicLong nanos = new AtomicLong();

    private final Duration step = Duration.ofMillis(1);

    @BeforeEach
    void open() {
        db = TestPostgres.open(TestPostgres.newDatabase());
    }

    @AfterEach
    void close() {
        db.close();
    }

    private long tick() {
        return nanos.addAndGet(step.toNanos());
    }

    private Instant databaseTime() {
        return db.call(
                tx -> tx.single("select clock_timestamp() as time", row -> row.instant("time")));
    }

    @ParameterizedTest
    @ValueSource(longs = {-3_600, -600, 0, 600, 3_600})
    void a_host_whose_clock_is_wrong_goes_by_the_databases(long secondsOff) {
        var host = new ManualClock(Instant.now().plusSeconds(secondsOff));
        var clock = new DatabaseClock(host, System::nanoTime);

        clock.syncWith(db);

        assertThat(clock.instant()).isCloseTo(databaseTime(), within(1, ChronoUnit.SECONDS));
    }

    @Test
    void setting_the_hosts_clock_moves_nothing() {
        var host = ManualClock.ofNow();
        var clock = new DatabaseClock(host, System::nanoTime);
        clock.syncWith(db);

        host.advance(Duration.ofHours(-1));

        assertThat(clock.instant()).isCloseTo(databaseTime(), within(1, ChronoUnit.SECONDS));
    }

    @Test
    void it_goes_on_by_the_monotonic_clock() {
        var clock = new DatabaseClock(new ManualClock(Instant.EPOCH), nanos::get);

        nanos.addAndGet(Duration.ofSeconds(90).toNanos());

        assertThat(clock.instant()).isEqualTo(Instant.EPOCH.plusSeconds(90));
    }

    @Test
    void a_look_that_agrees_within_its_round_trip_changes_nothing() {
        var hours = new AtomicLong();
        var start = databaseTime();
        var clock =
                new DatabaseClock(
                        new ManualClock(start),
                        () -> Duration.ofHours(hours.getAndIncrement()).toNanos());
        hours.set(0);

        clock.syncWith(db); // the first round trip takes an hour, so its middle is at 30 minutes

        hours.set(0);
        assertThat(clock.instant()).isEqualTo(start);
    }

    @Test
    void of_several_looks_the_quickest_is_believed() {
        var clock = new DatabaseClock(new ManualClock(Instant.EPOCH), this::tick);

        clock.syncWith(db);

        assertThat(clock.instant()).isCloseTo(databaseTime(), within(1, ChronoUnit.SECONDS));
    }
}
