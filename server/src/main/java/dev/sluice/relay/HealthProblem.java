package dev.sluice.relay;

/// Something that does not work as it should, for the public status: it names no tenant.
///
/// @param component the part of the service that suffers
/// @param reason one sentence
public record HealthProblem(Component component, String reason) {

    /// The parts of the service that the status shows.
    public enum Component {
        INGEST,
        DELIVERY,
        BACKGROUND
    }
}
