package dev.sluice.relay;

/// The deaths of a process that a delivery was on the wire in, all during the same attempt, and
/// what follows from their number.
///
/// Up to three are counted whatever else was on the wire; from then on the delivery is sent alone,
/// and only a death with it alone is counted. After two of those it is poison.
public final class Recoveries {

    public static final int MOST_IN_COMPANY = 3;
    public static final int MOST = 5;

    private Recoveries() {}

    /// Whether it is sent only while nothing else is on the wire of its node.
    public static boolean isSuspect(int recoveries) {
        return recoveries >= MOST_IN_COMPANY;
    }

    /// Whether it is sent no more.
    public static boolean isPoison(int recoveries) {
        return recoveries >= MOST;
    }
}
