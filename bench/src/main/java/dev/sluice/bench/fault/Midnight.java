package dev.sluice.bench.fault;

import dev.sluice.bench.load.Result;
import dev.sluice.bench.relay.Nodes.Needs;
import dev.sluice.bench.relay.Relay;
import dev.sluice.bench.relay.SkewedClock;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;

/// 21: a day ends under load, and the next day's partitions are missing; meanwhile a day beyond all
/// retention is to be removed, and somebody reads it.
///
/// The clocks of the relays and of PostgreSQL are all shifted: first to that day, then to shortly
/// before midnight.
final class Midnight implements Fault {

    private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern("uuuuMMdd");
    static final List<String> TABLES = List.of("event", "delivery", "attempt");

    /// For all to start and the load to run for a while.
    private static final int BEFORE = 150;

    /// Beyond what any plan can keep.
    private static final Duration LONG = Duration.ofDays(4_000);

    private Optional<SkewedClock> clock = Optional.empty();
    private Optional<LongAgo> longAgo = Optional.empty();
    private LocalDate tomorrow = LocalDate.MAX;
    private Instant midnight = Instant.MAX;

    @Override
    public String title() {
        return "21 roll-over with the next partition missing, and removal of a day that is read";
    }

    @Override
    public Optional<String> refusal() {
        return SkewedClock.refusal();
    }

    @Override
    public Scene scene(Dose dose) {
        var made = SkewedClock.make();
        made.set(LONG.negated());
        clock = Optional.of(made);
        return Scene.standard().needing(Needs.environment(made.environment()));
    }

    @Override
    public void prepare(Stage stage) {
        var old =
                new LongAgo(stage, LocalDate.ofInstant(Instant.now().minus(LONG), ZoneOffset.UTC));
        longAgo = Optional.of(old);
        old.leaveWaiting();
        for (Relay relay : stage.nodes().all()) {
            if (relay.stop() != 0) {
                throw new IllegalStateException("a relay did not stop with 0");
            }
        }
        var now = Instant.now();
        tomorrow = LocalDate.ofInstant(now, ZoneOffset.UTC).plusDays(1);
        midnight = now.plus(stage.dose().seconds(BEFORE));
        clock.orElseThrow()
                .set(Duration.between(midnight, tomorrow.atStartOfDay().toInstant(ZoneOffset.UTC)));
        old.read();
        stage.nodes().all().forEach(Relay::restart);
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        longAgo.orElseThrow().awaitInUse();
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
        longAgo.orElseThrow().judge(criteria);
        stage.results().stream()
                .filter(result -> result.failures() > 0)
                .forEach(result -> criteria.remark(result.failuresInWords()));
    }

    private String name(String table) {
        return table + "_" + NAME.format(tomorrow);
    }
}
