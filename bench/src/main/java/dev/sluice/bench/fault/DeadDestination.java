package dev.sluice.bench.fault;

import dev.sluice.bench.report.Table;

import java.util.ArrayList;
import java.util.List;

/// 14: a destination refuses connections while a million deliveries wait for it; the others must
/// not notice. It is paused and resumed in turn, so that both are measured on the same machine.
final class DeadDestination implements Fault {

    private static final double SHARE = 1.1;
    private static final double MILLIS = 10;

    /// Beyond the time that the whole test takes, so that none of them ends.
    private static final int RETRY = 120;

    private final List<Window> windows = new ArrayList<>();
    private long rows;

    private record Window(boolean isDead, long from, long to) {}

    @Override
    public String title() {
        return "14 dead destination with a backlog";
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        try (var pile = Pile.up(stage, stage.dose().rows(1_000_000), RETRY)) {
            rows = pile.rows();
            criteria.remark("%d deliveries waited for it".formatted(rows));
            for (int round = 1; round <= stage.dose().rounds(5); round++) {
                windows.add(window(stage, false));
                pile.resume();
                windows.add(window(stage, true));
                pile.look();
                pile.pause();
            }
            criteria.remark("its circuit was seen " + String.join(", then ", pile.look()));
        }
    }

    private static Window window(Stage stage, boolean isDead) {
        long from = System.nanoTime();
        Stage.pause(stage.dose().seconds(20));
        return new Window(isDead, from, System.nanoTime());
    }

    @Override
    public long leftWaiting() {
        return rows;
    }

    @Override
    public void judge(Stage stage, Criteria criteria) {
        var books = stage.books();
        var table =
                new Table(
                        "First attempts of the others", "round", "destination", "p50 ms", "p99 ms");
        var healthy = new ArrayList<Double>();
        var beside = new ArrayList<Double>();
        for (Window window : windows) {
            var latency = books.firstAttempts(window.from(), window.to());
            (window.isDead() ? beside : healthy).add(latency.p99Ms());
            table.row(
                    windows.indexOf(window) / 2 + 1,
                    window.isDead() ? "dead" : "paused",
                    latency.p50Ms(),
                    latency.p99Ms());
        }
        double standard = median(healthy);
        criteria.table(table)
                .inTime(
                        "p99 of the others' first attempts beside it, ms (median)",
                        Math.max(standard * SHARE, standard + MILLIS),
                        median(beside));
    }

    private static double median(List<Double> numbers) {
        return numbers.stream().sorted().toList().get(numbers.size() / 2);
    }
}
