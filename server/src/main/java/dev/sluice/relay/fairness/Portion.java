package dev.sluice.relay.fairness;

/// The number of units that one holder has taken from a [FairShare]. Guarded by the same lock as
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
