package dev.sluice.engine.settle;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class SlowStartTest {

    private static List<Integer> widths(int limit) {
        var widths = new ArrayList<Integer>();
        var start = Optional.of(SlowStart.INITIAL);
        while (start.isPresent()) {
            widths.add(start.get().concurrency());
            start = start.get().afterReached(limit);
        }
        return widths;
    }

    @Test
    void the_width_doubles_after_as_many_successes_and_ends_at_the_limit() {
        assertThat(widths(16)).containsExactly(1, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8);
    }

    @Test
    void a_limit_that_is_no_power_of_two_is_reached_from_below() {
        assertThat(widths(5)).containsExactly(1, 2, 2, 4, 4, 4, 4);
    }

    @Test
    void a_limit_of_one_or_two_is_reached_with_the_first_success() {
        assertThat(widths(1)).containsExactly(1);
        assertThat(widths(2)).containsExactly(1);
    }
}
