package dev.sluice.relay.ingest;

import dev.sluice.account.plan.Plan;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.ErrorStatus;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.loop.Loop;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/// Requests that a source may take in a minute of the clock, by its workspace's plan.
///
/// Each node counts by itself and tells the others once a second, in an unlogged table. So one node
/// is exact, and several together let through at most what the others take in a second or two more.
/// A round is one exchange.
public final class IngestBudget implements Loop.Step {

    private static final int MINUTE = 60;

    /// What a source has used of a minute.
    ///
    /// @param others what other nodes counted, when it was last asked
    /// @param isOver whether the newest request was one too many
    private record Use(long minute, int own, int others, boolean isOver) {

        static final Use NONE = new Use(-1, 0, 0, false);

        Use afterOneMore(long now, int limit) {
            var use = now == minute ? this : new Use(now, 0, 0, false);
            return (long) use.own + use.others >= limit
                    ? new Use(now, use.own, use.others, true)
                    : new Use(now, use.own + 1, use.others, false);
        }

        Use withOthers(int counted) {
            return new Use(minute, own, counted, isOver);
        }
    }

    private final Db db;
    private final Function<WorkspaceId, Plan.Limits> limits;
    private final UUID node;
    private final InstantSource clock;

    private final ConcurrentHashMap<SourceId, Use> uses = new ConcurrentHashMap<>();

    /// Of the thread of the rounds: what the others were told of `toldMinute`.
    private final Map<SourceId, Integer> told = new HashMap<>();

    private long toldMinute;

    /// @param node names this process
    public IngestBudget(
            Db db, Function<WorkspaceId, Plan.Limits> limits, UUID node, InstantSource clock) {
        this.db = db;
        this.limits = limits;
        this.node = node;
        this.clock = clock;
    }

    /// @throws ApiException 429 when the source's minute is used up
    void spend(Source source) {
        var limit = limits.apply(source.workspace()).ingestPerMinutePerSource();
        if (limit.isEmpty()) {
            return;
        }
        var now = clock.instant();
        var use =
                uses.compute(
                        source.id(),
                        (_, before) ->
                                Objects.requireNonNullElse(before, Use.NONE)
                                        .afterOneMore(minute(now), limit.getAsInt()));
        if (use.isOver()) {
            throw refusal(limit.getAsInt(), now);
        }
    }

    private static ApiException refusal(int limit, Instant now) {
        int wait = MINUTE - Math.floorMod(now.getEpochSecond(), MINUTE);
        return new ApiException(
                        ErrorStatus.RATE_LIMITED,
                        "The source takes "
                                + limit
                                + " requests a minute. Nothing was stored; send the event again in "
                                + wait
                                + " s.")
                .with(new Header("Retry-After", Integer.toString(wait)));
    }

    private static long minute(Instant now) {
        return Math.floorDiv(now.getEpochSecond(), MINUTE);
    }

    @Override
    public boolean run() {
        long minute = minute(clock.instant());
        uses.values().removeIf(use -> use.minute() < minute);
        var own = new HashMap<SourceId, Integer>();
        uses.forEach((source, use) -> {
            if (use.minute() == minute) {
                own.put(source, use.own());
            }
        });
        if (!own.isEmpty()) {
            exchange(minute, own);
        }
        return false;
    }

    private void exchange(long minute, Map<SourceId, Integer> own) {
        boolean isNewMinute = minute != toldMinute;
        if (isNewMinute) {
            told.clear();
            toldMinute = minute;
        }
        var news = new ArrayList<List<Object>>();
        own.forEach((source, n) -> {
            if (!n.equals(told.get(source))) {
                news.add(List.of(minute, source.value(), node, n));
            }
        });
        var others =
                db.call(tx -> {
                    if (isNewMinute) {
                        tx.update("delete from ingest_use where minute < ?", minute);
                    }
                    tell(tx, news);
                    return others(tx, minute);
                });
        told.putAll(own);
        others.forEach((source, n) ->
                uses.computeIfPresent(
                        source, (_, use) -> use.minute() == minute ? use.withOthers(n) : use));
    }

    private static void tell(Tx tx, List<List<Object>> counts) {
        tx.updateEach(
                """
                insert into ingest_use (minute, source_id, node, n)
                values (?, ?, ?, ?)
                on conflict (minute, source_id, node) do update set n = excluded.n
                """,
                counts);
    }

    private Map<SourceId, Integer> others(Tx tx, long minute) {
        var others = new HashMap<SourceId, Integer>();
        tx.query(
                        """
                        select source_id, sum(n)::integer as n
                          from ingest_use
                         where minute = ? and node <> ?
                         group by source_id
                        """,
                        row -> Map.entry(new SourceId(row.uuid("source_id")), row.integer("n")),
                        minute,
                        node)
                .forEach(entry -> others.put(entry.getKey(), entry.getValue()));
        return others;
    }
}
