package dev.sluice.relay.retention;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Loop;
import dev.sluice.relay.store.Partitions;
import dev.sluice.relay.store.ResultsListener;
import dev.sluice.relay.store.RetentionStore;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;

/// Sees to the end of retention once an hour, on one node at a time: tells of what will end unsent,
/// ends what still waits, removes days that are over.
///
/// Each part may be cut short anywhere and be done again. Two nodes that do it at once, because one
/// took longer than its lease, do nothing wrong; they may tell of something twice.
public final class Retaining implements Loop.Step {

    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final Duration PAUSE = Duration.ofHours(1);

    /// When something was in the way.
    private static final Duration SOON = Duration.ofMinutes(1);

    private final Db db;
    private final InstantSource clock;
    private final InstantSource host;
    private final UUID holder;
    private final Notices notices;
    private final Ending ending;
    private final Removal removal;

    /// Owned by the thread of the rounds.
    private Instant next = Instant.MIN;

    /// @param told of deliveries that were ended, as of any other result
    /// @param clock that all processes go by
    /// @param host this machine's. The earlier of the two counts: what is removed does not come
    ///   back, so neither a database nor a machine whose clock runs ahead must do it
    public Retaining(
            Db db,
            PlanCatalog plans,
            Partitions partitions,
            Uuid7 ids,
            ResultsListener told,
            ExpiryListener warned,
            InstantSource clock,
            InstantSource host) {
        this.db = db;
        this.clock = clock;
        this.host = host;
        holder = ids.next();
        notices = new Notices(db, plans, warned);
        ending = new Ending(db, plans, partitions, ids, told);
        removal = new Removal(db, plans, partitions, ending);
    }

    @Override
    public boolean run() {
        var now = earlier(clock.instant(), host.instant());
        if (now.isBefore(next)) {
            return false;
        }
        next = now.plus(SOON);
        if (db.call(tx -> RetentionStore.hold(tx, holder, LEASE))) {
            notices.tell(now);
            ending.endExpired(now);
            if (removal.remove(now)) {
                next = now.plus(PAUSE);
            }
            leave();
        }
        return false;
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    /// Lets another node go on at once.
    public void leave() {
        db.run(tx -> RetentionStore.leave(tx, holder));
    }
}
