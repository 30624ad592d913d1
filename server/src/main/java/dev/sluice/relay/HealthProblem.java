package dev.sluice.relay;

/// A problem to show in the public status of the server.
///
/// @param component the part of the service that is affected
/// @param reason one sentence, which must not identify a workspace
public record HealthProblem(Component component, String reason) {

    /// The parts of the service that the status shows.
    public enum Component {
        INGEST,
        DELIVERY,
        BACKGROUND
    }
}
