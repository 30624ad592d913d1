package dev.sluice.features.recovery;

import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.routing.RouteDeletion;

import java.util.Optional;

/// The reason why a replay job cannot create resends on a connection at the moment. [#reason]
/// returns a text that is meant for the user.
sealed interface ResendRefusal {

    String reason();

    /// The connection or its destination was deleted, so the job stops working on this connection.
    record PermanentRefusal(String reason) implements ResendRefusal {}

    /// The job can continue on this connection once the cause is gone.
    record TemporaryRefusal(String reason) implements ResendRefusal {}

    /// This node does not know the connection. The connection may be so new that this node has not
    /// read it yet, or it may have been deleted long ago.
    ResendRefusal UNKNOWN_CONNECTION =
            new TemporaryRefusal("Held: the server is still loading the connection.");

    static ResendRefusal of(RouteDeletion deletion) {
        return switch (deletion) {
            case CONNECTION -> new PermanentRefusal("Stopped: the connection was deleted.");
            case DESTINATION -> new PermanentRefusal("Stopped: the destination was deleted.");
        };
    }

    /// Returns the reason why no resends can be created for the route, or empty if they can be
    /// created. If the source or destination is only paused, resends are still created, but they
    /// wait.
    static Optional<ResendRefusal> of(Route route) {
        if (route.isSuspended()) {
            return Optional.of(
                    new TemporaryRefusal(
                            "Held: the operator has suspended the workspace. The replay continues"
                                    + " when the workspace is resumed."));
        }
        if (route.isSourceTrashed()) {
            return Optional.of(
                    new TemporaryRefusal(
                            "Held: the source is in the trash. The replay continues when the"
                                    + " source is restored."));
        }
        return route.connection().enabled()
                ? Optional.empty()
                : Optional.of(
                        new TemporaryRefusal(
                                "Held: the connection is disabled. The replay continues when"
                                        + " the connection is enabled again."));
    }

    /// Returns a temporary refusal if the next chunk could raise the number of waiting resends
    /// above `maxWaiting`, or empty otherwise.
    ///
    /// @param waiting the number of resends currently waiting on the connection
    /// @param chunk the maximum number of resends that the next chunk may add
    /// @param maxWaiting the maximum number of waiting resends
    static Optional<ResendRefusal> of(int waiting, int chunk, int maxWaiting) {
        return waiting + chunk <= maxWaiting
                ? Optional.empty()
                : Optional.of(
                        new TemporaryRefusal(
                                "Throttled: at most "
                                        + maxWaiting
                                        + " resends of the connection may wait. The replay"
                                        + " continues as they are delivered."));
    }
}
