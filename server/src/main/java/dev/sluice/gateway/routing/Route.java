package dev.sluice.gateway.routing;

import dev.sluice.gateway.connection.Connection;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.source.Source;

import java.util.Optional;

/// A connection with what it joins, at one moment.
public record Route(
        Connection connection, Source source, boolean isSourceTrashed, Destination destination) {

    /// What holds the route, if anything; the first that the user would have to lift.
    ///
    /// @param isResend resends are sent on a disabled connection too
    public Optional<Hold> hold(boolean isResend) {
        if (isSourceTrashed) {
            return Optional.of(Hold.SOURCE_IN_TRASH);
        }
        if (source.status() == Source.Status.PAUSED) {
            return Optional.of(Hold.SOURCE_PAUSED);
        }
        if (destination.isPaused()) {
            return Optional.of(Hold.DESTINATION_PAUSED);
        }
        if (!connection.enabled() && !isResend) {
            return Optional.of(Hold.CONNECTION_DISABLED);
        }
        return Optional.empty();
    }
}
