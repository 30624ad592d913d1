package dev.sluice.engine.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.share.PermitSimulation.Behaviour;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// What [FairPermits] promises, kept against seeds of attackers. `-Dsluice.seeds=1000` runs more.
class PermitSimulationTest {

    private static final int SEEDS = Integer.getInteger("sluice.seeds", 10);
    private static final int PERMITS = 4_096;

    /// Workspaces of any number attack with 2 000 destinations: all at once or one after the other,
    /// untried, slow, or proven until they hang. Somebody else has a healthy destination, and wants
    /// no more at a time than is promised.
    @Test
    void a_healthy_destination_gets_each_permit_at_once_whatever_other_workspaces_do() {
        for (long seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            var simulation = new PermitSimulation(seed, PERMITS);
            int attackers = 1 + random.nextInt(40);
            attack(simulation, random, attackers);
            var victim = simulation.workspace();
            int modest = PERMITS / 2 / ((attackers + 1) * (attackers + 2));
            var healthy =
                    simulation.destination(
                            victim,
                            Behaviour.PROMPT,
                            Math.max(1, modest / 2),
                            Duration.ofMillis(random.nextInt(30_000)));

            simulation.run(Duration.ofSeconds(60), () -> assertThat(healthy.waiting()).isZero());

            assertThat(healthy.inFlight()).isPositive();
        }
    }

    private static void attack(PermitSimulation simulation, Random random, int attackers) {
        var behaviours = new ArrayList<>(List.of(Behaviour.values()));
        int spread = random.nextInt(3) * 10_000;
        for (int i = 0; i < attackers; i++) {
            var workspace = simulation.workspace();
            int delay = spread * i / attackers;
            for (int j = 0; j < 2_000 / attackers; j++) {
                simulation.destination(
                        workspace,
                        behaviours.get(random.nextInt(behaviours.size())),
                        1 + random.nextInt(64),
                        Duration.ofMillis(delay + random.nextInt(1 + spread / 10)));
            }
        }
    }

    /// Those that hang are in the same workspace. They share one half, so the healthy ones wait for
    /// nobody but each other.
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void proven_destinations_do_not_wait_behind_2000_of_their_workspace_that_hang(long seed) {
        var simulation = new PermitSimulation(seed, PERMITS);
        var workspace = simulation.workspace();
        var healthy = new ArrayList<PermitSimulation.SimulatedDestination>();
        for (int i = 0; i < 30; i++) {
            healthy.add(
                    simulation.destination(workspace, Behaviour.PROMPT, 16, Duration.ofMillis(i)));
        }
        for (int i = 0; i < 2_000; i++) {
            simulation.destination(workspace, Behaviour.HANGS, 32, Duration.ofSeconds(5));
        }

        simulation.run(
                Duration.ofSeconds(30),
                () ->
                        assertThat(healthy)
                                .allSatisfy(one ->
                                        assertThat(one.waiting())
                                                .isLessThanOrEqualTo(SlownessDetector.PROMPT)));
    }
}
