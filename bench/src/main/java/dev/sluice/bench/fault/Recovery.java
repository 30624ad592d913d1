package dev.sluice.bench.fault;

import dev.sluice.bench.platform.Wait;

import java.time.Duration;

/// 15: a destination with a backlog comes back, and can take 50 requests a second.
final class Recovery implements Fault {

    private static final Duration EACH = Duration.ofMillis(20);
    private static final int PER_SECOND = 50;
    private static final int RETRY = 5;

    /// The circuit's longest cooldown, and as long again.
    private static final Duration COOLDOWN = Duration.ofMinutes(20);

    private static final Duration GLANCE = Duration.ofMillis(300);

    private long deadFrom;
    private long aliveFrom;
    private long drained;
    private long before;

    @Override
    public String title() {
        return "15 recovery of a destination with a backlog";
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        try (var pile = Pile.up(stage, stage.dose().rows(5_000), RETRY)) {
            before = System.nanoTime();
            Stage.pause(stage.dose().seconds(20));
            deadFrom = System.nanoTime();
            pile.resume();
            long end = System.nanoTime() + stage.dose().seconds(20).toNanos();
            while (System.nanoTime() - end < 0) {
                pile.look();
                Wait.pause(GLANCE);
            }
            aliveFrom = System.nanoTime();
            int known = pile.look().size();
            try (var alive = pile.revive(EACH)) {
                var patience = COOLDOWN.plusSeconds(3 * pile.rows() / PER_SECOND);
                double seconds =
                        Stage.secondsUntil(
                                patience,
                                () -> {
                                    Wait.pause(GLANCE);
                                    pile.look();
                                    return alive.count().requests() >= pile.rows()
                                            && pile.waiting() == 0;
                                });
                drained = System.nanoTime();
                var states = pile.look();
                long reopened =
                        states.subList(known, states.size()).stream()
                                .filter("open"::equals)
                                .count();
                var found = pile.compare();
                criteria.inTime(
                                "seconds until all had arrived",
                                (double) patience.toSeconds(),
                                seconds)
                        .none("lost of the backlog", found.lost())
                        .none("altered of the backlog", found.altered())
                        .none("taken twice of the backlog", found.duplicated())
                        .atMost(
                                "requests at the destination at the same time",
                                (long) Stage.IN_FLIGHT * stage.scene().nodes(),
                                alive.count().mostAtOnce())
                        .atMost("times that its circuit opened again", 2L, reopened)
                        .remark("its circuit was seen " + String.join(", then ", states));
            }
        }
    }

    @Override
    public void judge(Stage stage, Criteria criteria) {
        var books = stage.books();
        double calm = books.firstAttempts(before, deadFrom).p99Ms();
        double busy = books.firstAttempts(aliveFrom, drained).p99Ms();
        criteria.inTime(
                "p99 of the others' first attempts meanwhile, ms",
                Math.max(calm * 1.25, calm + 20),
                busy);
    }
}
