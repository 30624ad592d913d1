package dev.sluice.engine.send;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.Connection;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.AuthConfig;
import dev.sluice.gateway.destination.CustomHeaders;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.DestinationLimits;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.gateway.destination.RateLimit;
import dev.sluice.gateway.destination.RetrySchedule;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.routing.RouteDeletion;
import dev.sluice.gateway.routing.RoutingTable;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.Some;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/// The sources, destinations and connections of a simulation, and each node's possibly older view
/// of them.
final class SimulatedConfiguration {

    /// The configuration at one moment. Each list of flags is parallel to the list of objects
    /// before it.
    record SimulatedSnapshot(
            List<Source> sources,
            List<Boolean> trashed,
            List<Destination> destinations,
            List<Boolean> destinationsDeleted,
            List<Connection> connections,
            List<Boolean> connectionsDeleted) {

        SimulatedSnapshot {
            sources = List.copyOf(sources);
            trashed = List.copyOf(trashed);
            destinations = List.copyOf(destinations);
            destinationsDeleted = List.copyOf(destinationsDeleted);
            connections = List.copyOf(connections);
            connectionsDeleted = List.copyOf(connectionsDeleted);
        }

        private Optional<Integer> connection(ConnectionId id) {
            return IntStream.range(0, connections.size())
                    .boxed()
                    .filter(i -> connections.get(i).id().equals(id))
                    .findFirst();
        }

        private int destination(DestinationId id) {
            return IntStream.range(0, destinations.size())
                    .filter(i -> destinations.get(i).id().equals(id))
                    .findFirst()
                    .orElseThrow();
        }

        private int source(SourceId id) {
            return IntStream.range(0, sources.size())
                    .filter(i -> sources.get(i).id().equals(id))
                    .findFirst()
                    .orElseThrow();
        }

        Optional<RouteDeletion> gone(ConnectionId id) {
            return connection(id)
                    .flatMap(i -> {
                        if (connectionsDeleted.get(i)) {
                            return Optional.of(RouteDeletion.CONNECTION);
                        }
                        int to = destination(connections.get(i).destination());
                        return destinationsDeleted.get(to)
                                ? Optional.of(RouteDeletion.DESTINATION)
                                : Optional.empty();
                    });
        }

        Optional<Route> route(ConnectionId id) {
            if (gone(id).isPresent()) {
                return Optional.empty();
            }
            return connection(id)
                    .map(i -> {
                        var connection = connections.get(i);
                        int from = source(connection.source());
                        return new Route(
                                connection,
                                sources.get(from),
                                trashed.get(from),
                                destinations.get(destination(connection.destination())),
                                false,
                                1);
                    });
        }
    }

    /// The configuration as one node knows it.
    static final class NodeConfiguration implements RoutingTable {

        private final SimulatedConfiguration configuration;
        private final List<Runnable> listeners = new ArrayList<>();
        private SimulatedSnapshot snapshot;

        NodeConfiguration(SimulatedConfiguration truth) {
            this.configuration = truth;
            this.snapshot = truth.snapshot();
        }

        /// Takes over a newer snapshot.
        void refresh(SimulatedSnapshot read) {
            if (!read.equals(snapshot)) {
                snapshot = read;
                listeners.forEach(Runnable::run);
            }
        }

        SimulatedConfiguration configuration() {
            return configuration;
        }

        /// The routes of a source's events; empty when ingest answers 404.
        List<Route> routesOf(int source) {
            if (snapshot.trashed().get(source)) {
                return List.of();
            }
            var id = snapshot.sources().get(source).id();
            return snapshot.connections().stream()
                    .filter(connection -> connection.source().equals(id) && connection.enabled())
                    .flatMap(connection -> snapshot.route(connection.id()).stream())
                    .toList();
        }

        @Override
        public Optional<Route> route(ConnectionId connection) {
            return snapshot.route(connection);
        }

        @Override
        public Optional<RouteDeletion> deletion(ConnectionId connection) {
            return snapshot.gone(connection);
        }

        @Override
        public Optional<Destination> destination(DestinationId id) {
            int at = snapshot.destination(id);
            return snapshot.destinationsDeleted().get(at)
                    ? Optional.empty()
                    : Optional.of(snapshot.destinations().get(at));
        }

        /// Adds a listener, which is called after each change.
        void onChange(Runnable listener) {
            listeners.add(listener);
        }
    }

    private final RandomGenerator random;
    private final Uuid7 ids;
    private final Instant start;
    private final WorkspaceId workspace;
    private final List<Runnable> listeners = new ArrayList<>();
    private final List<Source> sources = new ArrayList<>();
    private final List<Boolean> trashed = new ArrayList<>();
    private final List<Destination> destinations = new ArrayList<>();
    private final List<Boolean> destinationsDeleted = new ArrayList<>();
    private final List<Connection> connections = new ArrayList<>();
    private final List<Boolean> connectionsDeleted = new ArrayList<>();
    private SimulatedSnapshot snapshot;

    /// Creates one or two sources, one to four destinations, and one to three connections per
    /// source.
    SimulatedConfiguration(RandomGenerator random, Uuid7 ids, Instant start) {
        this.random = random;
        this.ids = ids;
        this.start = start;
        this.workspace = new WorkspaceId(ids.next());
        for (int i = random.nextInt(2); i >= 0; i--) {
            addSource();
        }
        for (int i = random.nextInt(4); i >= 0; i--) {
            addDestination();
        }
        for (var source : sources) {
            int first = random.nextInt(destinations.size());
            int most = Math.min(destinations.size(), 1 + random.nextInt(3));
            for (int i = 0; i < most; i++) {
                connect(source, destinations.get((first + i) % destinations.size()));
            }
        }
        this.snapshot = current();
    }

    private void addSource() {
        var id = new SourceId(ids.next());
        trashed.add(false);
        sources.add(
                new Source(
                        id,
                        workspace,
                        "t" + id,
                        Some.sourceSpec(Source.SourceStatus.ACTIVE),
                        start,
                        start));
    }

    private void addDestination() {
        var intervals = new ArrayList<Duration>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            intervals.add(Duration.ofMillis(200 + random.nextInt(15_000)));
        }
        var spec =
                new Destination.DestinationSpec(
                        "destination",
                        DestinationUrl.parseStored("https://example.com/"),
                        Duration.ofSeconds(1 + random.nextInt(random.nextInt(4) == 0 ? 60 : 5)),
                        new AuthConfig.NoAuth(),
                        CustomHeaders.NONE,
                        new RetrySchedule(intervals),
                        new DestinationLimits(
                                1 + random.nextInt(4),
                                random.nextInt(4) == 0
                                        ? Optional.of(new RateLimit(2 + random.nextInt(20)))
                                        : Optional.empty()),
                        Destination.DestinationStatus.ACTIVE);
        destinationsDeleted.add(false);
        destinations.add(
                new Destination(
                        new DestinationId(ids.next()), workspace, ids.next(), spec, start, start));
    }

    private void connect(Source source, Destination destination) {
        connectionsDeleted.add(false);
        connections.add(
                new Connection(
                        new ConnectionId(ids.next()),
                        workspace,
                        source.id(),
                        destination.id(),
                        new Connection.ConnectionSpec(true, Optional.empty(), Optional.empty()),
                        start,
                        start));
    }

    private SimulatedSnapshot current() {
        return new SimulatedSnapshot(
                sources,
                trashed,
                destinations,
                destinationsDeleted,
                connections,
                connectionsDeleted);
    }

    SimulatedSnapshot snapshot() {
        return snapshot;
    }

    /// Calls `listener` after each change, for as long as the simulation lasts.
    void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /// Makes one random change, and returns its description for the log.
    String change() {
        String what =
                switch (random.nextInt(12)) {
                    case 0, 1, 2 -> pauseSource(random.nextInt(sources.size()));
                    case 3, 4, 5 -> pauseDestination(random.nextInt(destinations.size()));
                    case 6, 7, 8 -> enable(random.nextInt(connections.size()));
                    case 9 -> trash(random.nextInt(sources.size()));
                    case 10 -> {
                        int at = random.nextInt(connections.size());
                        connectionsDeleted.set(at, true);
                        yield "connection " + at + " deleted";
                    }
                    default -> {
                        int at = random.nextInt(destinations.size());
                        destinationsDeleted.set(at, true);
                        yield "destination " + at + " deleted";
                    }
                };
        publish();
        return what;
    }

    private String pauseSource(int at) {
        boolean isPaused = sources.get(at).status() == Source.SourceStatus.PAUSED;
        status(at, isPaused ? Source.SourceStatus.ACTIVE : Source.SourceStatus.PAUSED);
        return "source " + at + (isPaused ? " resumed" : " paused");
    }

    private void status(int at, Source.SourceStatus status) {
        var old = sources.get(at);
        sources.set(
                at,
                new Source(
                        old.id(),
                        old.workspace(),
                        old.token(),
                        Some.sourceSpec(status),
                        old.createdAt(),
                        old.updatedAt()));
    }

    private String pauseDestination(int at) {
        boolean isPaused = destinations.get(at).isPaused();
        status(
                at,
                isPaused
                        ? Destination.DestinationStatus.ACTIVE
                        : Destination.DestinationStatus.PAUSED);
        return "destination " + at + (isPaused ? " resumed" : " paused");
    }

    private void status(int at, Destination.DestinationStatus status) {
        var old = destinations.get(at);
        var spec = old.spec();
        destinations.set(
                at,
                new Destination(
                        old.id(),
                        old.workspace(),
                        old.revision(),
                        new Destination.DestinationSpec(
                                spec.name(),
                                spec.url(),
                                spec.timeout(),
                                spec.auth(),
                                spec.customHeaders(),
                                spec.retrySchedule(),
                                spec.limits(),
                                status),
                        old.createdAt(),
                        old.updatedAt()));
    }

    private String enable(int at) {
        boolean isEnabled = !connections.get(at).enabled();
        enable(at, isEnabled);
        return "connection " + at + (isEnabled ? " enabled" : " disabled");
    }

    private void enable(int at, boolean isEnabled) {
        var old = connections.get(at);
        connections.set(
                at,
                new Connection(
                        old.id(),
                        old.workspace(),
                        old.source(),
                        old.destination(),
                        new Connection.ConnectionSpec(
                                isEnabled, old.filter(), old.transformation()),
                        old.createdAt(),
                        old.updatedAt()));
    }

    private String trash(int at) {
        boolean isTrashed = !trashed.get(at);
        trashed.set(at, isTrashed);
        return "source " + at + (isTrashed ? " trashed" : " restored");
    }

    /// Lifts every hold; what was deleted stays deleted.
    void liftAll() {
        for (int i = 0; i < sources.size(); i++) {
            status(i, Source.SourceStatus.ACTIVE);
            trashed.set(i, false);
        }
        for (int i = 0; i < destinations.size(); i++) {
            status(i, Destination.DestinationStatus.ACTIVE);
        }
        for (int i = 0; i < connections.size(); i++) {
            enable(i, true);
        }
        publish();
    }

    private void publish() {
        snapshot = current();
        listeners.forEach(Runnable::run);
    }
}
