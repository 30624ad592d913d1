package dev.sluice.engine.commit;

import dev.sluice.engine.node.NodeStore;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/// An in-memory model of the table `node` and of [NodeStore]; see [ModelStore].
public final class ModelNodeStore {

    /// A row of `node`.
    public record NodeRow(UUID home, String state, Instant leaseUntil) {

        public boolean isLive() {
            return state.equals("live");
        }

        private NodeRow become(String other) {
            return new NodeRow(home, other, leaseUntil);
        }
    }

    private final TreeMap<Long, NodeRow> rows = new TreeMap<>();
    private final boolean mayDeadHeartbeat;
    private long lastEpoch;

    ModelNodeStore(long lastEpoch, boolean mayDeadHeartbeat) {
        this.lastEpoch = lastEpoch;
        this.mayDeadHeartbeat = mayDeadHeartbeat;
    }

    /// @param now time of the database's clock, here and below
    public long register(UUID home, Duration lease, Instant now) {
        rows.put(++lastEpoch, new NodeRow(home, "live", now.plus(lease)));
        return lastEpoch;
    }

    public boolean heartbeat(long epoch, Duration lease, Instant now) {
        var row = rows.get(epoch);
        if (row == null || !row.isLive()) {
            return mayDeadHeartbeat;
        }
        rows.put(epoch, new NodeRow(row.home(), row.state(), now.plus(lease)));
        return true;
    }

    public void leave(long epoch) {
        rows.computeIfPresent(epoch, (_, row) -> row.isLive() ? row.become("left") : row);
    }

    public List<Long> declareDead(long epoch, UUID home, Instant now) {
        var dead = new ArrayList<Long>();
        rows.replaceAll((other, row) -> {
            boolean isOver = row.leaseUntil().isBefore(now);
            boolean isEarlierLife = row.home().equals(home) && other < epoch;
            if (!row.isLive() || other == epoch || !(isOver || isEarlierLife)) {
                return row;
            }
            dead.add(other);
            return row.become("dead");
        });
        return dead;
    }

    /// The end of each live node's lease, by its epoch.
    public Map<Long, Instant> liveLeases() {
        var leases = new HashMap<Long, Instant>();
        rows.forEach((epoch, row) -> {
            if (row.isLive()) {
                leases.put(epoch, row.leaseUntil());
            }
        });
        return leases;
    }

    /// Declares a node dead unless it has renewed its lease. Returns whether it did so.
    public boolean declareDead(long epoch, Instant leaseUntil) {
        boolean isStill = isLive(epoch) && row(epoch).orElseThrow().leaseUntil().equals(leaseUntil);
        if (isStill) {
            rows.computeIfPresent(epoch, (_, row) -> row.become("dead"));
        }
        return isStill;
    }

    public List<Long> gone() {
        return rows.entrySet().stream()
                .filter(entry -> !entry.getValue().isLive())
                .map(entry -> entry.getKey())
                .toList();
    }

    public Set<Long> epochs() {
        return new TreeSet<>(rows.keySet());
    }

    public void forget(long epoch) {
        rows.computeIfPresent(epoch, (_, row) -> row.isLive() ? row : null);
    }

    /// Empty when the row never existed or is deleted.
    public Optional<NodeRow> row(long epoch) {
        return Optional.ofNullable(rows.get(epoch));
    }

    public boolean isLive(long epoch) {
        return row(epoch).map(NodeRow::isLive).orElse(false);
    }

    /// Lets a test end a lease.
    void expire(long epoch, Instant at) {
        rows.computeIfPresent(
                epoch, (_, row) -> new NodeRow(row.home(), row.state(), at.minusSeconds(1)));
    }
}
