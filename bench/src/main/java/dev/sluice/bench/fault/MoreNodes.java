package dev.sluice.bench.fault;

import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.load.Pace;
import dev.sluice.bench.load.Plan;
import dev.sluice.bench.load.Result;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.sink.Behaviour;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/// One, two and three relays on one PostgreSQL: what they carry together and what it costs, and a
/// kill of one while they do.
final class MoreNodes implements Trial {

    private static final int MOST = 3;
    private static final int CONNECTIONS = 192;
    private static final int SIZE = 1024;
    private static final Duration DRAIN = Duration.ofMinutes(2);

    @Override
    public String title() {
        return "nodes: one, two and three relays";
    }

    @Override
    public Optional<String> refusal() {
        return Optional.empty();
    }

    @Override
    public Criteria run(Dose dose) {
        var criteria = new Criteria();
        var table =
                new Table(
                        "Throughput, 1 KB, back to back",
                        "relays",
                        "answered/s",
                        "delivered/s",
                        "relays µs",
                        "PostgreSQL µs",
                        "ack p50 ms",
                        "p99",
                        "failures");
        try (var stage = Stage.open(Scene.standard().with(1).with(new Behaviour.Fast()), dose)) {
            for (int relays = 1; relays <= dose.nodes().orElse(MOST); relays++) {
                if (relays > 1) {
                    stage.nodes().add(false, Map.of());
                }
                lap(stage, relays, dose.seconds(20), table);
                awaitDrained(stage, criteria, relays);
            }
            criteria.table(table);
            killOne(stage, dose, criteria);
            new Oracle(stage, criteria).lookInside();
        }
        return criteria;
    }

    private static void lap(Stage stage, int relays, Duration time, Table table) {
        var loads = begin(stage, relays, new Pace.BackToBack(), false);
        Stage.pause(time); // warms up
        var spell = Spell.of(stage, time);
        var results = end(loads);
        table.row(
                relays,
                results.stream().mapToDouble(Result::answeredPerSecond).sum(),
                spell.perSecond(),
                spell.relayMicros(),
                spell.postgresMicros(),
                results.stream().mapToDouble(one -> one.latency().p50Ms()).max().orElse(0),
                results.stream().mapToDouble(one -> one.latency().p99Ms()).max().orElse(0),
                results.stream().mapToLong(Result::failures).sum());
    }

    private static List<LoadProcess> begin(Stage stage, int relays, Pace pace, boolean withLedger) {
        var loads = new ArrayList<LoadProcess>();
        for (int relay = 0; relay < relays; relay++) {
            URI base = stage.node(relay).api().base();
            loads.add(
                    LoadProcess.start(
                            new Plan(
                                    stage.sources().stream()
                                            .map(source -> base.resolve(source.ingest().getPath()))
                                            .toList(),
                                    pace,
                                    CONNECTIONS / relays,
                                    SIZE,
                                    SIZE,
                                    Duration.ZERO,
                                    Duration.ofHours(1),
                                    Optional.empty(),
                                    withLedger
                                            ? Optional.of(stage.sent(relay))
                                            : Optional.empty())));
        }
        loads.forEach(LoadProcess::awaitMeasuring);
        return loads;
    }

    private static List<Result> end(List<LoadProcess> loads) {
        loads.forEach(LoadProcess::finish);
        var results = new ArrayList<Result>();
        for (LoadProcess load : loads) {
            try (load) {
                load.awaitMeasured();
                results.add(load.result());
            }
        }
        return results;
    }

    private static void awaitDrained(Stage stage, Criteria criteria, int relays) {
        double seconds =
                Stage.secondsUntil(
                        DRAIN,
                        () -> stage.postgres().number("select count(*) from delivery_work") == 0);
        criteria.inTime(
                "seconds until %d relays had delivered all".formatted(relays),
                DRAIN.toSeconds() - 1.0,
                seconds);
    }

    private static void killOne(Stage stage, Dose dose, Criteria criteria) {
        int relays = stage.nodes().all().size();
        var loads =
                begin(stage, relays, new Pace.PerSecond(Math.max(1, dose.rate() / relays)), true);
        Stage.pause(dose.seconds(20));
        var victim = stage.nodes().all().getLast();
        var owned = new Owned(stage.postgres(), victim.epoch());
        victim.kill();
        long deliveries = owned.deliveries();
        double seconds = owned.secondsUntilMoved();
        Stage.pause(Duration.ofSeconds(5));
        end(loads);
        awaitDrained(stage, criteria, relays - 1);
        victim.restart();
        var sent = IntStream.range(0, relays).mapToObj(stage::sent).toList();
        var received =
                IntStream.range(0, Stage.MOST_CONNECTIONS).mapToObj(stage::received).toList();
        var books = Books.read(sent, received);
        criteria.none(
                "lost",
                IntStream.range(0, Stage.MOST_CONNECTIONS)
                        .map(sink -> books.compare(sink).lost())
                        .sum());
        criteria.remark("%d deliveries were in the memory of the one killed".formatted(deliveries))
                .inTime("seconds until its work was taken over", Owned.LATEST, seconds);
    }
}
