package dev.sluice.relay.retention;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.Work;
import dev.sluice.relay.store.ExpiryStore;
import dev.sluice.relay.store.Partitions;
import dev.sluice.relay.store.ResultsListener;
import dev.sluice.relay.store.RetentionStore.Kept;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

/// Ends deliveries that still wait although their event's retention is over.
///
/// What waits in a lane may be in the memory of the node that leased it, and nothing in its row
/// says so. But no attempt begins once the retention is over, and none takes longer than five
/// minutes: so half an hour later nothing of it is on the wire, on clocks that differ by some
/// minutes too. Should a result come all the same, from a process that froze, the row is gone and
/// it changes nothing.
final class Ending {

    private static final Logger log = LoggerFactory.getLogger(Ending.class);

    /// From the end of the retention, or a change of the workspace that may have been of its plan,
    /// until what waits is ended.
    static final Duration MARGIN = Duration.ofMinutes(30);

    /// Rows ended in one transaction.
    private static final int ROWS = 1_000;

    private final Db db;
    private final PlanCatalog plans;
    private final Partitions partitions;
    private final Uuid7 ids;
    private final ResultsListener listener;

    Ending(Db db, PlanCatalog plans, Partitions partitions, Uuid7 ids, ResultsListener listener) {
        this.db = db;
        this.plans = plans;
        this.partitions = partitions;
        this.ids = ids;
        this.listener = listener;
    }

    /// Those whose event is expired by its own workspace's plan. What a node has in memory as its
    /// own is left to that node.
    void endExpired(Instant now) {
        var settled = now.minus(MARGIN);
        int ended = 0;
        for (var keeping : db.call(tx -> Keeping.all(tx, plans))) {
            var sources =
                    keeping.sources().stream()
                            .filter(source -> source.changedAt().isBefore(settled))
                            .map(Kept::source)
                            .toList();
            var stretch =
                    ExpiryStore.Stretch.between(
                            Instant.EPOCH, keeping.retention().expiredAt(settled));
            while (!sources.isEmpty()) {
                var from = stretch;
                var read = db.call(tx -> ExpiryStore.waiting(tx, sources, from, ROWS));
                ended += end(read, now);
                if (read.size() < ROWS) {
                    break;
                }
                stretch = stretch.from(read.getLast());
            }
        }
        if (ended > 0) {
            log.atWarn().addKeyValue("deliveries", ended).log("deliveries.expired");
        }
    }

    /// Whatever is left of events that came in before `before`, so that their days can go. False
    /// when something could not be ended now.
    boolean endBefore(Instant before, Instant now) {
        while (true) {
            var read = db.call(tx -> ExpiryStore.leftBefore(tx, before, ROWS));
            if (read.isEmpty()) {
                return true;
            }
            log.atWarn().addKeyValue("deliveries", read.size()).log("deliveries.left");
            if (end(read, now) == 0) {
                return false;
            }
        }
    }

    /// How many took effect.
    private int end(List<Work> works, Instant now) {
        if (works.isEmpty()) {
            return 0;
        }
        var days = partitions.days();
        var kept = works.stream().filter(work -> days.contains(day(work))).toList();
        var lost = works.stream().filter(work -> !days.contains(day(work))).toList();
        return endKept(kept, now) + discard(lost);
    }

    private int endKept(List<Work> works, Instant now) {
        if (works.isEmpty()) {
            return 0;
        }
        var ended = db.call(tx -> ExpiryStore.end(tx, works, ids.next(), now));
        listener.written(List.of(), ended);
        return ended.size();
    }

    /// Should not happen: no day goes before its deliveries.
    private int discard(List<Work> works) {
        if (works.isEmpty()) {
            return 0;
        }
        log.atError().addKeyValue("deliveries", works.size()).log("deliveries.without_event");
        return db.call(tx -> ExpiryStore.discard(tx, works));
    }

    private static LocalDate day(Work work) {
        return LocalDate.ofInstant(Uuid7.timeOf(work.id().value()), ZoneOffset.UTC);
    }
}
