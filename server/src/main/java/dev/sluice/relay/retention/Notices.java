package dev.sluice.relay.retention;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.Work;
import dev.sluice.relay.store.ExpiryStore;
import dev.sluice.relay.store.RetentionStore;
import dev.sluice.relay.store.RetentionStore.Kept;
import dev.sluice.relay.store.RetentionStore.Notice;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Finds deliveries that will end unsent before long. What it found is told first and noted then.
final class Notices {

    /// Rows looked at in one transaction.
    private static final int ROWS = 10_000;

    /// Until a resend that was being made is committed for certain.
    private static final Duration COMMITTED = Duration.ofMinutes(1);

    private static final Notice NOTHING = new Notice(0, Instant.EPOCH, Instant.EPOCH);

    private record Place(SourceId source, ConnectionId connection) {}

    private final Db db;
    private final PlanCatalog plans;
    private final ExpiryListener listener;

    Notices(Db db, PlanCatalog plans, ExpiryListener listener) {
        this.db = db;
        this.plans = plans;
        this.listener = listener;
    }

    void tell(Instant now) {
        for (var keeping : db.call(tx -> Keeping.all(tx, plans))) {
            tell(keeping, now);
        }
    }

    private void tell(Keeping keeping, Instant now) {
        var from = keeping.retention().expiredAt(now);
        var to = from.plus(keeping.retention().notice().orElseThrow());
        var next = new Notice(keeping.days(), to, now.minus(COMMITTED));
        var sources =
                keeping.sources().stream()
                        .filter(source -> !source.isTrashed())
                        .collect(Collectors.toMap(Kept::source, Kept::workspace));
        if (sources.isEmpty()) {
            return;
        }
        var told = db.call(RetentionStore::notices);
        var soon = new HashMap<Place, Expiring>();
        var stretch = ExpiryStore.Stretch.between(from, to);
        while (true) {
            var read = read(sources, stretch);
            for (var work : read) {
                var before = told.getOrDefault(sources.get(work.source()), NOTHING);
                if (isNew(work, before.days() == keeping.days() ? before : NOTHING, next)) {
                    add(soon, work, keeping);
                }
            }
            if (read.size() < ROWS) {
                break;
            }
            stretch = stretch.from(read.getLast());
        }
        if (!soon.isEmpty()) {
            listener.expiring(List.copyOf(soon.values()));
        }
        var workspaces = new HashSet<>(sources.values());
        db.run(tx -> RetentionStore.told(tx, workspaces, next));
    }

    private List<Work> read(Map<SourceId, WorkspaceId> sources, ExpiryStore.Stretch stretch) {
        return db.call(tx -> ExpiryStore.unfinished(tx, sources.keySet(), stretch, ROWS));
    }

    /// A resend of an event that was told of already is told of too, once it is committed.
    private static boolean isNew(Work work, Notice before, Notice next) {
        boolean isInTime = !arrival(work).isBefore(before.toldTo());
        return work.createdAt().isEmpty()
                ? isInTime
                : work.createdAt().get().isBefore(next.lookedAt())
                        && (isInTime || !work.createdAt().get().isBefore(before.lookedAt()));
    }

    private static void add(Map<Place, Expiring> soon, Work work, Keeping keeping) {
        var end = keeping.retention().expiresAt(arrival(work)).orElseThrow();
        // Read oldest first, so the first of each place ends first.
        soon.merge(
                new Place(work.source(), work.connection()),
                new Expiring(work.source(), work.connection(), 1, end),
                (known, more) ->
                        new Expiring(
                                known.source(),
                                known.connection(),
                                known.deliveries() + more.deliveries(),
                                known.first()));
    }

    private static Instant arrival(Work work) {
        return Uuid7.timeOf(work.id().value());
    }
}
