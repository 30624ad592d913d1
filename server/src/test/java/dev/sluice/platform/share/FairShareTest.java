package dev.sluice.platform.share;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

class FairShareTest {

    private final FairShare share = new FairShare(120);
    private final List<Portion> portions =
            IntStream.range(0, 40).mapToObj(_ -> new Portion()).toList();

    /// Takes as many units as the rule allows, and returns how many the holder then has.
    private int takeAll(Portion portion) {
        while (share.mayTake(portion)) {
            share.take(portion);
        }
        return portion.held();
    }

    @Test
    void one_alone_may_have_half() {
        assertThat(takeAll(portions.get(0))).isEqualTo(60);
    }

    @Test
    void those_that_come_later_to_greedy_ones_have_a_sixth_a_twelfth_and_so_on() {
        assertThat(portions.subList(0, 5))
                .extracting(this::takeAll)
                .containsExactly(60, 20, 10, 6, 4);
        assertThat(share.free()).isEqualTo(20);
    }

    @Test
    void those_that_come_together_have_as_much_each_and_half_of_all_together() {
        for (int round = 0; round < 120; round++) {
            for (var portion : portions.subList(0, 4)) {
                if (share.mayTake(portion)) {
                    share.take(portion);
                }
            }
        }

        assertThat(portions.subList(0, 4)).extracting(Portion::held).containsOnly(15);
    }

    @Test
    void who_came_first_has_no_advantage_for_long() {
        takeAll(portions.get(0));
        takeAll(portions.get(1));
        for (int round = 0; round < 100; round++) {
            portions.subList(0, 2).forEach(share::giveBack);
            takeAll(portions.get(round % 2));
            takeAll(portions.get(1 - round % 2));
        }

        assertThat(portions.subList(0, 2)).extracting(Portion::held).containsOnly(30);
    }

    @Test
    void many_small_ones_take_nothing_from_a_large_one() {
        portions.subList(1, 21).forEach(share::take);

        assertThat(takeAll(portions.get(0))).isEqualTo(50);
    }

    /// What the rule promises, for each state that can be reached at all: a proof by looking.
    @ParameterizedTest
    @CsvSource({"24, 4", "16, 6", "7, 7", "3, 2"})
    void so_many_holders_leave_so_much_in_every_state_that_can_be_reached(int units, int holders) {
        var start = new ArrayList<>(IntStream.range(0, holders).mapToObj(_ -> 0).toList());
        var seen = new HashSet<>(Set.of(List.copyOf(start)));
        var toVisit = new ArrayDeque<>(seen);
        while (!toVisit.isEmpty()) {
            var state = toVisit.remove();
            for (var next : check(units, state)) {
                if (seen.add(next)) {
                    toVisit.add(next);
                }
            }
        }
        assertThat(seen).hasSizeGreaterThan(1);
    }

    /// Checks one state, and returns those that follow from it.
    private static List<List<Integer>> check(int units, List<Integer> state) {
        var share = new FairShare(units);
        var portions = state.stream().map(_ -> new Portion()).toList();
        for (int i = 0; i < portions.size(); i++) {
            for (int held = 0; held < state.get(i); held++) {
                share.take(portions.get(i));
            }
        }
        assertPromise(units, share, portions);
        var following = new ArrayList<List<Integer>>();
        for (int i = 0; i < portions.size(); i++) {
            if (share.mayTake(portions.get(i))) {
                following.add(with(state, i, state.get(i) + 1));
            }
            if (state.get(i) > 0) {
                following.add(with(state, i, state.get(i) - 1));
            }
        }
        return following;
    }

    /// The state in its sorted form, because holders have no names.
    private static List<Integer> with(List<Integer> state, int index, int held) {
        var changed = new ArrayList<>(state);
        changed.set(index, held);
        return changed.stream().sorted().toList();
    }

    private static void assertPromise(int units, FairShare share, List<Portion> portions) {
        int holding = (int) portions.stream().filter(portion -> portion.held() > 0).count();
        assertThat(share.free() * (holding + 1))
                .as("free, with %d that hold some", holding)
                .isGreaterThanOrEqualTo(units);
        for (var portion : portions) {
            int others = holding - (portion.held() > 0 ? 1 : 0);
            if (portion.held() < units / ((others + 1) * (others + 2))) {
                assertThat(share.mayTake(portion)).isTrue();
            }
        }
    }

    @Test
    void the_promise_is_kept_to_forty_that_take_and_return_at_random() {
        for (long seed = 0; seed < 200; seed++) {
            var random = new Random(seed);
            var large = new FairShare(2_000);
            var holders = IntStream.range(0, 40).mapToObj(_ -> new Portion()).toList();
            int greed = 1 + random.nextInt(50);
            for (int step = 0; step < 300; step++) {
                var portion = holders.get(random.nextInt(1 + random.nextInt(holders.size())));
                for (int i = random.nextInt(40 * greed); i > 0 && large.mayTake(portion); i--) {
                    large.take(portion);
                }
                var other = holders.get(random.nextInt(holders.size()));
                for (int i = random.nextInt(40); i > 0 && other.held() > 0; i--) {
                    large.giveBack(other);
                }
                assertPromise(2_000, large, holders);
            }
        }
    }
}
