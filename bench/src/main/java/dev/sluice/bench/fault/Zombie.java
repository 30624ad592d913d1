package dev.sluice.bench.fault;

import dev.sluice.bench.report.Table;

import java.time.Duration;

/// 7: a relay stands still and wakes again, after the other has taken over its work.
final class Zombie implements Fault {

    /// What it may take until it has seen that it was declared dead.
    private static final Duration AWAKENING = Duration.ofSeconds(15);

    private long mostDuplicates;

    @Override
    public String title() {
        return "7 SIGSTOP zombie node";
    }

    @Override
    public Scene scene(Dose dose) {
        return Scene.slow();
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        var table =
                new Table(
                        "Freezes",
                        "round",
                        "in its memory",
                        "taken over after s",
                        "sent again when awake");
        double latest = 0;
        int again = 0;
        boolean rejoined = true;
        for (int round = 1; round <= stage.dose().rounds(2); round++) {
            var zombie = stage.node(0);
            long epoch = zombie.epoch();
            var owned = new Owned(stage.postgres(), epoch);
            long end = System.nanoTime() + stage.dose().seconds(60).toNanos();
            zombie.freeze();
            long deliveries = owned.deliveries();
            double seconds = owned.secondsUntilMoved();
            Stage.pause(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
            var before = stage.books();
            zombie.thaw();
            double back = Stage.secondsUntil(AWAKENING, () -> zombie.epoch() != epoch);
            rejoined &= back < AWAKENING.toSeconds();
            Stage.pause(Duration.ofSeconds(5));
            int repeated = stage.books().repeatedSince(before);
            again += repeated;
            latest = Math.max(latest, seconds);
            mostDuplicates += deliveries;
            table.row(round, deliveries, seconds, repeated);
        }
        criteria.table(table)
                .inTime("seconds until its work was taken over", Owned.LATEST, latest)
                .none("taken by a sink before it woke, and sent again after", again)
                .holds("it takes a new epoch when it wakes", rejoined);
    }

    @Override
    public long mostDuplicates() {
        return mostDuplicates;
    }
}
