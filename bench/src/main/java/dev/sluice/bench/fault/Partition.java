package dev.sluice.bench.fault;

import dev.sluice.bench.report.Table;
import dev.sluice.bench.wire.Weather;
import dev.sluice.bench.wire.Weather.Direction;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// 9: nothing passes between a relay and PostgreSQL; then nothing passes from PostgreSQL only.
final class Partition implements Fault {

    /// Of its own lease, and what a clock and a log may differ.
    private static final Duration LEASE = Duration.ofMillis(10_500);

    private static final Duration BACK = Duration.ofSeconds(30);

    private final List<Cut> cuts = new ArrayList<>();
    private long mostDuplicates;

    private record Cut(Instant from, Instant to) {

        /// Whether an attempt that began then should not have.
        boolean forbids(Instant begun) {
            return begun.isAfter(from.plus(LEASE)) && begun.isBefore(to);
        }
    }

    @Override
    public String title() {
        return "9 network partition between node and database";
    }

    @Override
    public Scene scene(Dose dose) {
        return Scene.slow().wired();
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        var table =
                new Table(
                        "Partitions",
                        "blocked",
                        "in its memory",
                        "taken over after s",
                        "back after s");
        double latest = 0;
        double slowest = 0;
        for (var blocked :
                List.of(
                        Weather.blocked(Direction.TO_SERVER, Direction.TO_CLIENT),
                        Weather.blocked(Direction.TO_CLIENT))) {
            var cut = stage.node(0);
            var owned = new Owned(stage.postgres(), cut.epoch());
            var from = Instant.now();
            long end = System.nanoTime() + stage.dose().seconds(45).toNanos();
            stage.nodes().wire(0).change(blocked);
            long deliveries = owned.deliveries();
            Stage.pause(Duration.ofSeconds(1)); // commits that were on their way have come
            deliveries = Math.max(deliveries, owned.deliveries());
            mostDuplicates += deliveries;
            double seconds = 1 + owned.secondsUntilMoved();
            Stage.pause(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
            cuts.add(new Cut(from, Instant.now()));
            stage.nodes().wire(0).change(Weather.FAIR);
            double back = Stage.secondsUntil(BACK, () -> stage.accepts(cut));
            latest = Math.max(latest, seconds);
            slowest = Math.max(slowest, back);
            table.row(
                    blocked.blocked().size() == 2 ? "both directions" : "from the database",
                    deliveries,
                    seconds,
                    back);
            Stage.pause(stage.dose().seconds(20));
        }
        criteria.table(table)
                .inTime("seconds until its work was taken over", Owned.LATEST, latest)
                .inTime("seconds until it accepts again", BACK.toSeconds() - 1.0, slowest);
    }

    @Override
    public long mostDuplicates() {
        return mostDuplicates;
    }

    @Override
    public void judge(Stage stage, Criteria criteria) {
        var begun = AttemptLog.begun(stage.node(0));
        long forbidden =
                begun.stream()
                        .filter(attempt -> cuts.stream().anyMatch(cut -> cut.forbids(attempt)))
                        .count();
        criteria.atLeast("attempts in the log of the relay that was cut off", 1, begun.size())
                .none("attempts that it began 10.5 s or more after it was cut off", forbidden)
                .atLeast(
                        "requests that it answered with 500",
                        1,
                        stage.results().getFirst().statuses().getOrDefault("500", 0L));
    }
}
