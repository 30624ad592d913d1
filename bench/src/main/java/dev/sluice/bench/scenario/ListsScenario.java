package dev.sluice.bench.scenario;

import dev.sluice.bench.measure.Histogram;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.relay.RelayApi;
import dev.sluice.bench.relay.RelayApi.BenchSource;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;

import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;

/// The `lists` scenario measures how fast a relay with millions of events answers read requests. It
/// requests lists of events, deliveries and dead letters with many combinations of filters. It also
/// requests single events, statistics and other lists. The p99 of each kind of request must be
/// below 100 ms.
///
/// @param rarePerMillion how many events per million fail verification; the same number pass it
/// @param isOneHour whether all events arrived within one hour instead of 28 days
public record ListsScenario(
        RelaySetup setup,
        int events,
        int sources,
        int requests,
        int rarePerMillion,
        boolean isOneHour)
        implements Scenario {

    private static final Duration HISTORY_AGE = Duration.ofDays(28);
    private static final double MAX_P99_MS = 100;
    private static final int WARM_UP_REQUESTS = 20;
    private static final int KNOWN_EVENTS = 50;
    private static final int MAX_SKIPPED_IN_AN_HOUR = 25_000;

    public static ListsScenario from(CommandLineOptions options) {
        boolean isOneHour = options.flag("one-hour");
        return new ListsScenario(
                RelaySetup.from(options),
                options.number("events", isOneHour ? 5_000_000 : 10_000_000),
                options.number("sources", isOneHour ? 1 : 20),
                options.number("requests", 200),
                options.number("rare", 100),
                isOneHour);
    }

    @Override
    public BenchReport run() {
        return setup.runOwn(isOneHour ? "lists-one-hour" : "lists", this::measure);
    }

    private void measure(RelayProcess relay, BenchReport report) {
        var to = Instant.now().minus(Duration.ofDays(1));
        var from = to.minus(isOneHour ? Duration.ofHours(1) : HISTORY_AGE);
        var made =
                IntStream.range(0, sources)
                        .mapToObj(i -> relay.api().createSource("bench lists " + i))
                        .toList();
        try {
            writeHistory(relay, made, from, to);
            measure(relay.api(), requests(relay, made.getFirst(), from, to), report);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void writeHistory(RelayProcess relay, List<BenchSource> made, Instant from, Instant to)
            throws SQLException {
        var nobody = URI.create("http://127.0.0.1:9999/");
        var connections =
                made.stream()
                        .map(source -> relay.api().connect(source, "bench nobody", nobody, 1))
                        .map(UUID::fromString)
                        .toList();
        var ids = made.stream().map(source -> UUID.fromString(source.id())).toList();
        try (var connection = relay.database().connect()) {
            var history = new EventHistoryStore(connection);
            long start = System.nanoTime();
            var first = from.atOffset(ZoneOffset.UTC).toLocalDate();
            var last = to.atOffset(ZoneOffset.UTC).toLocalDate();
            history.createPartitions(first.minusDays(1), last);
            history.addEvents(events, ids, connections, from, to, rarePerMillion);
            for (var day = first; !day.isAfter(last); day = day.plusDays(1)) {
                history.addDeliveries(day);
            }
            history.resolveDeadLetters();
            history.rebuildCounts();
            history.vacuumAndCheckpoint();
            System.err.printf(
                    "%d events written in %d s%n",
                    events, (System.nanoTime() - start) / 1_000_000_000);
        }
    }

    private ListRequests requests(RelayProcess relay, BenchSource made, Instant from, Instant to)
            throws SQLException {
        var random = new Random(1);
        var source = UUID.fromString(made.id());
        try (var database = relay.database().connect()) {
            var history = new EventHistoryStore(database);
            var known = new ArrayList<UUID>();
            for (int i = 0; i < KNOWN_EVENTS; i++) {
                var instant = ListRequests.randomInstant(from, to.minusSeconds(60), random);
                known.add(history.findEvent(source, instant));
            }
            var connection =
                    relay.api().get("sources/" + source + "/connections").path("items").get(0);
            // Pages by number skip rows one by one within an hour.
            long all = isOneHour ? Math.min(events, MAX_SKIPPED_IN_AN_HOUR) : events;
            return new ListRequests(
                    Map.of(
                            "source", made.id(),
                            "connection", connection.path("id").asString(),
                            "destination", connection.path("destination_id").asString()),
                    Map.of(
                            "all", all,
                            "source", all / sources,
                            "quarter", all / 4,
                            "rare", 1 + all * rarePerMillion / 1_000_000,
                            "dead", all / 10,
                            "dead of a source", all / 10 / sources,
                            "fifth", all / 5,
                            "hundredth", all / 100,
                            "thousandth", all / 1000,
                            "few", 100L),
                    known,
                    from,
                    to,
                    random);
        }
    }

    private static String request(RelayApi api, ListRequests filled, String template, int number) {
        return ListRequests.withCursor(filled.fill(template, number), api::get);
    }

    private void measure(RelayApi api, ListRequests filled, BenchReport report) {
        var table =
                ReportTable.of(
                        "%d events of %d sources over %s, %d requests each"
                                .formatted(
                                        events,
                                        sources,
                                        isOneHour ? "one hour" : "28 days",
                                        requests),
                        "request | items | total | p50 ms | p99 ms | max ms");
        ListRequests.templates()
                .forEach((name, template) -> {
                    for (int i = 0; i < WARM_UP_REQUESTS; i++) {
                        api.get(request(api, filled, template, i));
                    }
                    var histogram = new Histogram();
                    var last = api.get(request(api, filled, template, 0));
                    for (int i = 0; i < requests; i++) {
                        String asked = request(api, filled, template, i);
                        long start = System.nanoTime();
                        last = api.get(asked);
                        histogram.record(System.nanoTime() - start);
                    }
                    var latency = histogram.summary();
                    System.err.printf("%s: p99 %.1f ms%n", name, latency.p99Ms());
                    table.row(
                            name,
                            last.path("items").size(),
                            last.path("total").asLong(1),
                            latency.p50Ms(),
                            latency.p99Ms(),
                            latency.maxMs());
                    report.failUnless(
                            latency.p99Ms() < MAX_P99_MS,
                            "%s: p99 is %.1f ms".formatted(name, latency.p99Ms()));
                });
        report.add(table);
    }
}
