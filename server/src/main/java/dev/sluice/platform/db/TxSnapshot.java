package dev.sluice.platform.db;

import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

/// A snapshot of the database (PostgreSQL's type `pg_snapshot`), which records which transactions
/// had ended at a given moment.
///
/// A snapshot sees everything that had been committed by that moment. It sees nothing from
/// transactions that were still running then or that started later. A later snapshot of the same
/// database sees everything that an earlier one sees. Immutable.
public final class TxSnapshot {

    /// The maximum number of running transactions in a parsed snapshot. A snapshot that lists more
    /// is refused as forged, because databases run far fewer transactions at once.
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

    /// Returns the snapshot that sees exactly the transactions with an id below `xid`.
    public static TxSnapshot before(long xid) {
        return new TxSnapshot(xid, xid, new long[0]);
    }

    /// Parses the text form of a `pg_snapshot`, which is `xmin:xmax:xip,...`.
    ///
    /// @throws IllegalArgumentException if the text is not a snapshot
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

    /// Returns whether the transaction had ended when the snapshot was taken.
    public boolean sees(long xid) {
        return xid < oldestRunning || (xid < next && Arrays.binarySearch(running, xid) < 0);
    }

    /// Returns whether the snapshot sees no transaction at all.
    public boolean seesNothing() {
        return next <= 1;
    }

    /// Returns the id of the oldest transaction that was still running (`xmin`), or [#next()] if
    /// none was. The snapshot sees all transactions with lower ids.
    public long oldestRunning() {
        return oldestRunning;
    }

    /// Returns the id of the newest transaction that had ended, plus one (`xmax`). The snapshot
    /// sees no transaction with this id or a higher one.
    public long next() {
        return next;
    }

    /// Returns a snapshot that agrees with `later` about all transactions up to and including
    /// `xid`, and with this snapshot about all transactions after `xid`. A reader can thus advance
    /// to `later` in several steps.
    ///
    /// @param later a snapshot that sees everything that this one sees
    /// @param xid a transaction that `later` sees
    public TxSnapshot advanced(TxSnapshot later, long xid) {
        long end = Math.max(xid + 1, next);
        long[] left =
                LongStream.concat(
                                Arrays.stream(later.running).filter(each -> each <= xid),
                                Arrays.stream(running).filter(each -> each > xid))
                        .toArray();
        return new TxSnapshot(left.length == 0 ? end : left[0], end, left);
    }

    /// Returns a transaction's full 64-bit id, given its low 32 bits, as found in a row's `xmin`
    /// column. The transaction must be less than 2^31 transactions away from this snapshot.
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
