package dev.sluice.relay;

/// Records which attempts this process is making. If the process dies, the next one on the same
/// data directory can tell which attempts were in flight.
///
/// Thread-safe. Recording a start or an end takes nanoseconds and makes no system call.
public interface InFlightRecorder extends AutoCloseable {

    /// The maximum number of concurrent attempts on a node. The file has one slot for each.
    int MAX_ATTEMPTS = 16_384;

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
    /// @param isAlone whether the isolation began for this attempt; if the isolation has already
    ///   ended, the attempt is not recorded as alone
    /// @return the slot to pass to [#recordEnd]
    int recordStart(UnfinishedDelivery delivery, long epoch, boolean isAlone);

    /// Records the end of an attempt. Called when the attempt is over, before its outcome is used.
    void recordEnd(int slot);

    /// Begins an isolation: until it ends, at most one attempt is in flight. Called while nothing
    /// is in flight.
    void beginIsolation();

    /// Ends the isolation. Called before other attempts may start again.
    void endIsolation();

    /// Called when the process stops normally, so that its end is not counted against any delivery.
    /// May be called more than once.
    @Override
    void close();
}
