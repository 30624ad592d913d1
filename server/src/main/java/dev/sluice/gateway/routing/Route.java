package dev.sluice.gateway.routing;

import dev.sluice.gateway.connection.Connection;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.source.Source;

import java.util.Optional;

/// A connection with its source and destination, at one configuration version. Immutable.
///
/// @param isSuspended whether the operator has suspended the workspace
/// @param configuration the configuration version, which is stored with each attempt
public record Route(
        Connection connection,
        Source source,
        boolean isSourceTrashed,
        Destination destination,
        boolean isSuspended,
        long configuration) {

    /// Returns why the configuration holds deliveries on this route, or empty if it does not. Does
    /// not consider the circuit.
    ///
    /// If there are several reasons, returns the one that must be resolved first.
    ///
    /// @param isResend whether the delivery is a resend; a disabled connection does not hold
    ///   resends
    public Optional<HoldReason> holdReason(boolean isResend) {
        if (isSuspended) {
            return Optional.of(HoldReason.WORKSPACE_SUSPENDED);
        }
        if (isSourceTrashed) {
            return Optional.of(HoldReason.SOURCE_IN_TRASH);
        }
        if (source.status() == Source.SourceStatus.PAUSED) {
            return Optional.of(HoldReason.SOURCE_PAUSED);
        }
        if (destination.isPaused()) {
            return Optional.of(HoldReason.DESTINATION_PAUSED);
        }
        if (!connection.enabled() && !isResend) {
            return Optional.of(HoldReason.CONNECTION_DISABLED);
        }
        if (!destination.isReadable()) {
            return Optional.of(HoldReason.DESTINATION_UNREADABLE);
        }
        if (!connection.isReadable()) {
            return Optional.of(HoldReason.CONNECTION_UNREADABLE);
        }
        return Optional.empty();
    }
}
