package dev.sluice.platform.json;

/// A limit on the work that payloads from untrusted senders may cause. Work is counted in units
/// that approximate computing time: reading one byte costs from a quarter of a unit to four units.
///
/// Work that would exceed the limit throws an [EffortSpentException], so an unfinished computation
/// never looks like a result. Not thread-safe. Threads may nevertheless share an instance from
/// [#unlimited], because its limit is never reached. In that case, [#spent] is not exact.
public final class Effort {

    /// The cost of visiting one name or value, apart from its bytes.
    static final int VISIT_COST = 8;

    private long left;
    private long spent;

    private Effort(long left) {
        this.left = left;
    }

    public static Effort of(long limit) {
        return new Effort(limit);
    }

    /// Returns an effort that no work can use up.
    public static Effort unlimited() {
        return new Effort(Long.MAX_VALUE);
    }

    /// Raises the limit by `more`.
    public void add(long more) {
        left = more > Long.MAX_VALUE - left ? Long.MAX_VALUE : left + more;
    }

    /// Counts work against the limit. Must be called before the work is done.
    ///
    /// @throws EffortSpentException if the work, together with earlier work, exceeds the limit
    public void spend(long cost) {
        left -= cost;
        spent += cost;
        if (left < 0) {
            throw new EffortSpentException();
        }
    }

    /// Whether the limit has been exceeded. If so, any further call to [#spend] throws.
    public boolean isSpent() {
        return left < 0;
    }

    /// Returns the work counted so far, including any work that was refused.
    public long spent() {
        return spent;
    }
}
