package dev.sluice.relay.fairness;

/// Shares a fixed number of units fairly among any number of holders, without ever taking units
/// back from a holder.
///
/// The rule: a holder may take a unit only if enough units then stay free. That is as many as the
/// holder then has, and as many again for each other holder that has at least a quarter as many. As
/// a result, `n` holders together leave at least one `n + 1`-th of all units free, however they
/// take and return them; decision 21 has the proof. One holder alone may therefore have half of the
/// units, holders that always want more get equally many, and a new holder always finds free units.
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

    /// Whether the rule allows the holder to have this many units, which must be more than it has
    /// now.
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
