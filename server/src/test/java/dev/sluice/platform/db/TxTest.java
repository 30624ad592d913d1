package dev.sluice.platform.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

class TxTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-03-01T12:00:00.687999500Z",
                "2026-03-01T12:00:00.687999999Z",
                "2026-12-31T23:59:59.999999999Z",
                "1969-12-31T23:59:59.000000999Z",
            })
    void a_time_is_never_read_back_later_than_it_was_written(Instant time) {
        try (var db = TestPostgres.open(TestPostgres.newDatabase())) {
            var stored =
                    db.call(tx ->
                            tx.single(
                                    "select ?::timestamptz as time",
                                    row -> row.instant("time"),
                                    time));

            assertThat(stored).isEqualTo(time.truncatedTo(ChronoUnit.MICROS));
        }
    }
}
