package dev.sluice.engine.share;

import static dev.sluice.engine.share.Standing.PROVEN;
import static dev.sluice.engine.share.Standing.UNPROVEN;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.share.FairPermits.PermitHolder;
import dev.sluice.engine.share.FairPermits.WorkspacePermits;
import dev.sluice.platform.loop.Wake;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

class FairPermitsTest {

    /// Twelve in each half.
    private final Wake allReturned = new Wake();

    private final FairPermits<String> fairPermits = new FairPermits<>(24, allReturned);

    private final WorkspacePermits a = new WorkspacePermits();
    private final WorkspacePermits b = new WorkspacePermits();
    private final PermitHolder<String> a1 = new PermitHolder<>("a1", a);
    private final PermitHolder<String> a2 = new PermitHolder<>("a2", a);
    private final PermitHolder<String> a3 = new PermitHolder<>("a3", a);
    private final PermitHolder<String> b1 = new PermitHolder<>("b1", b);
    private final PermitHolder<String> c1 = new PermitHolder<>("c1", new WorkspacePermits());

    /// Takes as many permits as the holder may have, and returns their number.
    private int takeAll(PermitHolder<String> permitHolder, Standing standing) {
        int taken = 0;
        while (fairPermits.tryAcquire(permitHolder, standing)) {
            taken++;
        }
        return taken;
    }

    private void take(PermitHolder<String> permitHolder, int permits) {
        for (int i = 0; i < permits; i++) {
            assertThat(fairPermits.tryAcquire(permitHolder, PROVEN)).isTrue();
        }
    }

    /// Puts the holders in line, as proven ones.
    private void ask(List<PermitHolder<String>> holders) {
        for (var permitHolder : holders) {
            fairPermits.updateStanding(permitHolder, PROVEN);
            fairPermits.enqueue(permitHolder);
        }
    }

    /// The order in which holders are served while `from` releases one permit after the other.
    private List<String> served(PermitHolder<String> from, int permits) {
        var served = new ArrayList<String>();
        for (int i = 0; i < permits; i++) {
            fairPermits.release(from, PROVEN);
            served.addAll(served());
        }
        return served;
    }

    private List<String> served() {
        var served = new ArrayList<String>();
        for (var next = fairPermits.acquireNext();
                next.isPresent();
                next = fairPermits.acquireNext()) {
            served.add(next.get().permitHolder().destination());
        }
        return served;
    }

    @Test
    void one_destination_has_a_quarter_of_a_half_and_its_workspace_half_of_it() {
        assertThat(takeAll(a1, PROVEN)).as("it leaves as many to the next one").isEqualTo(3);
        assertThat(takeAll(a2, PROVEN)).isEqualTo(1);
        assertThat(takeAll(a3, PROVEN)).isEqualTo(1);
        assertThat(takeAll(new PermitHolder<>("a4", a), PROVEN)).isEqualTo(1);
        assertThat(takeAll(new PermitHolder<>("a5", a), PROVEN)).isZero();
        assertThat(fairPermits.free()).isEqualTo(18);
    }

    @Test
    void whatever_one_workspace_has_the_next_gets_its_first_at_once() {
        for (int i = 0; i < 12; i++) {
            takeAll(new PermitHolder<>("many", a), PROVEN);
        }
        fairPermits.enqueue(a1);

        assertThat(fairPermits.tryAcquire(b1, PROVEN)).as("although others wait").isTrue();
        assertThat(fairPermits.tryAcquire(b1, PROVEN)).isFalse();
        assertThat(fairPermits.tryAcquire(c1, PROVEN)).isTrue();
    }

    @Test
    void untried_and_slow_ones_take_nothing_from_the_proven_half() {
        for (int i = 0; i < 20; i++) {
            takeAll(new PermitHolder<>("hangs", a), UNPROVEN);
        }
        assertThat(fairPermits.tryAcquire(a1, UNPROVEN)).isFalse();

        assertThat(takeAll(a1, PROVEN)).isEqualTo(3);
    }

    @Test
    void a_permit_counts_in_the_half_that_it_was_taken_from() {
        assertThat(takeAll(a1, PROVEN)).isEqualTo(3);
        fairPermits.updateStanding(a1, UNPROVEN);

        assertThat(fairPermits.mayReuse(a1, PROVEN)).as("it hangs by now").isFalse();
        assertThat(takeAll(a1, UNPROVEN)).isEqualTo(3);
        assertThat(takeAll(a2, PROVEN)).isEqualTo(1);
        assertThat(fairPermits.free()).isEqualTo(24 - 7);
    }

    @Test
    void one_that_waits_and_becomes_proven_waits_among_the_proven() {
        takeAll(a2, UNPROVEN);
        takeAll(a1, UNPROVEN);
        fairPermits.enqueue(a1);
        assertThat(served()).isEmpty();

        fairPermits.updateStanding(a1, PROVEN);
        assertThat(served()).containsExactly("a1");
    }

    @Test
    void those_that_wait_take_turns_over_workspaces_and_then_over_their_destinations() {
        fairPermits.close();
        ask(List.of(a1, a2, a3, b1));
        fairPermits.open();

        assertThat(served()).containsExactly("a1", "b1", "a2", "a3");
    }

    @Test
    void the_order_in_which_workspaces_came_gives_none_of_them_more() {
        fairPermits.close();
        ask(List.of(a1, a2, a3));
        fairPermits.open();
        assertThat(fairPermits.acquireNext().orElseThrow().permitHolder()).isEqualTo(a1);
        ask(List.of(b1));

        assertThat(served()).containsExactly("a2", "b1", "a3");
    }

    @Test
    void who_asks_twice_waits_for_one() {
        fairPermits.close();
        ask(List.of(a1, a1, b1, a1));
        fairPermits.open();

        assertThat(served()).containsExactly("a1", "b1");
    }

    @Test
    void nobody_overtakes_another_of_the_same_workspace_that_waits() {
        takeAll(a1, PROVEN);
        ask(List.of(a1));
        fairPermits.release(a1, PROVEN);

        assertThat(fairPermits.tryAcquire(a2, PROVEN)).isFalse();
        assertThat(served()).containsExactly("a1");
    }

    @Test
    void a_permit_is_kept_until_somebody_waits_who_may_have_it() {
        takeAll(a1, PROVEN);
        assertThat(fairPermits.mayReuse(a1, PROVEN)).isTrue();
        ask(List.of(a1));
        assertThat(fairPermits.mayReuse(a1, PROVEN)).as("only itself waits").isTrue();
        fairPermits.enqueue(b1);
        assertThat(fairPermits.mayReuse(a1, PROVEN)).as("an unproven one").isTrue();
        fairPermits.updateStanding(b1, PROVEN);
        assertThat(fairPermits.mayReuse(a1, PROVEN)).isFalse();
    }

    @Test
    void a_permit_is_kept_from_one_that_could_not_have_it() {
        takeAll(a1, PROVEN);
        takeAll(a2, PROVEN);
        ask(List.of(a1));

        assertThat(fairPermits.mayReuse(a2, PROVEN)).isTrue();
        assertThat(served(a2, 1)).isEmpty();
    }

    /// Sixteen in each half, sixteen for slow attempts. One workspace may have half of each.
    private final FairPermits<String> withSlow = new FairPermits<>(32, 16, new Wake());

    /// As many destinations of one workspace, each of which wants one permit.
    private List<PermitHolder<String>> untried(WorkspacePermits workspace, int number) {
        var holders = new ArrayList<PermitHolder<String>>();
        for (int i = 0; i < number; i++) {
            var permitHolder = new PermitHolder<>("untried" + i, workspace);
            withSlow.enqueue(permitHolder);
            holders.add(permitHolder);
        }
        return holders;
    }

    private List<PermitHolder<String>> begun() {
        var begun = new ArrayList<PermitHolder<String>>();
        for (var next = withSlow.acquireNext(); next.isPresent(); next = withSlow.acquireNext()) {
            begun.add(next.get().permitHolder());
        }
        return begun;
    }

    @Test
    void a_slow_attempt_gives_its_permit_back_to_its_half_and_goes_on() {
        int halfOfHalf = 0;
        for (int i = 0; i < 20; i++) {
            var one = new PermitHolder<>("one" + i, a);
            if (withSlow.tryAcquire(one, UNPROVEN)) {
                halfOfHalf++;
                assertThat(withSlow.tryMoveToSlow(one, UNPROVEN)).isEqualTo(i < 8);
            }
        }

        assertThat(halfOfHalf).as("eight that moved, and others in their half").isGreaterThan(8);
        assertThat(withSlow.free()).isEqualTo(48 - halfOfHalf);
        assertThat(withSlow.tryAcquire(b1, UNPROVEN)).as("another workspace").isTrue();
        assertThat(withSlow.tryMoveToSlow(b1, UNPROVEN)).isTrue();
        withSlow.releaseSlow(b1);
        assertThat(withSlow.free()).isEqualTo(48 - halfOfHalf);
    }

    @Test
    void the_newest_untried_destination_has_every_second_turn() {
        var many = untried(a, 200);
        var newest = new PermitHolder<>("newest", a);
        int taken = begun().size();
        withSlow.enqueue(newest);

        var served = new ArrayList<PermitHolder<String>>();
        for (int round = 0; round < 2; round++) {
            withSlow.release(many.get(round), UNPROVEN);
            withSlow.beginRound();
            served.addAll(begun());
        }

        assertThat(taken).isPositive();
        assertThat(served).contains(newest);
    }

    /// Neither the half nor the slow share has room for all of them.
    @Test
    void when_all_hang_one_more_begins_in_each_round_so_that_room_lasts_until_they_time_out() {
        untried(a, 200);
        var hanging = new ArrayList<>(begun());
        for (int round = 0; round < 3; round++) {
            hanging.forEach(one -> withSlow.tryMoveToSlow(one, UNPROVEN));
            withSlow.beginRound();
            var more = begun();
            hanging.addAll(more);
        }
        int before = hanging.size();
        withSlow.beginRound();

        assertThat(begun()).hasSizeLessThanOrEqualTo(1);
        assertThat(before).isLessThan(16);
        assertThat(withSlow.tryAcquire(b1, UNPROVEN)).as("another workspace").isTrue();
    }

    @Test
    void while_closed_permits_come_back_and_only_who_takes_all_gets_any() {
        take(a1, 2);
        ask(List.of(b1));
        fairPermits.close();

        assertThat(fairPermits.mayReuse(a1, PROVEN)).isFalse();
        assertThat(fairPermits.tryAcquire(a1, PROVEN)).isFalse();
        assertThat(served(a1, 1)).isEmpty();
        assertThat(fairPermits.tryAcquireAll()).isFalse();
        assertThat(allReturned.take()).isFalse();
        fairPermits.release(a1, PROVEN);
        assertThat(allReturned.take()).isTrue();

        assertThat(fairPermits.tryAcquireAll()).isTrue();
        assertThat(served()).isEmpty();
        fairPermits.releaseAll();
        fairPermits.open();
        assertThat(served()).containsExactly("b1");
    }

    @Test
    void who_took_all_may_let_others_in_and_is_waited_for_by_a_stop() throws InterruptedException {
        fairPermits.close();
        assertThat(fairPermits.tryAcquireAll()).isTrue();
        fairPermits.releaseAllButOne();
        fairPermits.open();

        take(a1, 1);
        fairPermits.release(a1, PROVEN);
        assertThat(fairPermits.awaitAllFree(Duration.ZERO)).isFalse();
        fairPermits.releaseRemaining();
        assertThat(fairPermits.awaitAllFree(Duration.ZERO)).isTrue();
    }

    @Test
    void a_stop_waits_for_all_permits_as_long_as_it_may() throws InterruptedException {
        take(a1, 1);
        assertThat(fairPermits.awaitAllFree(Duration.ofMillis(1))).isFalse();
        fairPermits.release(a1, PROVEN);
        assertThat(fairPermits.awaitAllFree(Duration.ZERO)).isTrue();
    }
}
