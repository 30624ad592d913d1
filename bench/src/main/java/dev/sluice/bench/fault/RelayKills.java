package dev.sluice.bench.fault;

import dev.sluice.bench.report.Table;

/// 1: one of two relays is killed again and again; the other takes over its work.
final class RelayKills implements Fault {

    private static final double LATEST_ACK_MS = 250;

    private long mostDuplicates;

    @Override
    public String title() {
        return "1 relay kill -9 under load";
    }

    @Override
    public Scene scene(Dose dose) {
        return Scene.slow();
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        var table = new Table("Relay killed", "round", "in its memory", "taken over after s");
        double latest = 0;
        for (int round = 1; round <= stage.dose().rounds(10); round++) {
            var victim = stage.node(0);
            var owned = new Owned(stage.postgres(), victim.epoch());
            victim.kill();
            long deliveries = owned.deliveries();
            double seconds = owned.secondsUntilMoved();
            mostDuplicates += deliveries;
            latest = Math.max(latest, seconds);
            table.row(round, deliveries, seconds);
            victim.restart();
            Stage.pause(stage.dose().seconds(5));
        }
        criteria.table(table)
                .inTime("seconds until a dead relay's work was taken over", Owned.LATEST, latest);
    }

    @Override
    public long mostDuplicates() {
        return mostDuplicates;
    }

    @Override
    public void judge(Stage stage, Criteria criteria) {
        criteria.inTime(
                "ack p99 at the relay that lived, ms",
                LATEST_ACK_MS,
                stage.results().get(1).latency().p99Ms());
    }
}
