package dev.sluice.history.counts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.history.counts.RangeSplitter.BucketUnit;
import dev.sluice.history.counts.RangeSplitter.RangePart;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;

class RangeSplitterTest {

    private static long minute(String time) {
        return Instant.parse(time).getEpochSecond() / 60;
    }

    private static IdRange between(String from, String to) {
        return IdRange.between(Instant.parse(from), Instant.parse(to));
    }

    @Test
    void a_range_is_days_in_the_middle_and_smaller_units_towards_its_ends() {
        var range = between("2026-03-01T22:58:30Z", "2026-03-04T01:02:00.001Z");

        assertThat(RangeSplitter.split(range, BucketUnit.MINUTE))
                .containsExactly(
                        new RangePart.RangeEdge(
                                between("2026-03-04T01:02:00Z", "2026-03-04T01:02:00.001Z")),
                        whole(BucketUnit.MINUTE, "2026-03-04T01:00:00Z", "2026-03-04T01:02:00Z"),
                        whole(BucketUnit.HOUR, "2026-03-04T00:00:00Z", "2026-03-04T01:00:00Z"),
                        whole(BucketUnit.DAY, "2026-03-02T00:00:00Z", "2026-03-04T00:00:00Z"),
                        whole(BucketUnit.HOUR, "2026-03-01T23:00:00Z", "2026-03-02T00:00:00Z"),
                        whole(BucketUnit.MINUTE, "2026-03-01T22:59:00Z", "2026-03-01T23:00:00Z"),
                        new RangePart.RangeEdge(
                                between("2026-03-01T22:58:30Z", "2026-03-01T22:59:00Z")));
    }

    private static RangePart whole(BucketUnit unit, String from, String to) {
        return new RangePart.WholeUnits(unit, minute(from), minute(to));
    }

    @Test
    void a_range_within_a_minute_is_all_edge() {
        var range = between("2026-03-01T12:00:01Z", "2026-03-01T12:00:02Z");

        assertThat(RangeSplitter.split(range, BucketUnit.MINUTE))
                .containsExactly(new RangePart.RangeEdge(range));
    }

    @Test
    void an_open_range_has_nothing_left_over_at_its_open_end() {
        assertThat(
                        RangeSplitter.split(
                                        IdRange.between(Some.NOON, Uuid7.MAX_TIME),
                                        BucketUnit.MINUTE)
                                .getFirst())
                .isInstanceOf(RangePart.WholeUnits.class);
    }

    @Test
    void an_empty_range_has_no_parts() {
        assertThat(RangeSplitter.split(IdRange.between(Some.NOON, Some.NOON), BucketUnit.MINUTE))
                .isEmpty();
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
            for (var part : RangeSplitter.split(range, BucketUnit.MINUTE)) {
                var ids =
                        switch (part) {
                            case RangePart.RangeEdge(IdRange edge) -> edge;
                            case RangePart.WholeUnits(_, long first, long last) ->
                                    IdRange.ofMinutes(first, last);
                        };
                assertThat(ids.high()).isEqualTo(high);
                high = ids.low();
            }
            assertThat(high).isEqualTo(range.low());
        }
    }
}
