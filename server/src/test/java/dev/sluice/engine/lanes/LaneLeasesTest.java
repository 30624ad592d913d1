package dev.sluice.engine.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.send.SimulatedLanes;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/// Which lanes a node leases when more are due than it may have. `-Dsluice.seeds=1000` runs more.
class LaneLeasesTest {

    private static final int SEEDS =
            Integer.getInteger("sluice.seeds", Boolean.getBoolean("sluice.nightly") ? 20 : 8);
    private static final int MAX_LEASED_LANES = 4_096;

    private final SimulatedLanes lanes = new SimulatedLanes();
    private final ManualClock clock = new ManualClock(Some.NOON);
    private final LaneLeases leases = new LaneLeases(lanes, clock, () -> 0);
    private final WorkspaceId attacker = workspace(1);
    private final WorkspaceId victim = workspace(2);

    private static WorkspaceId workspace(int number) {
        return new WorkspaceId(new UUID(number, 0));
    }

    private static void addDue(SimulatedLanes to, WorkspaceId workspace, int number) {
        for (int i = 0; i < number; i++) {
            to.addDue(workspace);
        }
    }

    private static int held(LaneLeases leases, WorkspaceId workspace) {
        return (int)
                leases.readers().stream()
                        .filter(reader -> reader.workspace().equals(workspace))
                        .count();
    }

    /// An attack that was made: five events over 5 000 connections to receivers that hang. Before,
    /// they took every lease, and healthy lanes that were due waited for minutes.
    @Test
    void a_workspace_with_5000_due_lanes_keeps_no_other_from_its_leases() {
        addDue(lanes, attacker, 5_000);
        addDue(lanes, victim, 100);

        leases.leaseMore();

        assertThat(held(leases, attacker)).isEqualTo(MAX_LEASED_LANES / 2);
        assertThat(held(leases, victim)).isEqualTo(100);
        addDue(lanes, victim, 100);
        leases.leaseMore();
        assertThat(held(leases, victim)).as("while 2 952 others wait").isEqualTo(200);
    }

    @Test
    void lanes_that_may_not_be_leased_cost_one_look_for_all_of_them() {
        addDue(lanes, attacker, 5_000);
        leases.leaseMore();
        int before = lanes.statements();

        leases.leaseMore();

        assertThat(lanes.statements() - before).isEqualTo(1);
    }

    @Test
    void the_lease_that_is_given_back_is_taken_again() {
        addDue(lanes, attacker, 5_000);
        leases.leaseMore();

        List.copyOf(leases.readers()).subList(0, 10).forEach(this::release);
        assertThat(held(leases, attacker)).isEqualTo(MAX_LEASED_LANES / 2 - 10);
        leases.leaseMore();

        assertThat(held(leases, attacker)).isEqualTo(MAX_LEASED_LANES / 2);
    }

    private void release(LaneReader reader) {
        leases.release(reader, Optional.empty());
    }

    /// A node that was declared dead has no leases any more, and its shares are as at the start.
    @Test
    void under_a_new_epoch_nothing_is_leased_and_everything_may_be() {
        addDue(lanes, attacker, 5_000);
        leases.leaseMore();

        leases.setEpoch(7);

        assertThat(leases.readers()).isEmpty();
        addDue(lanes, attacker, 5_000);
        leases.leaseMore();
        assertThat(held(leases, attacker)).isEqualTo(MAX_LEASED_LANES / 2);
    }

    @Test
    void the_next_look_may_wait_until_the_next_lane_is_due_but_no_longer_than_five_seconds() {
        leases.leaseMore();
        assertThat(leases.untilNextDue()).isEqualTo(Duration.ofSeconds(5));

        lanes.addDue(victim, Some.NOON.plusMillis(700));
        lanes.addDue(victim, Some.NOON.plusMillis(300));
        lanes.addDue(victim, Some.NOON.plusSeconds(9));
        leases.leaseMore();
        assertThat(leases.readers()).isEmpty();
        assertThat(leases.untilNextDue()).isEqualTo(Duration.ofMillis(300));

        clock.advance(Duration.ofMillis(300));
        leases.leaseMore();
        assertThat(leases.readers()).hasSize(1);

        release(leases.readers().iterator().next());
        leases.leaseMore();
        assertThat(leases.untilNextDue()).isEqualTo(Duration.ofMillis(400));
    }

    @Test
    void a_due_lane_that_could_not_be_leased_is_looked_for_again_soon() {
        lanes.addDue(victim);
        lanes.lockAll(true);
        leases.leaseMore();
        assertThat(leases.readers()).isEmpty();
        assertThat(leases.untilNextDue()).isNegative();

        lanes.lockAll(false);
        leases.leaseMore();
        assertThat(leases.readers()).hasSize(1);
        assertThat(leases.untilNextDue()).as("while it is leased").isNegative();
    }

    @Test
    void a_look_that_did_not_take_place_says_nothing_about_the_next_lane() {
        leases.leaseMore();
        leases.forgetNextDue();

        assertThat(leases.untilNextDue()).isNegative();
    }

    @Test
    void a_clock_that_is_set_back_does_not_make_the_next_look_late() {
        leases.leaseMore();

        clock.advance(Duration.ofHours(-1));

        assertThat(leases.untilNextDue()).isEqualTo(Duration.ofSeconds(5));
    }

    /// Workspaces of any number come with more lanes than there are, give some back and come again.
    /// Whatever they do, each of them has what decision 21 promises as soon as it is due.
    @Test
    void each_workspace_is_leased_its_share_at_once_whatever_the_others_do() {
        for (long seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            var simulated = new SimulatedLanes();
            var simulatedLeases = new LaneLeases(simulated, () -> Some.NOON, () -> 0);
            var workspaces = new ArrayList<WorkspaceId>();
            for (int i = 1 + random.nextInt(30); i >= 0; i--) {
                workspaces.add(workspace(i));
            }
            for (int step = 0; step < 30; step++) {
                var some = workspaces.get(random.nextInt(workspaces.size()));
                addDue(simulated, some, random.nextInt(random.nextBoolean() ? 3_000 : 10));
                for (var reader : List.copyOf(simulatedLeases.readers())) {
                    if (random.nextInt(8) == 0) {
                        simulatedLeases.release(reader, Optional.empty());
                    }
                }

                simulatedLeases.leaseMore();

                assertPromise(seed, simulated, simulatedLeases, workspaces);
            }
        }
    }

    private static void assertPromise(
            long seed,
            SimulatedLanes simulated,
            LaneLeases simulatedLeases,
            List<WorkspaceId> workspaces) {
        int holding =
                (int) workspaces.stream().filter(one -> held(simulatedLeases, one) > 0).count();
        assertThat(simulatedLeases.readers().size() * (holding + 1))
                .as("left free, seed %s", seed)
                .isLessThanOrEqualTo(MAX_LEASED_LANES * holding);
        for (var one : workspaces) {
            int held = held(simulatedLeases, one);
            int others = holding - (held > 0 ? 1 : 0);
            if (held < MAX_LEASED_LANES / ((others + 1) * (others + 2))) {
                assertThat(simulated.isAnyDueOf(one)).as("seed %s", seed).isFalse();
            }
        }
    }
}
