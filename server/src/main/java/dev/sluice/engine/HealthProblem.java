package dev.sluice.engine;

/// A problem to show in the server's public status.
///
/// @param component the affected part of the service
/// @param reason one sentence, which must not identify a workspace
public record HealthProblem(Component component, String reason) {

    /// The parts of the service that the status shows.
    public enum Component {
        INGEST,
        DELIVERY,
        BACKGROUND
    }
}
