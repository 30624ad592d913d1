package dev.sluice.features.stats;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.features.stats.StatsScope.ScopeFilter;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.json.JsonObject;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/// The routes under `/api/v1/stats`: an overview over time, and tables by source and destination.
public final class StatsRoutes {

    private static final UUID ALL = new UUID(0, 0);

    private final Db db;
    private final InstantSource clock;

    public StatsRoutes(Db db, InstantSource clock) {
        this.db = db;
        this.clock = clock;
    }

    public void addTo(Api api) {
        api.get("/api/v1/stats/overview", Gate.MEMBER, Set.of(Budget.DATABASE), this::overview);
        api.get(
                "/api/v1/stats/volume-by-source",
                Gate.MEMBER,
                Set.of(Budget.DATABASE),
                this::volumeBySource);
        api.get("/api/v1/stats/by-source", Gate.MEMBER, Set.of(Budget.DATABASE), this::bySource);
        api.get(
                "/api/v1/stats/by-destination",
                Gate.MEMBER,
                Set.of(Budget.DATABASE),
                this::byDestination);
    }

    private Reply overview(Caller caller, Request request) {
        var parameters = new QueryParameters(request);
        var now = clock.instant();
        var window = StatsWindow.of(parameters, now);
        var filter = ScopeFilter.of(parameters);
        parameters.check();
        return db.snapshot(tx -> {
            var scope = StatsScopeQueries.scope(tx, caller.workspace(), filter);
            var queries = new StatsQueries(tx, window);
            var buckets = queries.byBucket(scope);
            var totals = new StatsCounts();
            buckets.values().forEach(totals::addAll);
            var waiting = new WaitingQueries(tx, scope.connections().keySet(), _ -> ALL).byGroup();
            return Reply.ok(
                    window.json()
                            .put("totals", totals.json())
                            .put(
                                    "waiting",
                                    waiting.getOrDefault(ALL, WaitingDeliveries.NONE).json(now))
                            .put("histogram", histogram(window, buckets)));
        });
    }

    private static List<JsonObject> histogram(
            StatsWindow window, Map<Instant, StatsCounts> buckets) {
        return window.starts().stream()
                .map(start ->
                        new JsonObject().put("start", start).putAll(of(buckets, start).json()))
                .toList();
    }

    private Reply volumeBySource(Caller caller, Request request) {
        return tableBySource(
                caller, request, StatsQueries::eventsBySource, StatsCounts::volumeJson);
    }

    private Reply bySource(Caller caller, Request request) {
        return tableBySource(caller, request, StatsQueries::bySource, StatsCounts::json);
    }

    /// Returns one item for each source. Sources with the most events come first.
    private Reply tableBySource(
            Caller caller,
            Request request,
            BiFunction<StatsQueries, StatsScope, Map<UUID, StatsCounts>> read,
            Function<StatsCounts, JsonObject> json) {
        var parameters = new QueryParameters(request);
        var window = StatsWindow.of(parameters, clock.instant());
        var filter = ScopeFilter.ofSources(parameters);
        var isWanted = parameters.searchFilter();
        var page = Page.ifRequested(parameters);
        parameters.check();
        return db.snapshot(tx -> {
            var scope = StatsScopeQueries.scope(tx, caller.workspace(), filter);
            var counts = read.apply(new StatsQueries(tx, window), scope);
            var listed =
                    scope.sources().values().stream()
                            .filter(source -> isWanted.test(source.name()))
                            .toList();
            var sources = sorted(listed, source -> of(counts, source.id()).events());
            return table(
                    window,
                    page,
                    sources,
                    source ->
                            new JsonObject()
                                    .put("source_id", source.id())
                                    .put("source_name", source.name())
                                    .put("color", source.color())
                                    .putAll(json.apply(of(counts, source.id()))));
        });
    }

    /// Returns one item for each destination. Destinations with the most deliveries come first.
    /// Deleted destinations are listed only if they have counts in the window.
    private Reply byDestination(Caller caller, Request request) {
        var parameters = new QueryParameters(request);
        var now = clock.instant();
        var window = StatsWindow.of(parameters, now);
        var filter = ScopeFilter.of(parameters);
        var isWanted = parameters.searchFilter();
        var page = Page.ifRequested(parameters);
        parameters.check();
        return db.snapshot(tx -> {
            var scope = StatsScopeQueries.scope(tx, caller.workspace(), filter);
            var counts = new StatsQueries(tx, window).deliveriesBy(scope::destinationOf, scope);
            var waiting = waitingByDestination(tx, scope);
            var listed =
                    scope.destinations().values().stream()
                            .filter(destination ->
                                    !destination.isDeleted()
                                            || counts.containsKey(destination.id()))
                            .filter(destination -> isWanted.test(destination.name()))
                            .toList();
            var destinations =
                    sorted(listed, destination -> of(counts, destination.id()).deliveries());
            return table(
                    window,
                    page,
                    destinations,
                    destination ->
                            new JsonObject()
                                    .put("destination_id", destination.id())
                                    .put("destination_name", destination.name())
                                    .put("deleted", destination.isDeleted())
                                    .putAll(of(counts, destination.id()).deliveryJson())
                                    .put(
                                            "waiting",
                                            waiting.getOrDefault(
                                                            destination.id(),
                                                            WaitingDeliveries.NONE)
                                                    .json(now)));
        });
    }

    private static Map<UUID, WaitingDeliveries> waitingByDestination(Tx tx, StatsScope scope) {
        return new WaitingQueries(tx, scope.connections().keySet(), scope::destinationOf).byGroup();
    }

    private static <K> StatsCounts of(Map<K, StatsCounts> counts, K key) {
        return counts.getOrDefault(key, new StatsCounts());
    }

    /// Sorts the items by a count, largest first. Items with the same count keep their order.
    private static <T> List<T> sorted(Collection<T> items, ToLongFunction<T> count) {
        return items.stream().sorted(Comparator.comparingLong(count).reversed()).toList();
    }

    /// Builds a reply that contains the items on the requested page, or all items if no page was
    /// requested.
    private static <T> Reply table(
            StatsWindow window, Optional<Page> page, List<T> items, Function<T, JsonObject> json) {
        var listed =
                items.stream()
                        .skip(page.map(Page::offset).orElse(0L))
                        .limit(page.map(Page::limit).orElse(Integer.MAX_VALUE))
                        .map(json)
                        .toList();
        var reply = window.json().put("items", listed);
        page.ifPresent(_ -> reply.put("total", items.size()));
        return Reply.ok(reply);
    }
}
