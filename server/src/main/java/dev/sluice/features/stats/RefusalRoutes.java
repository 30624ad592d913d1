package dev.sluice.features.stats;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.history.ReceivedTimeRange;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.http.QueryParameters;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.json.JsonObject;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Set;

/// The route `GET /api/v1/sources/{id}/refusals`, which returns the number of requests that a
/// source refused, by minute and reason.
public final class RefusalRoutes {

    private static final Duration DEFAULT_LENGTH = Duration.ofDays(1);

    /// The longest time range that a request may ask for. It limits how much a single request
    /// reads: a few rows for each of about 168 hours.
    private static final Duration MAX_LENGTH = Duration.ofDays(7);

    private final Db db;
    private final InstantSource clock;

    public RefusalRoutes(Db db, InstantSource clock) {
        this.db = db;
        this.clock = clock;
    }

    public void addTo(Api api) {
        api.get("/api/v1/sources/{id}/refusals", Gate.MEMBER, Set.of(Budget.DATABASE), this::list);
    }

    private Reply list(Caller caller, Request request) {
        var source = new SourceId(request.id("source"));
        var parameters = new QueryParameters(request);
        var page = Page.of(parameters);
        var range = ReceivedTimeRange.of(parameters);
        var before = range.before().orElseGet(clock::instant);
        var after = range.after().orElseGet(() -> before.minus(DEFAULT_LENGTH));
        if (!after.isBefore(before)) {
            parameters.addError("received_after", "must be before the end.");
        } else if (Duration.between(after, before).compareTo(MAX_LENGTH) > 0) {
            parameters.addError("received_after", "must be at most seven days before the end.");
        }
        parameters.check();
        var first = after.truncatedTo(ChronoUnit.MINUTES);
        var end = ceilMinute(before);
        return db.snapshot(tx -> {
            if (!SourceStore.exists(tx, caller.workspace(), source)) {
                throw ApiException.notFound("source");
            }
            var queries = new RefusalQueries(tx, source.value(), first, end);
            var items = queries.page(page).stream().map(RefusalRoutes::json).toList();
            return Reply.ok(
                    new JsonObject()
                            .put("window", StatsWindow.range(first, end))
                            .put("asked", StatsWindow.range(after, before))
                            .put("items", items)
                            .put("total", queries.count()));
        });
    }

    private static Instant ceilMinute(Instant time) {
        var floor = time.truncatedTo(ChronoUnit.MINUTES);
        return floor.equals(time) ? time : floor.plus(1, ChronoUnit.MINUTES);
    }

    private static JsonObject json(RefusalQueries.RefusalCount count) {
        return new JsonObject()
                .put("minute", count.minute())
                .put("status", count.reason().status())
                .put("reason", count.reason().text())
                .put("count", count.n());
    }
}
