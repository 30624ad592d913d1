package dev.sluice.platform.share;

import java.util.Arrays;

/// For each number of units, counts the holders that have at least that many. Not thread-safe.
///
/// A holder takes and returns one unit at a time, so each step changes a single count.
public final class HolderCounts {

    /// At index `n`, the number of holders with at least `n` units. The array grows as needed.
    private int[] atLeast = new int[8];

    /// Returns how many holders, other than the one that is asking, have at least a quarter of
    /// `wanted`.
    ///
    /// @param portion the units of the holder that is asking, which are fewer than `wanted`
    public int othersWithQuarter(int wanted, Portion portion) {
        int quarter = (wanted + 3) / 4;
        int holders = quarter < atLeast.length ? atLeast[quarter] : 0;
        return portion.held() >= quarter ? holders - 1 : holders;
    }

    public void take(Portion portion) {
        portion.raise();
        if (portion.held() >= atLeast.length) {
            atLeast = Arrays.copyOf(atLeast, 2 * atLeast.length);
        }
        atLeast[portion.held()]++;
    }

    public void giveBack(Portion portion) {
        atLeast[portion.held()]--;
        portion.lower();
    }
}
