package dev.sluice.engine;

/// Decides when a delivery is suspected of crashing the process, and when it is no longer sent.
///
/// A recovery is one death of the process during one of the delivery's attempts. The first three
/// recoveries are counted no matter what else was in flight. After three, the delivery is a
/// suspect. [dev.sluice.engine.send.Quarantine] tries to send a suspect alone, and from then on, a
/// death is counted only if nothing else was in flight. After two such deaths, the delivery is
/// poison.
public final class PoisonPolicy {

    /// The number of recoveries after which the delivery is a suspect.
    public static final int MAX_SHARED_RECOVERIES = 3;

    /// The number of recoveries after which the delivery is poison.
    public static final int MAX_RECOVERIES = 5;

    private PoisonPolicy() {}

    /// Whether a delivery with this many recoveries is a suspect.
    public static boolean isSuspect(int recoveries) {
        return recoveries >= MAX_SHARED_RECOVERIES;
    }

    /// Whether a delivery with this many recoveries is poison and must no longer be sent.
    public static boolean isPoison(int recoveries) {
        return recoveries >= MAX_RECOVERIES;
    }
}
