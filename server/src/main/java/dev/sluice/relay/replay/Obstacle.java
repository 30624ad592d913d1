package dev.sluice.relay.replay;

import dev.sluice.gateway.routing.Gone;
import dev.sluice.gateway.routing.Route;

import java.util.Optional;

/// What keeps a job from going on; its reason is for the user to read.
sealed interface Obstacle {

    String reason();

    /// For good.
    record End(String reason) implements Obstacle {}

    /// Until it is lifted.
    record Rest(String reason) implements Obstacle {}

    static Obstacle of(Gone gone) {
        return switch (gone) {
            case CONNECTION -> new End("Stopped: the connection was deleted.");
            case DESTINATION -> new End("Stopped: the destination was deleted.");
        };
    }

    /// A pause of source or destination is none: it holds deliveries, not their making.
    static Optional<Obstacle> of(Route route) {
        if (route.isSourceTrashed()) {
            return Optional.of(
                    new Rest("Held: the source is in the trash. It goes on when it is restored."));
        }
        return route.connection().enabled()
                ? Optional.empty()
                : Optional.of(
                        new Rest(
                                "Held: the connection is disabled. It goes on when the connection"
                                        + " is enabled again."));
    }

    /// @param waiting resends of the connection
    /// @param chunk how many more it would make
    /// @param most that may wait
    static Optional<Obstacle> of(int waiting, int chunk, int most) {
        return waiting + chunk <= most
                ? Optional.empty()
                : Optional.of(
                        new Rest(
                                "Paced: "
                                        + most
                                        + " resends of the connection wait at most. It goes on as"
                                        + " they are delivered."));
    }
}
