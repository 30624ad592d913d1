package dev.sluice.gateway.routing;

import dev.sluice.gateway.connection.Connection;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.source.Source;

import java.util.Optional;

/// A connection with its source and destination, at one configuration version. Immutable.
public record Route(
        Connection connection, Source source, boolean isSourceTrashed, Destination destination) {

    /// Returns why the route is held, or empty if it is not.
    ///
    /// If there are several reasons, returns the one that the user has to resolve first.
    ///
    /// @param isResend whether the delivery is a resend; disabling a connection does not hold
    ///   resends
    public Optional<HoldReason> holdReason(boolean isResend) {
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
