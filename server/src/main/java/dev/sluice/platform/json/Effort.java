package dev.sluice.platform.json;

/// A limit on the work with payloads from untrusted senders, counted in bytes looked at.
///
/// Work that would pass the limit ends with an [EffortSpentException], so that its absence is never
/// taken for a result. Not thread-safe, except for [#unlimited], which may be shared.
public final class Effort {

    /// What visiting one name or value costs, apart from its bytes.
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

    /// Raises the limit.
    public void add(long more) {
        left = more > Long.MAX_VALUE - left ? Long.MAX_VALUE : left + more;
    }

    /// Counts work before it is done.
    ///
    /// @throws EffortSpentException if the work would pass the limit, or earlier work did
    public void spend(long cost) {
        left -= cost;
        spent += cost;
        if (left < 0) {
            throw new EffortSpentException();
        }
    }

    /// Returns the work counted so far.
    public long spent() {
        return spent;
    }
}
