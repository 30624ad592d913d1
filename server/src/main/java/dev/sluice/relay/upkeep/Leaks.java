package dev.sluice.relay.upkeep;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.dispatch.Dispatcher;
import dev.sluice.relay.node.Node;
import dev.sluice.relay.store.LaneStore;
import dev.sluice.relay.store.NodeStore;
import dev.sluice.relay.store.WorkStore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/// Looks for deliveries that this node owns and does not know: lost by a bug of ours, or stored by
/// a commit that was given up. Found in two rounds running, they are set waiting and counted. The
/// count should stay 0.
///
/// A round also lets what belongs to no node at all wait again.
public final class Leaks implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(Leaks.class);
    private static final Duration OLD = Duration.ofSeconds(60);

    private final Db db;
    private final Node node;
    private final Dispatcher dispatcher;
    private final InstantSource clock;
    private final AtomicLong found = new AtomicLong();

    /// Owned by the thread of the rounds.
    private Set<DeliveryId> suspects = Set.of();

    public Leaks(Db db, Node node, Dispatcher dispatcher, InstantSource clock) {
        this.db = db;
        this.node = node;
        this.dispatcher = dispatcher;
        this.clock = clock;
    }

    @Override
    public boolean run() {
        var now = clock.instant();
        takeOverOrphans();
        long epoch = node.epoch();
        var unknown = new HashSet<DeliveryId>();
        var leaked = new HashSet<DeliveryId>();
        for (var delivery : db.call(tx -> WorkStore.ownedSince(tx, epoch, now.minus(OLD)))) {
            if (!dispatcher.knows(delivery)) {
                (suspects.contains(delivery) ? leaked : unknown).add(delivery);
            }
        }
        if (!leaked.isEmpty()) {
            found.addAndGet(leaked.size());
            log.atError().addKeyValue("deliveries", leaked.size()).log("work.leaked");
            db.run(tx -> WorkStore.release(tx, leaked, epoch, now));
        }
        suspects = unknown;
        return false;
    }

    /// A node that slept through its own takeover may have written once more under an epoch that
    /// was forgotten meanwhile. Owners are read before epochs: an epoch is there before it owns
    /// anything, so a new node is never taken for a forgotten one.
    private void takeOverOrphans() {
        var forgotten = new HashSet<>(db.call(WorkStore::owners));
        forgotten.addAll(db.call(LaneStore::owners));
        forgotten.removeAll(db.call(NodeStore::epochs));
        for (long epoch : forgotten) {
            log.atWarn().addKeyValue("epoch", epoch).log("work.orphaned");
            node.takeOver(epoch);
        }
    }

    /// How many were found since the start.
    public long found() {
        return found.get();
    }
}
