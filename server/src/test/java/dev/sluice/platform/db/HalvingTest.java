package dev.sluice.platform.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

class HalvingTest {

    private final List<Integer> done = new ArrayList<>();
    private int steps;

    /// Fails as a transaction does: as a whole, if one of its items is bad.
    private void step(List<Integer> part, Set<Integer> bad, RuntimeException failure) {
        steps++;
        if (!Collections.disjoint(part, bad)) {
            throw failure;
        }
        done.addAll(part);
    }

    private static List<Integer> numbers(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    private static DbException refused(String state) {
        return new DbException(new SQLException("refused", state));
    }

    @Test
    void without_a_bad_item_there_is_one_step() {
        assertThat(Halving.run(numbers(512), part -> step(part, Set.of(), refused("XX001"))))
                .isEmpty();
        assertThat(steps).isEqualTo(1);
    }

    @Test
    void all_but_the_bad_ones_are_done_in_few_steps() {
        var failed = Halving.run(numbers(512), part -> step(part, Set.of(77), refused("XX001")));

        assertThat(failed).containsOnlyKeys(77);
        assertThat(done).hasSize(511).doesNotContain(77);
        assertThat(steps).isEqualTo(1 + 2 * 9);
    }

    @Test
    void a_batch_of_nothing_but_bad_ones_ends_too() {
        var all = numbers(5);
        var failed = Halving.run(all, part -> step(part, Set.copyOf(all), refused("22003")));

        assertThat(failed.sequencedKeySet()).containsExactlyElementsOf(all);
    }

    @Test
    void a_refusal_that_passes_says_nothing_about_an_item() {
        for (var state : List.of("08006", "25006", "57014", "40P01", "53100")) {
            var refusal = refused(state);
            assertThatThrownBy(
                            () -> Halving.run(numbers(8), part -> step(part, Set.of(3), refusal)))
                    .isSameAs(refusal);
        }
    }
}
