package dev.sluice.relay;

/// What the usage ledger counts. Each item is counted at the time its event arrived. The database
/// stores the kind's number.
public enum UsageKind {
    /// Events received by a source, grouped by verification result.
    EVENTS(1),
    /// Finished deliveries on a connection, grouped by status.
    OUTCOMES(2),
    /// Deliveries created on a connection, grouped by trigger. Those that its filter kept back are
    /// not among them, or no longer.
    DELIVERIES(3);

    private final int number;

    UsageKind(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    public static UsageKind fromNumber(int number) {
        return values()[number - 1];
    }
}
