package dev.sluice.bench.fault;

import dev.sluice.bench.load.Result;
import dev.sluice.bench.relay.Nodes.Needs;
import dev.sluice.bench.relay.SkewedClock;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;

/// 21: a day ends under load, and the next day's partitions are missing.
///
/// The clocks of the relays and of PostgreSQL are all shifted to shortly before midnight.
final class Midnight implements Fault {

    private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern("uuuuMMdd");
    private static final List<String> TABLES = List.of("event", "delivery", "attempt");

    /// For all to start and the load to run for a while.
    private static final int BEFORE = 150;

    private LocalDate tomorrow = LocalDate.MAX;
    private Instant midnight = Instant.MAX;

    @Override
    public String title() {
        return "21 partition roll-over with the next partition missing";
    }

    @Override
    public Optional<String> refusal() {
        return SkewedClock.refusal();
    }

    @Override
    public Scene scene(Dose dose) {
        var clock = SkewedClock.make();
        var now = Instant.now();
        tomorrow = LocalDate.ofInstant(now, ZoneOffset.UTC).plusDays(1);
        midnight = now.plus(dose.seconds(BEFORE));
        clock.set(Duration.between(midnight, tomorrow.atStartOfDay().toInstant(ZoneOffset.UTC)));
        return Scene.standard().needing(Needs.environment(clock.environment()));
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        boolean isInTime = Instant.now().isBefore(midnight);
        criteria.holds("the load ran before midnight, too (else: more --seconds)", isInTime);
        if (!isInTime) {
            return; // the partition has events already
        }
        for (String table : TABLES) {
            stage.postgres().run("drop table " + name(table));
        }
        Stage.pause(Duration.between(Instant.now(), midnight.plusSeconds(20)));
    }

    @Override
    public void judge(Stage stage, Criteria criteria) {
        var postgres = stage.postgres();
        var today = NAME.format(tomorrow.minusDays(1));
        long failures = stage.results().stream().mapToLong(Result::failures).sum();
        criteria.none("requests that failed", failures)
                .atLeast(
                        "events in the partition of the day before",
                        1,
                        postgres.number("select count(*) from event_" + today))
                .atLeast(
                        "events in the partition that was missing",
                        1,
                        postgres.number("select count(*) from " + name("event")))
                .atLeast(
                        "deliveries in the partition that was missing",
                        1,
                        postgres.number("select count(*) from " + name("delivery")));
        stage.results().stream()
                .filter(result -> result.failures() > 0)
                .forEach(result -> criteria.remark(result.failuresInWords()));
    }

    private String name(String table) {
        return table + "_" + NAME.format(tomorrow);
    }
}
