package dev.sluice.relay.replay;

import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.routing.RouteDeletion;

import java.util.Optional;

/// The reason why a job cannot continue. Shown to the user.
sealed interface ResendRefusal {

    String reason();

    /// The job can never continue.
    record PermanentRefusal(String reason) implements ResendRefusal {}

    /// The job can continue once the cause is gone.
    record TemporaryRefusal(String reason) implements ResendRefusal {}

    /// This node does not know yet whether the connection is new or was deleted long ago.
    ResendRefusal UNKNOWN_CONNECTION =
            new TemporaryRefusal("Held: the server reads the connection first.");

    static ResendRefusal of(RouteDeletion deletion) {
        return switch (deletion) {
            case CONNECTION -> new PermanentRefusal("Stopped: the connection was deleted.");
            case DESTINATION -> new PermanentRefusal("Stopped: the destination was deleted.");
        };
    }

    /// Returns why no resend can be created for the route. A paused source or destination is no
    /// reason: a pause delays deliveries, but they can still be created.
    static Optional<ResendRefusal> of(Route route) {
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

    /// Returns a temporary refusal when too many resends are waiting.
    ///
    /// @param waiting number of resends that wait on the connection now
    /// @param chunk number of resends that the next chunk may add
    /// @param maxWaiting maximum number of waiting resends
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
