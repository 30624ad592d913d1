package dev.sluice.observe.sums;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.observe.sums.Cover.Part;
import dev.sluice.observe.sums.Cover.Unit;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;

class CoverTest {

    private static long minute(String time) {
        return Instant.parse(time).getEpochSecond() / 60;
    }

    private static IdRange between(String from, String to) {
        return IdRange.between(Instant.parse(from), Instant.parse(to));
    }

    @Test
    void a_range_is_days_in_the_middle_and_smaller_units_towards_its_ends() {
        var range = between("2026-03-01T22:58:30Z", "2026-03-04T01:02:00.001Z");

        assertThat(Cover.of(range, Unit.MINUTE))
                .containsExactly(
                        new Part.Edge(between("2026-03-04T01:02:00Z", "2026-03-04T01:02:00.001Z")),
                        whole(Unit.MINUTE, "2026-03-04T01:00:00Z", "2026-03-04T01:02:00Z"),
                        whole(Unit.HOUR, "2026-03-04T00:00:00Z", "2026-03-04T01:00:00Z"),
                        whole(Unit.DAY, "2026-03-02T00:00:00Z", "2026-03-04T00:00:00Z"),
                        whole(Unit.HOUR, "2026-03-01T23:00:00Z", "2026-03-02T00:00:00Z"),
                        whole(Unit.MINUTE, "2026-03-01T22:59:00Z", "2026-03-01T23:00:00Z"),
                        new Part.Edge(between("2026-03-01T22:58:30Z", "2026-03-01T22:59:00Z")));
    }

    private static Part whole(Unit unit, String from, String to) {
        return new Part.Whole(unit, minute(from), minute(to));
    }

    @Test
    void a_range_within_a_minute_is_all_edge() {
        var range = between("2026-03-01T12:00:01Z", "2026-03-01T12:00:02Z");

        assertThat(Cover.of(range, Unit.MINUTE)).containsExactly(new Part.Edge(range));
    }

    @Test
    void an_open_range_has_nothing_left_over_at_its_open_end() {
        assertThat(Cover.of(IdRange.between(Some.NOON, Uuid7.FOREVER), Unit.MINUTE).getFirst())
                .isInstanceOf(Part.Whole.class);
    }

    @Test
    void an_empty_range_has_no_parts() {
        assertThat(Cover.of(IdRange.between(Some.NOON, Some.NOON), Unit.MINUTE)).isEmpty();
    }

    @Test
    void the_parts_of_any_range_meet_without_gaps_or_overlaps() {
        var random = new Random(3);
        for (int i = 0; i < 2_000; i++) {
            var from = Some.NOON.plusMillis(random.nextLong(Duration.ofDays(4).toMillis()));
            var range =
                    IdRange.between(
                            random.nextBoolean()
                                    ? from
                                    : from.truncatedTo(java.time.temporal.ChronoUnit.HOURS),
                            from.plusMillis(1L << random.nextInt(30)));

            var high = range.high();
            for (var part : Cover.of(range, Unit.MINUTE)) {
                var ids =
                        switch (part) {
                            case Part.Edge(IdRange edge) -> edge;
                            case Part.Whole(_, long first, long last) ->
                                    IdRange.ofMinutes(first, last);
                        };
                assertThat(ids.high()).isEqualTo(high);
                high = ids.low();
            }
            assertThat(high).isEqualTo(range.low());
        }
    }
}
