package dev.sluice.history.counts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.history.counts.PageLocator.PageLocation;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;

class DeepPageTest {

    private static final long HOUR_START = Some.NOON.toEpochMilli();
    private static final int HOUR_MILLIS = 3_600_000;
    private static final int ROWS = 50_000;
    private static final long MAX_SKIPPED = 200;
    private static final IdRange HOUR = millis(0, HOUR_MILLIS);
    private static final UUID ONE = Some.id();
    private static final UUID OTHER = Some.id();
    private static final List<SourceWindow> WINDOWS =
            List.of(
                    new SourceWindow(ONE, millis(0, HOUR_MILLIS / 2), true),
                    new SourceWindow(OTHER, millis(HOUR_MILLIS / 4, HOUR_MILLIS), true));

    private int counts;

    /// When the rows of an hour arrived.
    enum Arrivals {
        EVENLY,
        IN_THE_FIRST_SECOND,
        IN_THE_LAST_SECOND,
        IN_ONE_MILLISECOND,
        MORE_AND_MORE;

        long[] times(Random random) {
            return LongStream.range(0, ROWS)
                    .map(i ->
                            switch (this) {
                                case EVENLY -> random.nextInt(HOUR_MILLIS);
                                case IN_THE_FIRST_SECOND -> random.nextInt(1000);
                                case IN_THE_LAST_SECOND -> HOUR_MILLIS - 1 - random.nextInt(1000);
                                case IN_ONE_MILLISECOND -> 1_234_567;
                                case MORE_AND_MORE ->
                                        (long) (HOUR_MILLIS * Math.pow(random.nextDouble(), 0.1))
                                                - 1;
                            })
                    .map(millis -> HOUR_START + Math.clamp(millis, 0, HOUR_MILLIS - 1))
                    .sorted()
                    .toArray();
        }
    }

    @ParameterizedTest
    @EnumSource(Arrivals.class)
    void the_page_begins_at_the_same_row_and_few_rows_before_it_are_left(Arrivals arrivals) {
        var random = new Random(1);
        long[] times = arrivals.times(random);
        long rows = count(times, WINDOWS);

        for (int i = 0; i < 200; i++) {
            long offset = random.nextLong(rows);
            counts = 0;
            var found =
                    new DeepPage(
                                    new PageLocation(WINDOWS, offset, 51),
                                    HOUR,
                                    rows,
                                    MAX_SKIPPED,
                                    parts -> count(times, parts),
                                    () -> 0)
                            .find();

            assertThat(rows - count(times, found.windows()) + found.offset())
                    .as("rows before the page")
                    .isEqualTo(offset);
            assertThat(found.limit()).isEqualTo(51);
            if (arrivals != Arrivals.IN_ONE_MILLISECOND) {
                assertThat(found.offset()).isLessThanOrEqualTo(MAX_SKIPPED);
            }
            assertThat(counts).isLessThanOrEqualTo(45);
            if (arrivals == Arrivals.EVENLY) {
                assertThat(counts).isLessThanOrEqualTo(15);
            }
        }
    }

    /// A page that begins in a busy hour and ends in quiet ones must not count rows of those.
    @Test
    void only_rows_of_the_unit_in_which_the_page_begins_are_counted() {
        long[] times = Arrivals.EVENLY.times(new Random(1));
        var weekBefore =
                new SourceWindow(
                        ONE, IdRange.between(Some.NOON.minus(Duration.ofDays(7)), Some.NOON), true);
        var windows = Stream.concat(WINDOWS.stream(), Stream.of(weekBefore)).toList();
        long rows = count(times, WINDOWS);

        var found =
                new DeepPage(
                                new PageLocation(windows, rows - 1, 51),
                                HOUR,
                                rows,
                                MAX_SKIPPED,
                                parts -> {
                                    assertThat(parts)
                                            .allMatch(part -> HOUR.contains(part.ids().low()));
                                    return count(times, parts);
                                },
                                () -> 0)
                        .find();

        assertThat(found.windows()).contains(weekBefore);
        assertThat(found.offset()).isLessThanOrEqualTo(MAX_SKIPPED);
    }

    /// Rows of neighbours may make counting slow.
    @Test
    void counting_ends_when_it_takes_longer_than_skipping() {
        counts = 0;
        var found =
                new DeepPage(
                                new PageLocation(WINDOWS, 600, 51),
                                HOUR,
                                ROWS,
                                MAX_SKIPPED,
                                _ -> {
                                    counts++;
                                    return ROWS - 1;
                                },
                                () -> counts * Duration.ofMillis(50).toNanos())
                        .find();

        assertThat(counts).isEqualTo(1);
        assertThat(found.offset()).isEqualTo(600);
    }

    /// Each window has the rows of its time.
    private long count(long[] times, List<SourceWindow> windows) {
        counts++;
        assertThat(windows).isNotEmpty();
        return windows.stream()
                .mapToLong(window ->
                        before(times, window.ids().high()) - before(times, window.ids().low()))
                .sum();
    }

    private static long before(long[] times, UUID id) {
        long millis = Uuid7.millisOf(id);
        int found = Arrays.binarySearch(times, millis);
        int first = found < 0 ? -found - 1 : found;
        while (first > 0 && times[first - 1] == millis) {
            first--;
        }
        return first;
    }

    private static IdRange millis(int from, int to) {
        return IdRange.between(
                Instant.ofEpochMilli(HOUR_START + from), Instant.ofEpochMilli(HOUR_START + to));
    }
}
