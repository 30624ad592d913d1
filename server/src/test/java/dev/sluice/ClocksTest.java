package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

class ClocksTest {

    /// No server ran for some days, or the clock leapt while none ran.
    @Test
    void what_cannot_be_undone_goes_by_the_time_of_the_process_before() {
        // The database keeps microseconds.
        var yesterday = Instant.now().truncatedTo(ChronoUnit.MICROS).minus(Duration.ofDays(1));
        try (var db = TestPostgres.open(TestPostgres.newDatabase())) {
            db.run(tx -> tx.update("update clock set settled_at = ?", yesterday));
            var clocks = Clocks.ofDatabase();

            clocks.setBy().accept(db);

            assertThat(clocks.shared().instant()).isAfter(yesterday.plus(Duration.ofHours(23)));
            assertThat(clocks.settled().instant())
                    .isBetween(yesterday, yesterday.plus(Duration.ofHours(1)));
            var saved =
                    db.call(tx ->
                            tx.single(
                                    "select settled_at from clock",
                                    row -> row.instant("settled_at")));
            assertThat(saved).isBetween(yesterday, yesterday.plus(Duration.ofHours(1)));
        }
    }

    @Test
    void in_a_new_database_both_clocks_show_the_same_time() {
        try (var db = TestPostgres.open(TestPostgres.newDatabase())) {
            var clocks = Clocks.ofDatabase();

            clocks.setBy().accept(db);

            assertThat(
                            Duration.between(clocks.settled().instant(), clocks.shared().instant())
                                    .abs())
                    .isLessThan(Duration.ofSeconds(10));
        }
    }

    @Test
    void a_database_that_is_ahead_of_this_machine_does_not_decide_alone() {
        var now = Instant.now();
        var ahead = now.plus(Duration.ofDays(10));

        assertThat(Clocks.earlierOf(() -> ahead, () -> now).instant()).isEqualTo(now);
        assertThat(Clocks.earlierOf(() -> now, () -> ahead).instant()).isEqualTo(now);
    }
}
