package dev.sluice.relay.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/// The table `node` and what [NodeStore] does with it, as a model; see [ModelStore].
public final class ModelNodes {

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

    ModelNodes(long lastEpoch, boolean mayDeadHeartbeat) {
        this.lastEpoch = lastEpoch;
        this.mayDeadHeartbeat = mayDeadHeartbeat;
    }

    /// @param now by the database's clock, here and below
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

    /// Empty when it was never there, or is forgotten.
    public Optional<NodeRow> row(long epoch) {
        return Optional.ofNullable(rows.get(epoch));
    }

    public boolean isLive(long epoch) {
        return row(epoch).map(NodeRow::isLive).orElse(false);
    }

    /// For a test to end a lease.
    void expire(long epoch, Instant at) {
        rows.computeIfPresent(
                epoch, (_, row) -> new NodeRow(row.home(), row.state(), at.minusSeconds(1)));
    }
}
