package dev.sluice.relay.dispatch;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.routing.RouteMap;

import java.time.InstantSource;
import java.util.Collection;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/// The [Place] of each destination that something is sent to, until it is deleted and nothing of it
/// is in memory. Of a workspace a few numbers are kept for good.
final class Places {

    /// Of destinations whose workspace is not known, because they are deleted.
    private static final WorkspaceId UNKNOWN = new WorkspaceId(new UUID(0, 0));

    private final RouteMap routing;
    private final InstantSource clock;
    private final ConcurrentHashMap<DestinationId, Place> places = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<WorkspaceId, Place.Tenant> tenants = new ConcurrentHashMap<>();

    Places(RouteMap routing, InstantSource clock) {
        this.routing = routing;
        this.clock = clock;
    }

    Place of(DestinationId destination) {
        return places.computeIfAbsent(destination, this::newPlace);
    }

    /// The place of a destination that has one already.
    Optional<Place> known(DestinationId destination) {
        return Optional.ofNullable(places.get(destination));
    }

    Collection<Place> all() {
        return places.values();
    }

    private Place newPlace(DestinationId destination) {
        var known = routing.destination(destination);
        var workspace = known.isPresent() ? known.get().workspace() : UNKNOWN;
        var tenant =
                tenants.computeIfAbsent(
                        workspace, _ -> new Place.Tenant(new Turns.Tenant(), new Memory.Tenant()));
        return new Place(destination, new Outbox(new Pace(clock)), tenant);
    }

    /// In one step with finding the place, so that it is not forgotten in between.
    Place addWaiting(DestinationId destination, Ready ready) {
        return places.compute(
                destination,
                (_, known) -> {
                    var place = known == null ? newPlace(destination) : known;
                    place.outbox().addWaiting(ready);
                    return place;
                });
    }

    /// Forgets destinations that were deleted and have nothing here any more.
    void forgetGone() {
        for (var destination : places.keySet()) {
            if (routing.destination(destination).isEmpty()) {
                places.computeIfPresent(
                        destination,
                        (_, place) -> place.isEmpty() && place.outbox().retire() ? null : place);
            }
        }
    }
}
