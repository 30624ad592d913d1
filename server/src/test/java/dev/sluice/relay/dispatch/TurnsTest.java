package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.relay.dispatch.Turns.Seat;
import dev.sluice.relay.dispatch.Turns.Tenant;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

class TurnsTest {

    private final Turns<String> turns = new Turns<>(8);
    private final Tenant a = new Tenant();
    private final Tenant b = new Tenant();
    private final Seat<String> a1 = new Seat<>("a1", a);
    private final Seat<String> a2 = new Seat<>("a2", a);
    private final Seat<String> a3 = new Seat<>("a3", a);
    private final Seat<String> b1 = new Seat<>("b1", b);
    private final Seat<String> c1 = new Seat<>("c1", new Tenant());

    private void take(Seat<String> seat, int permits) {
        for (int i = 0; i < permits; i++) {
            assertThat(turns.tryTake(seat, false)).isTrue();
        }
    }

    private int takeSlow(Seat<String> seat) {
        int taken = 0;
        while (turns.tryTake(seat, true)) {
            taken++;
        }
        return taken;
    }

    private void ask(List<Seat<String>> seats) {
        seats.forEach(turns::ask);
    }

    /// Who is next while `from` gives back one permit after the other.
    private List<String> served(Seat<String> from, int permits) {
        var served = new ArrayList<String>();
        for (int i = 0; i < permits; i++) {
            turns.give(from);
            turns.next().ifPresent(seat -> served.add(seat.destination()));
        }
        return served;
    }

    @Test
    void there_are_so_many_permits_and_no_more() {
        take(a1, 8);

        assertThat(turns.tryTake(a1, false)).isFalse();
        assertThat(turns.tryTake(b1, false)).isFalse();
        assertThat(turns.free()).isZero();
        turns.give(a1);
        assertThat(turns.tryTake(b1, false)).isTrue();
    }

    @Test
    void those_that_wait_take_turns_over_workspaces_and_then_over_their_destinations() {
        take(c1, 8);
        ask(List.of(a1, a2, a3, b1));

        assertThat(served(c1, 5)).containsExactly("a1", "b1", "a2", "a3");
    }

    @Test
    void the_order_in_which_workspaces_came_gives_none_of_them_more() {
        take(c1, 8);
        ask(List.of(a1, a2, a3));
        turns.give(c1);
        assertThat(turns.next()).contains(a1);
        ask(List.of(b1, a1));

        assertThat(served(c1, 4)).containsExactly("a2", "b1", "a3", "a1");
    }

    @Test
    void a_workspace_with_200_destinations_gets_no_more_than_one_with_one() {
        take(c1, 8);
        for (int i = 0; i < 200; i++) {
            turns.ask(new Seat<>("many", a));
        }
        turns.ask(b1);
        var served = new ArrayList<String>();
        turns.give(c1);
        for (int i = 0; i < 100; i++) {
            var next = turns.next().orElseThrow();
            served.add(next.destination());
            turns.ask(next);
            turns.give(next); // it sent one delivery and has more
        }

        assertThat(served).filteredOn("many"::equals).hasSize(50);
        assertThat(served).filteredOn("b1"::equals).hasSize(50);
    }

    @Test
    void who_asks_twice_waits_for_one() {
        take(c1, 8);
        ask(List.of(a1, a1, b1, a1));

        assertThat(served(c1, 4)).containsExactly("a1", "b1");
    }

    @Test
    void nobody_overtakes_those_that_wait() {
        take(c1, 8);
        turns.ask(a1);
        turns.give(c1);

        assertThat(turns.tryTake(b1, false)).as("a permit is free, but not for b1").isFalse();
        assertThat(turns.next()).contains(a1);
    }

    @Test
    void a_workspace_with_half_of_the_permits_gets_no_more_while_another_waits() {
        take(a1, 4);
        take(c1, 3);
        take(b1, 1);
        ask(List.of(a2, b1));
        assertThat(served(c1, 1)).containsExactly("b1");

        assertThat(served(c1, 1)).as("nobody else waits").containsExactly("a2");
    }

    @Test
    void slow_destinations_together_have_a_quarter_whether_others_wait_or_not() {
        assertThat(takeSlow(a1)).isEqualTo(2);
        assertThat(takeSlow(b1)).isZero();
        assertThat(turns.free()).isEqualTo(6);

        turns.give(a1);
        assertThat(takeSlow(b1)).isEqualTo(1);
    }

    @Test
    void a_destination_that_turns_slow_is_counted_with_all_that_it_has() {
        take(a1, 5);
        turns.stands(a1, true);

        assertThat(turns.mayKeep(a1)).as("slow ones have more than their part").isFalse();
        assertThat(takeSlow(b1)).isZero();
        turns.give(a1);
        turns.give(a1);
        turns.give(a1);
        assertThat(turns.mayKeep(a1)).isTrue();
        turns.stands(a1, false);
        assertThat(takeSlow(b1)).isEqualTo(2);
    }

    @Test
    void quick_ones_wait_for_no_slow_one() {
        takeSlow(a1);
        turns.ask(a1);

        assertThat(turns.tryTake(b1, false)).isTrue();
        assertThat(turns.mayKeep(b1)).as("what it gives back is not for a slow one").isTrue();
        assertThat(turns.next()).isEmpty();
    }

    @Test
    void slow_ones_have_their_turns_among_quick_ones_that_wait() {
        take(c1, 8);
        assertThat(turns.tryTake(a1, true)).isFalse();
        assertThat(turns.tryTake(a2, true)).isFalse();
        assertThat(turns.tryTake(a3, true)).isFalse();
        ask(List.of(b1, a1, a2, a3));

        assertThat(served(c1, 8)).as("two are a quarter").containsExactly("a1", "b1", "a2");
    }

    @Test
    void one_that_waits_and_turns_quick_waits_among_the_quick() {
        assertThat(takeSlow(a1)).isEqualTo(2);
        assertThat(turns.tryTake(b1, true)).isFalse();
        turns.ask(b1);
        assertThat(turns.next()).isEmpty();

        turns.stands(b1, false);
        assertThat(turns.next()).contains(b1);
    }

    @Test
    void a_permit_is_kept_until_somebody_waits_for_it() {
        take(a1, 8);
        assertThat(turns.mayKeep(a1)).isTrue();
        turns.ask(b1);
        assertThat(turns.mayKeep(a1)).isFalse();
    }

    @Test
    void permits_are_scarce_when_less_than_half_are_left() {
        take(a1, 4);
        assertThat(turns.isScarce()).isFalse();
        take(a1, 1);
        assertThat(turns.isScarce()).isTrue();
    }

    @Test
    void while_closed_permits_come_back_and_only_who_takes_all_gets_any() {
        take(a1, 2);
        turns.ask(b1);
        var quiet = new AtomicInteger();
        turns.onQuiet(quiet::incrementAndGet);
        turns.close();

        assertThat(turns.mayKeep(a1)).isFalse();
        assertThat(turns.tryTake(a1, false)).isFalse();
        assertThat(turns.next()).isEmpty();
        turns.give(a1);
        assertThat(turns.takeAll()).isFalse();
        turns.give(a1);
        assertThat(quiet).hasValue(1);

        assertThat(turns.takeAll()).isTrue();
        assertThat(turns.next()).isEmpty();
        turns.giveBackAll();
        turns.open();
        assertThat(turns.next()).contains(b1);
    }

    @Test
    void who_took_all_may_let_others_in_and_is_waited_for_by_a_stop() throws InterruptedException {
        turns.close();
        assertThat(turns.takeAll()).isTrue();
        turns.giveBackOthers();
        turns.open();

        take(a1, 1);
        turns.give(a1);
        assertThat(turns.awaitAll(Duration.ZERO)).isFalse();
        turns.giveBackOne();
        assertThat(turns.awaitAll(Duration.ZERO)).isTrue();
    }

    @Test
    void a_stop_waits_for_all_permits_as_long_as_it_may() throws InterruptedException {
        take(a1, 1);
        assertThat(turns.awaitAll(Duration.ofMillis(1))).isFalse();
        turns.give(a1);
        assertThat(turns.awaitAll(Duration.ZERO)).isTrue();
    }
}
