package dev.sluice.engine.node;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.Lease;
import dev.sluice.engine.send.Dispatcher;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/// Finds deliveries that this node owns in the database but does not have in memory.
///
/// These deliveries are called leaks. A leak has one of three causes: a bug lost the delivery, a
/// journal gave up on a commit that had stored the delivery after all, or a journal gave up on
/// writing the delivery's result. A delivery whose event is over a minute old and that is missing
/// from memory in two consecutive rounds is counted and released, so that it waits again. The count
/// should stay at 0.
public final class LeakDetector implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(LeakDetector.class);
    private static final Duration LEAK_AGE = Duration.ofSeconds(60);

    private final Db db;
    private final Lease node;
    private final Dispatcher dispatcher;
    private final InstantSource clock;
    private final AtomicLong found = new AtomicLong();

    /// The deliveries that were missing from memory in the last round. Used only by the thread that
    /// runs the rounds.
    private Set<DeliveryId> suspects = Set.of();

    public LeakDetector(Db db, Lease node, Dispatcher dispatcher, InstantSource clock) {
        this.db = db;
        this.node = node;
        this.dispatcher = dispatcher;
        this.clock = clock;
    }

    @Override
    public boolean run() {
        var now = clock.instant();
        long epoch = node.epoch();
        var unknown = new HashSet<DeliveryId>();
        var leaked = new HashSet<DeliveryId>();
        for (var delivery :
                db.call(tx -> OwnedDeliveryStore.ownedBefore(tx, epoch, now.minus(LEAK_AGE)))) {
            if (!dispatcher.hasFresh(delivery)) {
                (suspects.contains(delivery) ? leaked : unknown).add(delivery);
            }
        }
        if (!leaked.isEmpty()) {
            found.addAndGet(leaked.size());
            log.atError().addKeyValue("deliveries", leaked.size()).log("deliveries.leaked");
            db.run(tx -> OwnedDeliveryStore.release(tx, leaked, epoch, now));
        }
        suspects = unknown;
        return false;
    }

    /// Returns the number of leaked deliveries found since the process started.
    public long found() {
        return found.get();
    }
}
