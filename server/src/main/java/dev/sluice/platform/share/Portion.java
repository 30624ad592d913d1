package dev.sluice.platform.share;

/// The number of units of a [FairShare] that one holder currently has. Guarded by the same lock as
/// the share.
public final class Portion {

    private int held;

    public int held() {
        return held;
    }

    void raise() {
        held++;
    }

    void lower() {
        held--;
    }
}
