package dev.sluice.platform.db;

import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

/// Which transactions were over at one moment: a value of PostgreSQL's type `pg_snapshot`.
///
/// Everything that was committed then is seen, and what was running or came later is not. A later
/// snapshot of the same database sees all that an earlier one sees. Immutable.
public final class TxSnapshot {

    /// More transactions than a database runs at a time. Whoever sends a longer list made it up.
    private static final int MAX_RUNNING = 4_096;

    private static final Pattern FORMAT =
            Pattern.compile("([0-9]{1,18}):([0-9]{1,18}):((?:[0-9]{1,18}(?:,[0-9]{1,18})*+)?+)");

    private final long oldestRunning;
    private final long next;
    private final long[] running;

    private TxSnapshot(long oldestRunning, long next, long[] running) {
        this.oldestRunning = oldestRunning;
        this.next = next;
        this.running = running;
    }

    /// Returns the snapshot that sees exactly the transactions before this one.
    public static TxSnapshot before(long xid) {
        return new TxSnapshot(xid, xid, new long[0]);
    }

    /// Parses the text of a `pg_snapshot`, `xmin:xmax:xip,…`.
    ///
    /// @throws IllegalArgumentException if it is none
    public static TxSnapshot parse(String text) {
        var parts = FORMAT.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("is not a snapshot.");
        }
        long[] running =
                parts.group(3).isEmpty()
                        ? new long[0]
                        : Arrays.stream(parts.group(3).split(",", -1))
                                .mapToLong(Long::parseLong)
                                .sorted()
                                .toArray();
        long oldestRunning = Long.parseLong(parts.group(1));
        long next = Long.parseLong(parts.group(2));
        boolean isOrdered =
                oldestRunning > 0
                        && oldestRunning <= next
                        && Arrays.stream(running)
                                .allMatch(xid -> xid >= oldestRunning && xid < next);
        if (!isOrdered || running.length > MAX_RUNNING) {
            throw new IllegalArgumentException("is not a snapshot.");
        }
        return new TxSnapshot(oldestRunning, next, running);
    }

    /// Whether the transaction was over.
    public boolean sees(long xid) {
        return xid < oldestRunning || (xid < next && Arrays.binarySearch(running, xid) < 0);
    }

    /// Returns the oldest transaction that was not over. All before it are seen.
    public long oldestRunning() {
        return oldestRunning;
    }

    /// Returns the first transaction that had not begun.
    public long next() {
        return next;
    }

    /// Returns the snapshot that sees what `later` sees up to a transaction, and what this one sees
    /// of those after it. So what `later` sees can be taken over in parts.
    ///
    /// @param later sees all that this one sees
    /// @param xid seen by `later`
    public TxSnapshot advanced(TxSnapshot later, long xid) {
        long end = Math.max(xid + 1, next);
        long[] left =
                LongStream.concat(
                                Arrays.stream(later.running).filter(each -> each <= xid),
                                Arrays.stream(running).filter(each -> each > xid))
                        .toArray();
        return new TxSnapshot(left.length == 0 ? end : left[0], end, left);
    }

    /// Completes the 32 bits of a transaction's number that a row shows as its `xmin`. It must not
    /// be 2³¹ or more transactions away from this snapshot.
    public long fullXid(long low) {
        return next + (int) (low - next);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TxSnapshot that
                && oldestRunning == that.oldestRunning
                && next == that.next
                && Arrays.equals(running, that.running);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(next);
    }

    /// Returns the text that PostgreSQL reads as a `pg_snapshot`.
    @Override
    public String toString() {
        var text = new StringBuilder().append(oldestRunning).append(':').append(next).append(':');
        for (int i = 0; i < running.length; i++) {
            text.append(i == 0 ? "" : ",").append(running[i]);
        }
        return text.toString();
    }
}
