package dev.sluice.engine.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.loop.Wake;
import dev.sluice.testkit.Some;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;

/// Senders that compete for permits in a time of their own, from a seed.
///
/// Each destination always has another delivery and uses its permits as `SenderPool` does. After
/// each step, the promises of [FairPermits] are checked.
final class PermitSimulation {

    /// How long attempts at a destination take.
    enum Behaviour {
        HANGS {
            @Override
            Duration latency(Instant now, Random random) {
                return Duration.ofMinutes(5);
            }
        },
        SLOW {
            @Override
            Duration latency(Instant now, Random random) {
                return Duration.ofMillis(900 + random.nextInt(20_000));
            }
        },
        PROMPT {
            @Override
            Duration latency(Instant now, Random random) {
                return Duration.ofMillis(1 + random.nextInt(999));
            }
        },
        /// Prompt for seven seconds, to become proven; then all hang at once.
        FLIPS {
            @Override
            Duration latency(Instant now, Random random) {
                return now.getEpochSecond() % 10 < 7
                        ? Duration.ofMillis(1 + random.nextInt(200))
                        : HANGS.latency(now, random);
            }
        },
        /// Each attempt may be the one that hangs.
        FLIPS_AT_RANDOM {
            @Override
            Duration latency(Instant now, Random random) {
                return random.nextInt(20) > 0
                        ? Duration.ofMillis(1 + random.nextInt(200))
                        : HANGS.latency(now, random);
            }
        };

        abstract Duration latency(Instant now, Random random);
    }

    /// A destination that wants to have `maxInFlight` attempts at a time.
    final class SimulatedDestination {
        private final FairPermits.PermitHolder<SimulatedDestination> permitHolder;
        private final SimulatedWorkspace workspace;
        private final Behaviour behaviour;
        private final int maxInFlight;
        private final SlownessDetector slowness = new SlownessDetector();
        private final List<Instant> waitingSince = new ArrayList<>();
        private int inFlight;

        SimulatedDestination(SimulatedWorkspace workspace, Behaviour behaviour, int maxInFlight) {
            this.permitHolder = new FairPermits.PermitHolder<>(this, workspace.permits);
            this.workspace = workspace;
            this.behaviour = behaviour;
            this.maxInFlight = maxInFlight;
        }

        void start() {
            while (inFlight < maxInFlight) {
                var standing = slowness.standing(now);
                if (!fairPermits.tryAcquire(permitHolder, standing)) {
                    fairPermits.enqueue(permitHolder);
                    if (waitingSince.isEmpty()) {
                        waitingSince.add(now);
                    }
                    startWaiting();
                    return;
                }
                send(standing);
            }
        }

        private void send(Standing half) {
            waitingSince.clear();
            inFlight++;
            workspace.held.merge(half, 1, Integer::sum);
            var run = slowness.began(now);
            var latency = behaviour.latency(now, random);
            schedule(latency, () -> end(run, latency, half));
        }

        private void end(SlownessDetector.Run run, Duration latency, Standing half) {
            inFlight--;
            workspace.held.merge(half, -1, Integer::sum);
            slowness.ended(run, latency);
            fairPermits.updateStanding(permitHolder, slowness.standing(now));
            if (fairPermits.mayReuse(permitHolder, half)) {
                send(half);
            } else {
                fairPermits.enqueue(permitHolder);
                fairPermits.release(permitHolder, half);
                startWaiting();
            }
            start();
        }

        /// The longest time that it has waited for a permit.
        Duration waiting() {
            return waitingSince.isEmpty()
                    ? Duration.ZERO
                    : Duration.between(waitingSince.getFirst(), now);
        }

        int inFlight() {
            return inFlight;
        }
    }

    /// A workspace, and what it holds of each half.
    static final class SimulatedWorkspace {
        private final FairPermits.WorkspacePermits permits = new FairPermits.WorkspacePermits();
        private final Map<Standing, Integer> held = new HashMap<>();

        private int held(Standing half) {
            return held.getOrDefault(half, 0);
        }
    }

    private record ScheduledStep(Instant at, long number, Runnable step) {}

    private final int half;
    private final Random random;
    private final FairPermits<SimulatedDestination> fairPermits;
    private final List<SimulatedWorkspace> workspaces = new ArrayList<>();
    private final List<SimulatedDestination> destinations = new ArrayList<>();
    private final PriorityQueue<ScheduledStep> steps =
            new PriorityQueue<>(
                    Comparator.comparing(ScheduledStep::at)
                            .thenComparingLong(ScheduledStep::number));
    private Instant now = Some.NOON;
    private long scheduled;

    PermitSimulation(long seed, int permits) {
        this.half = permits / 2;
        this.random = new Random(seed);
        this.fairPermits = new FairPermits<>(permits, new Wake());
        schedule(Duration.ofSeconds(1), this::updateStandings);
    }

    SimulatedWorkspace workspace() {
        workspaces.add(new SimulatedWorkspace());
        return workspaces.getLast();
    }

    /// Adds a destination that has its first delivery after `delay`.
    SimulatedDestination destination(
            SimulatedWorkspace workspace, Behaviour behaviour, int maxInFlight, Duration delay) {
        var destination = new SimulatedDestination(workspace, behaviour, maxInFlight);
        destinations.add(destination);
        schedule(delay, destination::start);
        return destination;
    }

    private void schedule(Duration delay, Runnable step) {
        steps.add(new ScheduledStep(now.plus(delay), scheduled++, step));
    }

    private void startWaiting() {
        for (var next = fairPermits.acquireNext();
                next.isPresent();
                next = fairPermits.acquireNext()) {
            var destination = next.get().permitHolder().destination();
            if (destination.inFlight < destination.maxInFlight) {
                destination.send(next.get().half());
                destination.start();
            } else {
                destination.waitingSince.clear();
                fairPermits.release(next.get().permitHolder(), next.get().half());
            }
        }
    }

    private void updateStandings() {
        for (var destination : destinations) {
            fairPermits.updateStanding(
                    destination.permitHolder, destination.slowness.standing(now));
        }
        startWaiting();
        schedule(Duration.ofSeconds(1), this::updateStandings);
    }

    /// Runs for some time, and calls `check` after each step.
    void run(Duration time, Runnable check) {
        var end = now.plus(time);
        while (!steps.isEmpty() && !steps.element().at().isAfter(end)) {
            var next = steps.remove();
            now = next.at();
            next.step().run();
            checkPromises();
            check.run();
        }
    }

    private void checkPromises() {
        for (var standing : Standing.values()) {
            int inUse = 0;
            int holding = 0;
            for (var workspace : workspaces) {
                inUse += workspace.held(standing);
                holding += workspace.held(standing) > 0 ? 1 : 0;
            }
            assertThat((half - inUse) * (holding + 1)).isGreaterThanOrEqualTo(half);
        }
    }

    /// How many permits of a half this workspace may always have, whatever the others do.
    int promised(SimulatedWorkspace workspace, Standing standing) {
        int others = 0;
        for (var other : workspaces) {
            others += other != workspace && other.held(standing) > 0 ? 1 : 0;
        }
        return half / ((others + 1) * (others + 2));
    }
}
