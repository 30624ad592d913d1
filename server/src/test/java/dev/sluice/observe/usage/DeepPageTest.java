package dev.sluice.observe.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.observe.usage.PageLocator.PageLocation;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.LongStream;

class DeepPageTest {

    private static final long HOUR_START = Some.NOON.toEpochMilli();
    private static final int HOUR_MILLIS = 3_600_000;
    private static final int ROWS = 50_000;
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
                    DeepPage.skipNewer(
                            new PageLocation(WINDOWS, offset, 51),
                            rows,
                            parts -> count(times, parts));

            assertThat(rows - count(times, found.windows()) + found.offset())
                    .as("rows before the page")
                    .isEqualTo(offset);
            assertThat(found.limit()).isEqualTo(51);
            if (arrivals != Arrivals.IN_ONE_MILLISECOND) {
                assertThat(found.offset()).isLessThanOrEqualTo(250);
            }
            assertThat(counts).isLessThanOrEqualTo(50);
            if (arrivals == Arrivals.EVENLY) {
                assertThat(counts).isLessThanOrEqualTo(10);
            }
        }
    }

    @Test
    void a_page_near_the_beginning_needs_no_count() {
        var page = new PageLocation(WINDOWS, 200, 51);

        assertThat(
                        DeepPage.skipNewer(
                                page,
                                ROWS,
                                _ -> {
                                    throw new AssertionError();
                                }))
                .isSameAs(page);
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
