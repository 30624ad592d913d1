package dev.sluice.bench.fault;

import dev.sluice.bench.ledger.Entry.Received;
import dev.sluice.bench.report.Table;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/// 2: the only relay is killed and started at once: by the lock of its directory it knows that its
/// former life is over.
final class SoleKill implements Fault {

    private static final double LATEST = 3;

    /// What was on its way to the sinks when it died is there by then.
    private static final long UNDER_WAY = Duration.ofMillis(300).toNanos();

    private final List<Kill> kills = new ArrayList<>();
    private long mostDuplicates;

    /// @param nanos when it was killed
    /// @param up when it answered again
    private record Kill(long nanos, long up, long deliveries) {}

    @Override
    public String title() {
        return "2 single node kill -9 and restart";
    }

    @Override
    public Scene scene(Dose dose) {
        return Scene.slow().with(1);
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        var relay = stage.node(0);
        for (int round = 1; round <= stage.dose().rounds(5); round++) {
            var owned = new Owned(stage.postgres(), relay.epoch());
            relay.kill();
            long nanos = System.nanoTime();
            long deliveries = owned.deliveries();
            relay.restart();
            kills.add(new Kill(nanos, System.nanoTime(), deliveries));
            mostDuplicates += deliveries;
            Stage.pause(stage.dose().seconds(8));
        }
    }

    @Override
    public long mostDuplicates() {
        return mostDuplicates;
    }

    @Override
    public void judge(Stage stage, Criteria criteria) {
        var books = stage.books();
        var acked = new HashMap<String, Long>();
        books.acked().forEach(one -> acked.put(one.marker(), one.nanos()));
        var table =
                new Table(
                        "Relay killed",
                        "round",
                        "in its memory",
                        "answers again after s",
                        "first redelivery after s");
        double latest = 0;
        for (Kill kill : kills) {
            var first = firstRedelivery(books, acked, kill);
            double up = (kill.up() - kill.nanos()) / 1e9;
            table.row(kills.indexOf(kill) + 1, kill.deliveries(), up, first);
            latest = Math.max(latest, first.orElse(0) - up);
        }
        criteria.table(table)
                .inTime(
                        "seconds from its first answer to the first redelivery of what it had",
                        LATEST,
                        Math.max(0, latest));
    }

    /// Seconds after the kill.
    private static OptionalDouble firstRedelivery(Books books, Map<String, Long> acked, Kill kill) {
        long from = kill.nanos() + UNDER_WAY;
        var seconds = new ArrayList<Double>();
        for (int sink = 0; sink < Stage.MOST_CONNECTIONS; sink++) {
            for (Received receipt : books.received(sink)) {
                Long answered = acked.get(receipt.marker());
                if (answered != null && answered - kill.nanos() < 0 && receipt.nanos() - from > 0) {
                    seconds.add((receipt.nanos() - kill.nanos()) / 1e9);
                }
            }
        }
        return seconds.stream().mapToDouble(Double::doubleValue).min();
    }
}
