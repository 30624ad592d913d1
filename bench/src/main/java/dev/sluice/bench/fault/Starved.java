package dev.sluice.bench.fault;

import java.time.Duration;

/// 8: a relay gets a twentieth of a processor: it stands still for 950 of 1000 milliseconds.
final class Starved implements Fault {

    private static final Duration STILL = Duration.ofMillis(950);
    private static final Duration RUNNING = Duration.ofMillis(50);
    private static final Duration BACK = Duration.ofSeconds(20);

    private long mostDuplicates;

    @Override
    public String title() {
        return "8 CPU starvation";
    }

    @Override
    public Scene scene(Dose dose) {
        return Scene.slow();
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        var starved = stage.node(0);
        long most = 0;
        long known = stage.node(1).logged("node.died");
        long end = System.nanoTime() + stage.dose().seconds(60).toNanos();
        while (System.nanoTime() - end < 0) {
            starved.freeze();
            most = Math.max(most, new Owned(stage.postgres(), starved.epoch()).deliveries());
            Stage.pause(STILL);
            starved.thaw();
            Stage.pause(RUNNING);
        }
        long deaths = stage.node(1).logged("node.died") - known;
        // It gives up on answers that have long come.
        long unread = starved.logged("response_timeout");
        mostDuplicates = deaths * most + unread;
        double seconds =
                Stage.secondsUntil(
                        BACK,
                        () ->
                                stage.postgres()
                                                        .number(
                                                                "select count(*) from node where"
                                                                    + " state = 'live' and epoch = "
                                                                        + starved.epoch())
                                                == 1
                                        && stage.accepts(starved));
        criteria.remark(
                        "it was declared dead %d times, with up to %d deliveries in memory, and did not read %d answers in time"
                                .formatted(deaths, most, unread))
                .inTime(
                        "seconds until it lives and accepts again",
                        BACK.toSeconds() - 1.0,
                        seconds);
    }

    @Override
    public long mostDuplicates() {
        return mostDuplicates;
    }
}
