package dev.sluice.relay;

/// What is being sent by this process, noted so that its next life can tell what was on the wire
/// when it died. Safe for use by many threads; both ways cost nanoseconds.
public interface OnTheWire extends AutoCloseable {

    /// Notes nothing.
    OnTheWire UNNOTED =
            new OnTheWire() {
                @Override
                public int enter(Work work, long epoch, boolean isAlone) {
                    return -1;
                }

                @Override
                public void leave(int slot) {}

                @Override
                public void beginSolitude() {}

                @Override
                public void endSolitude() {}

                @Override
                public void close() {}
            };

    /// Called right before an attempt is made.
    ///
    /// @param epoch under which this node has the delivery
    /// @param isAlone whether it is the one that solitude began for; should that have ended since,
    ///   it is one among others
    /// @return what `leave` is told
    int enter(Work work, long epoch, boolean isAlone);

    /// Called once the attempt is over, before anything is made of it.
    void leave(int slot);

    /// Nothing is on the wire of this node now, and until solitude ends only one will be.
    void beginSolitude();

    /// Others are let in beside the one that is alone, or will be.
    void endSolitude();

    /// The process ends in good order: its end counts for nothing that is on the wire. May be
    /// called more than once.
    @Override
    void close();
}
