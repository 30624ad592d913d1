package dev.sluice.bench.scenario;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.bench.measure.Histogram;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.relay.Api;
import dev.sluice.bench.relay.Relay;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;

import java.net.URI;
import java.net.URLEncoder;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;

/// Scenario `lists`: the event list and the detail over many events, and the lists of dead letters
/// over a tenth as many, with every filter. Each must answer within a tenth of a second, 99 times
/// in 100.
public final class Lists implements Scenario {

    private static final Duration DAYS = Duration.ofDays(30);
    private static final double ALLOWED_MS = 100;
    private static final int WARM_UP = 20;

    private final Setup setup;
    private final int events;
    private final int sources;
    private final int requests;
    private final int rare;
    private final boolean isOneHour;
    private final Random random = new Random(1);

    private Lists(Setup setup, int events, int sources, int requests, int rare, boolean isOneHour) {
        this.setup = setup;
        this.events = events;
        this.sources = sources;
        this.requests = requests;
        this.rare = rare;
        this.isOneHour = isOneHour;
    }

    public static Lists from(Options options) {
        boolean isOneHour = options.flag("one-hour");
        return new Lists(
                Setup.from(options),
                options.number("events", isOneHour ? 5_000_000 : 10_000_000),
                options.number("sources", isOneHour ? 1 : 20),
                options.number("requests", 200),
                options.number("rare", 100),
                isOneHour);
    }

    @Override
    public Report run() {
        try (var relay = setup.openOwn()) {
            var to = Instant.now().minus(Duration.ofDays(1));
            var from = to.minus(isOneHour ? Duration.ofHours(1) : DAYS.minus(Duration.ofDays(2)));
            var made = new ArrayList<Api.Source>();
            for (int i = 0; i < sources; i++) {
                made.add(relay.api().source("bench lists " + i));
            }
            fill(relay, made, from, to);
            var source = UUID.fromString(made.getFirst().id());
            var report = new Report("lists" + (isOneHour ? "-one-hour" : ""));
            report.add(measure(relay.api(), cases(relay, source, from, to), report));
            Setup.stop(relay, report);
            return report;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void fill(Relay relay, List<Api.Source> made, Instant from, Instant to)
            throws SQLException {
        var nobody = URI.create("http://127.0.0.1:9999/");
        var connections =
                made.stream()
                        .map(source -> relay.api().connect(source, "bench nobody", nobody, 1))
                        .map(UUID::fromString)
                        .toList();
        var ids = made.stream().map(source -> UUID.fromString(source.id())).toList();
        try (var connection = relay.database().connect()) {
            var past = new Past(connection);
            long start = System.nanoTime();
            var first = from.atOffset(ZoneOffset.UTC).toLocalDate();
            var last = to.atOffset(ZoneOffset.UTC).toLocalDate();
            past.makeDays(first.minusDays(1), last);
            past.addEvents(events, ids, connections, from, to, rare);
            for (var day = first; !day.isAfter(last); day = day.plusDays(1)) {
                past.addDeliveries(day);
            }
            past.count();
            past.settle();
            System.err.println(
                    "%d events written in %d s"
                            .formatted(events, (System.nanoTime() - start) / 1_000_000_000));
        }
    }

    /// What is asked for, each time a little different.
    private Map<String, Function<Integer, String>> cases(
            Relay relay, UUID source, Instant from, Instant to) throws SQLException {
        var some = new ArrayList<UUID>();
        try (var connection = relay.database().connect()) {
            var past = new Past(connection);
            for (int i = 0; i < 50; i++) {
                some.add(past.someEvent(source, between(from, to.minusSeconds(60))));
            }
        }
        var one = "events?source_id=" + source;
        var cases = new LinkedHashMap<String, Function<Integer, String>>();
        cases.put("list", _ -> "events?");
        cases.put("list, 200 items", _ -> "events?limit=200");
        cases.put("list, total only", _ -> "events?limit=1");
        cases.put("detail", i -> "events/" + some.get(i % some.size()));
        cases.put("source", _ -> one);
        cases.put("source, deep page", _ -> one + "&page=" + deep(events / sources));
        cases.put("deep page", _ -> "events?page=" + deep(events));
        cases.put("last page", _ -> "events?page=" + events / 50);
        for (String status : List.of("verified", "failed", "skipped")) {
            String verification = "&verification_status=" + status;
            cases.put(status, _ -> "events?" + verification);
            cases.put(status + ", 200 items", _ -> "events?limit=200" + verification);
            cases.put(status + ", source", _ -> one + verification);
            cases.put(status + ", time range", _ -> "events?" + verification + range(from, to));
            cases.put(status + ", source, time range", _ -> one + verification + range(from, to));
            cases.put(
                    status + ", deep page",
                    _ ->
                            "events?page="
                                    + deep(
                                            status.equals("skipped")
                                                    ? events
                                                    : 1 + events * (long) rare / 1_000_000)
                                    + verification);
        }
        cases.put("time range", _ -> "events?" + range(from, to));
        cases.put("time range, source", _ -> one + range(from, to));
        cases.put(
                "time range, deep page", _ -> "events?page=" + deep(events / 4) + range(from, to));
        cases.put("q, id", i -> "events?q=" + some.get(i % some.size()));
        cases.put(
                "q, id, all filters",
                i ->
                        one
                                + "&verification_status=skipped&q="
                                + some.get(i % some.size())
                                + range(from, to));
        for (int digits : new int[] {8, 10, 13, 20}) {
            cases.put(
                    "q, first " + digits,
                    i -> "events?q=" + some.get(i % some.size()).toString().substring(0, digits));
        }
        cases.put("q, substring, rare", i -> "events?q=" + Integer.toHexString(0xa0000 + i * 97));
        cases.put("q, substring, frequent", i -> "events?q=" + i % 10);
        cases.put(
                "q, substring, source, failed",
                i -> one + "&verification_status=failed&q=" + i % 10);
        cases.put(
                "q, substring, time range",
                i -> "events?q=" + Integer.toHexString(0xa0000 + i * 97) + range(from, to));
        addDeadLetters(cases, relay.api(), source, from, to);
        return cases;
    }

    private void addDeadLetters(
            Map<String, Function<Integer, String>> cases,
            Api api,
            UUID source,
            Instant from,
            Instant to) {
        int dead = events / 10;
        String one = "sources/" + source + "/dlq?";
        var connection = api.read("sources/" + source + "/connections").path("items").get(0);
        String destination = "&destination_id=" + connection.path("destination_id").asString();
        cases.put("dead letters", _ -> "dlq?");
        cases.put("dead letters, 200 items", _ -> "dlq?limit=200");
        cases.put("dead letters, total only", _ -> "dlq?limit=1");
        cases.put("dead letters, deep page", _ -> "dlq?page=" + deep(dead));
        cases.put("dead letters, source", _ -> one);
        cases.put("dead letters, source, deep page", _ -> one + "page=" + deep(dead / sources));
        cases.put("dead letters, source, time range", _ -> one + range(from, to));
        cases.put(
                "dead letters, connection",
                _ -> one + "connection_id=" + connection.path("id").asString());
        cases.put("dead letters, destination", _ -> "dlq?" + destination);
        cases.put(
                "dead letters, destination, deep page",
                _ -> "dlq?page=" + deep(dead / sources) + destination);
        cases.put("dead letters, time range", _ -> "dlq?" + range(from, to));
        for (String status : List.of("exhausted", "failed", "succeeded", "filtered")) {
            String only = "dead letters, " + status;
            cases.put(only, _ -> "dlq?status=" + status);
            cases.put(only + ", source", _ -> one + "status=" + status);
            cases.put(only + ", time range", _ -> "dlq?status=" + status + range(from, to));
            cases.put(
                    only + ", deep page",
                    _ -> "dlq?status=" + status + "&page=" + deep(events / 1000));
        }
        cases.put(
                "dead letters, every status, deep page",
                _ -> "dlq?status=exhausted,failed,succeeded,filtered&page=" + deep(events / 5));
        cases.put("dead letters, error code", _ -> "dlq?error_code=dns_failure");
        cases.put("dead letters, error code that is none", _ -> "dlq?error_code=tls_failed");
        cases.put(
                "dead letters, error code, source, time range",
                _ -> one + "error_code=dns_failure" + range(from, to));
        cases.put("dead letters, summary", _ -> "sources/" + source + "/dlq/summary");
        cases.put("dead letters, groups", _ -> "dlq/groups?");
        cases.put("dead letters, groups, time range", _ -> "dlq/groups?" + range(from, to));
    }

    private Instant between(Instant from, Instant to) {
        return from.plusMillis(
                (long) (random.nextDouble() * (to.toEpochMilli() - from.toEpochMilli())));
    }

    private long deep(long most) {
        long pages = most / 50;
        return 1 + (long) (random.nextDouble() * pages);
    }

    /// Cuts a minute at both ends.
    private String range(Instant from, Instant to) {
        var one = between(from, to);
        var other = between(from, to);
        boolean isBefore = one.isBefore(other);
        return "&received_after=%s&received_before=%s"
                .formatted(encoded(isBefore ? one : other), encoded(isBefore ? other : one));
    }

    private static String encoded(Instant time) {
        return URLEncoder.encode(time.toString(), UTF_8);
    }

    private Table measure(Api api, Map<String, Function<Integer, String>> cases, Report report) {
        var table =
                new Table(
                        "%d events of %d sources over %s, %d requests each"
                                .formatted(
                                        events,
                                        sources,
                                        isOneHour ? "one hour" : "28 days",
                                        requests),
                        "request",
                        "items",
                        "total",
                        "p50 ms",
                        "p99 ms",
                        "max ms");
        cases.forEach((name, path) -> {
            for (int i = 0; i < WARM_UP; i++) {
                api.read(path.apply(i));
            }
            var histogram = new Histogram();
            var last = api.read(path.apply(0));
            for (int i = 0; i < requests; i++) {
                String asked = path.apply(i);
                long start = System.nanoTime();
                last = api.read(asked);
                histogram.record(System.nanoTime() - start);
            }
            var latency = histogram.latency();
            table.row(
                    name,
                    last.path("items").size(),
                    last.path("total").asLong(1),
                    latency.p50Ms(),
                    latency.p99Ms(),
                    latency.maxMs());
            report.failUnless(
                    latency.p99Ms() < ALLOWED_MS,
                    "%s: p99 is %.1f ms".formatted(name, latency.p99Ms()));
        });
        return table;
    }
}
