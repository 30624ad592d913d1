package dev.sluice.bench.fault;

import dev.sluice.bench.load.Result;
import dev.sluice.bench.relay.Relay;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.wire.Weather;

import java.time.Duration;
import java.util.List;

/// 10: PostgreSQL is 200 ms away from all relays; then it is behind a line of 20 KB/s.
final class SlowDatabase implements Fault {

    private static final Duration ONE_WAY = Duration.ofMillis(100);
    private static final int BYTES_PER_SECOND = 20_000;
    private static final Duration BACK = Duration.ofSeconds(60);

    @Override
    public String title() {
        return "10 slow database";
    }

    @Override
    public Scene scene(Dose dose) {
        return Scene.slow().wired();
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        var table = new Table("Slow spells", "line", "all accept again after s");
        double slowest = 0;
        for (var weather : List.of(Weather.delayed(ONE_WAY), Weather.narrow(BYTES_PER_SECOND))) {
            change(stage, weather);
            Stage.pause(stage.dose().seconds(30));
            change(stage, Weather.FAIR);
            double seconds =
                    Stage.secondsUntil(
                            BACK, () -> stage.nodes().all().stream().allMatch(stage::accepts));
            slowest = Math.max(slowest, seconds);
            table.row(weather.bytesPerSecond() > 0 ? "narrow" : "long", seconds);
        }
        criteria.table(table)
                .inTime("seconds until all accept again", BACK.toSeconds() - 1.0, slowest)
                .holds("no relay has ended", stage.nodes().all().stream().allMatch(Relay::isAlive));
    }

    private static void change(Stage stage, Weather weather) {
        for (int node = 0; node < stage.scene().nodes(); node++) {
            stage.nodes().wire(node).change(weather);
        }
    }

    /// A lease may end behind such a line; what was in memory may then be sent twice.
    @Override
    public long mostDuplicates() {
        return Long.MAX_VALUE;
    }

    @Override
    public void judge(Stage stage, Criteria criteria) {
        stage.results().stream().map(Result::failuresInWords).forEach(criteria::remark);
    }
}
