package dev.sluice.platform.id;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testkit.ManualClock;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.random.RandomGenerator;

class Uuid7Test {

    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00.123Z");

    private final ManualClock clock = new ManualClock(NOON);
    private final Uuid7 ids = new Uuid7(clock, new Random(1));

    @Test
    void a_bound_lies_between_what_was_made_before_and_after_however_far() {
        var id = ids.next();

        assertThat(Uuid7.UNSIGNED_ORDER.compare(Uuid7.lowerBound(NOON), id)).isNegative();
        assertThat(Uuid7.UNSIGNED_ORDER.compare(Uuid7.lowerBound(NOON.plusNanos(1)), id))
                .isPositive();
        assertThat(Uuid7.lowerBound(NOON.minusNanos(1))).isEqualTo(Uuid7.lowerBound(NOON));
        assertThat(Uuid7.lowerBound(Instant.MIN)).isEqualTo(Uuid7.lowerBound(Instant.EPOCH));
        assertThat(Uuid7.lowerBound(Instant.MAX)).isEqualTo(Uuid7.lowerBound(Uuid7.MAX_TIME));
    }

    @Test
    void an_id_is_a_version_7_uuid_that_tells_its_time() {
        var id = ids.next();

        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(Uuid7.timeOf(id)).isEqualTo(NOON);
        assertThat(id.toString()).startsWith("019ca945-0a7b-7000-");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MAX_VALUE, Long.MIN_VALUE, 0x5555_5555_5555_5555L})
    void random_bits_disturb_neither_version_nor_variant(long bits) {
        RandomGenerator drawn = () -> bits;
        var id = new Uuid7(clock, drawn).next(12);

        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(id.getLeastSignificantBits() & 0xfff).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 12, 32})
    void low_bits_are_zero_where_an_owner_numbers_its_parts(int bits) {
        long seen = 0;
        for (int i = 0; i < 1_000; i++) {
            long low = ids.next(bits).getLeastSignificantBits();

            assertThat(low & ((1L << bits) - 1)).isZero();
            seen |= low;
        }
        assertThat(seen)
                .as("all other bits are random")
                .isEqualTo(0xbfff_ffff_ffff_ffffL & -(1L << bits));
    }

    @Test
    void ids_of_one_millisecond_are_in_the_order_they_were_made() {
        var made = new ArrayList<UUID>();
        for (int i = 0; i < 10_000; i++) {
            made.add(ids.next());
        }

        assertThat(made.stream().map(UUID::toString).toList()).isSorted().doesNotHaveDuplicates();
        assertThat(Uuid7.timeOf(made.getLast()))
                .as("one millisecond has 4096 ids; the rest use later milliseconds")
                .isEqualTo(NOON.plusMillis(2));
    }

    @Test
    void ids_do_not_go_backwards_when_the_clock_is_set_back_by_up_to_a_minute() {
        var before = ids.next();
        clock.advance(Duration.ofMinutes(-1));
        var after = ids.next();

        assertThat(after.toString()).isGreaterThan(before.toString());
        assertThat(Uuid7.timeOf(after)).isEqualTo(NOON);

        clock.advance(Duration.ofMinutes(1).plusMillis(5));
        assertThat(Uuid7.timeOf(ids.next())).isEqualTo(NOON.plusMillis(5));
    }

    /// They are times too, and events from a time to come would be kept for as much longer.
    @Test
    void ids_follow_a_clock_that_is_set_back_by_more() {
        clock.advance(Duration.ofDays(10));
        ids.next();

        clock.advance(Duration.ofDays(-10));

        assertThat(Uuid7.timeOf(ids.next())).isEqualTo(NOON);
        assertThat(Uuid7.timeOf(ids.next())).isEqualTo(NOON);
    }

    @Test
    void two_threads_never_make_the_same_id() throws InterruptedException {
        var shared = new Uuid7(InstantSource.system(), () -> 42);
        var one = new ArrayList<UUID>();
        var other = new ArrayList<UUID>();
        var threads = List.of(making(shared, one), making(shared, other));
        for (var thread : threads) {
            thread.join();
        }

        var all = new HashSet<>(one);
        all.addAll(other);
        assertThat(all).hasSize(100_000);
        assertThat(one.stream().map(UUID::toString).toList()).isSorted();
        assertThat(other.stream().map(UUID::toString).toList()).isSorted();
    }

    private static Thread making(Uuid7 ids, List<UUID> made) {
        return Thread.ofPlatform()
                .start(() -> {
                    for (int i = 0; i < 50_000; i++) {
                        made.add(ids.next());
                    }
                });
    }

    @Test
    void a_moment_is_the_floor_of_all_ids_made_then_or_later() {
        var floor = Uuid7.floor(NOON);
        var before = new Uuid7(() -> NOON.minusMillis(1), () -> -1L).next();
        var lowest = new Uuid7(() -> NOON, () -> 0L).next();

        assertThat(floor).hasToString("019ca945-0a7b-0000-0000-000000000000");
        assertThat(Uuid7.timeOf(floor)).isEqualTo(NOON);
        assertThat(before.toString()).isLessThan(floor.toString());
        assertThat(lowest.toString()).isGreaterThan(floor.toString());
    }
}
