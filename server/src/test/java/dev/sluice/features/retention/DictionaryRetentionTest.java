package dev.sluice.features.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Database;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Dictionaries stay as long as an event can name them, and not longer.
class DictionaryRetentionTest {

    private static final Database DATABASE = TestPostgres.newDatabase();
    private static final Duration ONE_DAY = Duration.ofDays(1);

    @TempDir private Path directory;
    private RetentionFixture fixture;
    private SourceId source;
    private final ConnectionId connection = new ConnectionId(Some.id());

    @BeforeEach
    void open() throws IOException {
        fixture =
                new RetentionFixture(
                        DATABASE,
                        directory,
                        """
                        {"items": [{"name": "long", "limits": {"retention_days": 40}}]}
                        """);
        source = fixture.source("long");
    }

    @AfterEach
    void close() {
        fixture.db.close();
    }

    private void insertDictionary(Instant created, Optional<Instant> replaced) {
        fixture.db.run(
                tx -> GivenRows.insertDictionary(tx, source, new byte[1], created, replaced));
    }

    private long dictionaries(String condition) {
        return fixture.count("payload_dictionary where " + condition);
    }

    /// Runs a round an hour after the last one, on each of these days.
    private void daysLater(int days) {
        for (int i = 0; i < days; i++) {
            fixture.clock.advance(ONE_DAY);
            fixture.partitions.makeAhead(fixture.clock.instant());
            fixture.round();
        }
    }

    @Test
    void a_replaced_dictionary_goes_with_the_day_of_the_last_event_that_can_name_it() {
        insertDictionary(Some.NOON, Optional.empty());
        daysLater(2);
        var replacedAt = fixture.clock.instant();
        fixture.db.run(
                tx -> tx.update("update payload_dictionary set replaced_at = ?", replacedAt));
        // Stored by a node that did not know it yet, within the time that a node may take.
        fixture.waiting(source, connection, replacedAt.plus(Duration.ofMinutes(10)));
        daysLater(2);
        assertThat(dictionaries("last_event is not null")).isEqualTo(1);
        fixture.waiting(source, connection, fixture.clock.instant()); // cannot name it

        daysLater(38); // the day of that event is kept for 40 days and one more
        assertThat(fixture.count("event")).isEqualTo(2);
        assertThat(dictionaries("true")).isEqualTo(1);

        daysLater(2);
        assertThat(fixture.count("event")).isEqualTo(1);
        assertThat(dictionaries("true")).isZero();
    }

    @Test
    void the_last_event_is_recorded_a_day_after_the_replacement() {
        insertDictionary(Some.NOON, Optional.of(Instant.parse("2026-03-01T12:00:00Z")));
        fixture.waiting(source, connection, Some.NOON);
        fixture.clock.advance(Duration.ofHours(23));
        fixture.round();
        assertThat(dictionaries("last_event is not null")).isZero();

        fixture.clock.advance(Duration.ofHours(2));
        fixture.round();
        assertThat(dictionaries("last_event = (select max(id::text)::uuid from event)"))
                .isEqualTo(1);
    }

    @Test
    void a_current_dictionary_is_retired_after_thirty_days() {
        insertDictionary(Some.NOON, Optional.empty());
        daysLater(29);
        assertThat(dictionaries("replaced_at is null")).isEqualTo(1);

        daysLater(2);
        assertThat(dictionaries("replaced_at is not null")).isEqualTo(1);
        daysLater(3);
        assertThat(dictionaries("true")).as("no event names it").isZero();
    }
}
