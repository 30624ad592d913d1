package dev.sluice.engine.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.EventId;
import dev.sluice.platform.id.Uuid7;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.util.Random;

class LedgerRowTest {

    @ParameterizedTest
    @CsvSource({
        "1970-01-01T00:00:00Z,     0",
        "1970-01-01T00:59:59.999Z, 0",
        "1970-01-01T01:00:00Z,     1",
        "2026-03-01T12:00:00Z,     492324",
        "2026-03-01T12:59:59.999Z, 492324",
        "2026-03-01T13:00:00Z,     492325",
    })
    void usage_is_counted_in_the_hour_of_the_event(Instant at, int hour) {
        var event = new EventId(new Uuid7(() -> at, new Random(1)).next(12));

        assertThat(LedgerRow.hourOf(event)).isEqualTo(hour);
    }
}
