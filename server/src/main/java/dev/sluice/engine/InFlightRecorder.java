package dev.sluice.engine;

/// Records which attempts this process is making. If the process dies but the machine keeps
/// running, the next process on the same data directory can find out which attempts were in flight.
///
/// Thread-safe. Recording the start or the end of an attempt makes no system call.
public interface InFlightRecorder extends AutoCloseable {

    /// The maximum number of concurrent attempts on a node. The package `engine.node` records
    /// attempts in a file that has this many slots.
    int MAX_ATTEMPTS = 24_576;

    /// A recorder that records nothing.
    InFlightRecorder NO_OP =
            new InFlightRecorder() {
                @Override
                public int recordStart(UnfinishedDelivery delivery, long epoch, boolean isAlone) {
                    return -1;
                }

                @Override
                public void recordEnd(int slot) {}

                @Override
                public void beginIsolation() {}

                @Override
                public void endIsolation() {}

                @Override
                public void close() {}
            };

    /// Records the start of an attempt. Called right before the attempt starts.
    ///
    /// @param epoch the epoch under which this node owns the delivery (see [Lease])
    /// @param isAlone whether [#beginIsolation] was called for this attempt; if the isolation has
    ///   already ended, the attempt is not recorded as alone
    /// @return the slot to pass to [#recordEnd], or -1 if the attempt is not recorded
    int recordStart(UnfinishedDelivery delivery, long epoch, boolean isAlone);

    /// Records the end of an attempt. Called when the attempt is over, before its outcome is used.
    /// Does nothing if `slot` is -1.
    void recordEnd(int slot);

    /// Begins an isolation: until the isolation ends, at most one attempt is in flight. Called
    /// while no attempt is in flight.
    void beginIsolation();

    /// Ends the isolation. Called before other attempts may start again.
    void endIsolation();

    /// Discards what has been recorded. Called when the process stops normally, so that attempts
    /// still in flight are not counted as recoveries (see [PoisonPolicy]). May be called more than
    /// once.
    @Override
    void close();
}
