package dev.sluice.relay.fairness;

/// A fixed number of units that any number of holders share, none of which can be asked to give
/// anything back.
///
/// The rule: whoever takes a unit leaves as many free as it then holds, once for itself and once
/// for each other holder that has at least a quarter as many. It follows that `n` holders together
/// leave at least an `n + 1`-th of all units free, however they take and return them; decision 21
/// has the proof. One holder alone may therefore have half, holders that always want more have
/// equally many, and greedy ones cannot keep out the next.
///
/// Not thread-safe.
public final class FairShare {

    private final HolderCounts counts = new HolderCounts();
    private int free;

    public FairShare(int units) {
        this.free = units;
    }

    public int free() {
        return free;
    }

    /// Whether the rule lets the holder take one more unit.
    public boolean mayTake(Portion portion) {
        return mayHold(portion, portion.held() + 1);
    }

    /// Whether the rule would let the holder have this many units, which is more than it has now.
    boolean mayHold(Portion portion, int wanted) {
        long left = (long) free + portion.held() - wanted;
        return left >= (long) wanted * (1 + counts.othersWithQuarter(wanted, portion));
    }

    public void take(Portion portion) {
        counts.take(portion);
        free--;
    }

    public void giveBack(Portion portion) {
        counts.giveBack(portion);
        free++;
    }
}
