package dev.sluice.faults;

import dev.sluice.bench.measure.LatencyTolerance;
import dev.sluice.bench.platform.Wait;

import java.time.Duration;

/// Fault 15: a destination with a backlog comes back, but can answer only 50 requests per second.
final class DestinationRecoveryFault implements Fault {

    private static final Duration ANSWER_TIME = Duration.ofMillis(20);
    private static final int DESTINATION_RATE = 50;
    private static final int RETRY_SECONDS = 5;

    /// Twice the circuit's longest cooldown.
    private static final Duration COOLDOWN_TIMEOUT = Duration.ofMinutes(20);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(300);

    private long deadFrom;
    private long aliveFrom;
    private long drained;
    private long before;

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        try (var backlog =
                DeadDestinationBacklog.create(
                        testbed, testbed.options().rows(5_000), RETRY_SECONDS)) {
            before = System.nanoTime();
            Wait.pause(testbed.options().seconds(20));
            deadFrom = System.nanoTime();
            backlog.resume();
            long end = System.nanoTime() + testbed.options().seconds(20).toNanos();
            while (System.nanoTime() - end < 0) {
                backlog.observeCircuit();
                Wait.pause(POLL_INTERVAL);
            }
            aliveFrom = System.nanoTime();
            int known = backlog.observeCircuit().size();
            try (var alive = backlog.startReceiver(ANSWER_TIME)) {
                var timeout = COOLDOWN_TIMEOUT.plusSeconds(3 * backlog.rows() / DESTINATION_RATE);
                double seconds =
                        Wait.secondsUntil(
                                timeout,
                                () -> {
                                    Wait.pause(POLL_INTERVAL);
                                    backlog.observeCircuit();
                                    return alive.count().requests() >= backlog.rows()
                                            && backlog.waiting() == 0;
                                });
                drained = System.nanoTime();
                var states = backlog.observeCircuit();
                long reopened =
                        states.subList(known, states.size()).stream()
                                .filter("open"::equals)
                                .count();
                var found = backlog.compare();
                criteria.inTime(
                                "seconds until all had arrived",
                                (double) timeout.toSeconds(),
                                seconds)
                        .none("lost of the backlog", found.lost())
                        .none("altered of the backlog", found.altered())
                        .none("taken twice of the backlog", found.duplicated())
                        .atMost(
                                "requests at the destination at the same time",
                                (long) FaultTestbed.MAX_IN_FLIGHT * testbed.spec().nodes(),
                                alive.count().mostAtOnce())
                        .atMost("times that its circuit opened again", 2L, reopened)
                        .remark("its circuit was seen " + String.join(", then ", states));
            }
        }
    }

    @Override
    public void verify(FaultTestbed testbed, Criteria criteria) {
        var ledgers = testbed.ledgers();
        double calm = ledgers.firstAttemptLatency(before, deadFrom).p99Ms();
        double busy = ledgers.firstAttemptLatency(aliveFrom, drained).p99Ms();
        criteria.inTime(
                "p99 of the others' first attempts meanwhile, ms",
                new LatencyTolerance(1.25, 20).limit(calm),
                busy);
    }
}
