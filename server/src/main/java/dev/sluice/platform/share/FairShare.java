package dev.sluice.platform.share;

/// Shares a fixed number of units fairly among any number of holders, without ever taking units
/// back from a holder.
///
/// The rule: a holder may take a unit only if at least `h × (1 + m)` units are still free
/// afterwards. `h` is the number of units that the holder has after taking the unit, and `m` is the
/// number of other holders that have at least `h / 4` units. As a result, `n` holders together
/// always leave at least `1/(n+1)` of the units free, in whatever order they take and return units.
/// `docs/adr/0021` has the proof. A single holder may therefore take half of the units, and a new
/// holder always finds free units. Holders that always want more get equal numbers of units.
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
    public boolean mayHold(Portion portion, int wanted) {
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
