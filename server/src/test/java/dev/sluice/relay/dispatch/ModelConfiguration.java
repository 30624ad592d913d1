package dev.sluice.relay.dispatch;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.Connection;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.Auth;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.DestinationUrl;
import dev.sluice.gateway.destination.RateLimit;
import dev.sluice.gateway.destination.RetryPolicy;
import dev.sluice.gateway.routing.Gone;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.routing.RouteMap;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationConfig;
import dev.sluice.platform.id.Uuid7;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/// Sources, destinations and connections as they are, and as a node knows them.
final class ModelConfiguration {

    /// Everything at one moment. The lists are parallel to those of what was deleted.
    record Snapshot(
            List<Source> sources,
            List<Boolean> trashed,
            List<Destination> destinations,
            List<Boolean> destinationsDeleted,
            List<Connection> connections,
            List<Boolean> connectionsDeleted) {

        Snapshot {
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

        Optional<Gone> gone(ConnectionId id) {
            return connection(id)
                    .flatMap(i -> {
                        if (connectionsDeleted.get(i)) {
                            return Optional.of(Gone.CONNECTION);
                        }
                        int to = destination(connections.get(i).destination());
                        return destinationsDeleted.get(to)
                                ? Optional.of(Gone.DESTINATION)
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
                                destinations.get(destination(connection.destination())));
                    });
        }
    }

    /// What one node knows of it.
    static final class Known implements RouteMap {

        private final ModelConfiguration truth;
        private final List<Runnable> listeners = new ArrayList<>();
        private Snapshot snapshot;

        Known(ModelConfiguration truth) {
            this.truth = truth;
            this.snapshot = truth.snapshot();
        }

        /// Learns what there is now.
        void refresh(Snapshot read) {
            if (!read.equals(snapshot)) {
                snapshot = read;
                listeners.forEach(Runnable::run);
            }
        }

        ModelConfiguration truth() {
            return truth;
        }

        /// What an event of this source goes to; empty when its ingest answers 404.
        List<Route> inlet(int source) {
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
        public Optional<Gone> gone(ConnectionId connection) {
            return snapshot.gone(connection);
        }

        @Override
        public Optional<Destination> destination(DestinationId id) {
            int at = snapshot.destination(id);
            return snapshot.destinationsDeleted().get(at)
                    ? Optional.empty()
                    : Optional.of(snapshot.destinations().get(at));
        }

        @Override
        public void onChange(Runnable listener) {
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
    private Snapshot snapshot;

    /// One or two sources, one to four destinations, one to three connections of each source.
    ModelConfiguration(RandomGenerator random, Uuid7 ids, Instant start) {
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
                        "source",
                        Optional.empty(),
                        "#336699",
                        "t" + id,
                        Source.Status.ACTIVE,
                        new VerificationConfig.None(),
                        Optional.empty(),
                        start,
                        start));
    }

    private void addDestination() {
        var intervals = new ArrayList<Duration>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            intervals.add(Duration.ofMillis(200 + random.nextInt(15_000)));
        }
        var spec =
                new Destination.Spec(
                        "destination",
                        DestinationUrl.stored("https://example.com/"),
                        Duration.ofSeconds(1 + random.nextInt(random.nextInt(4) == 0 ? 60 : 5)),
                        new Auth.None(),
                        List.of(),
                        new RetryPolicy(intervals),
                        1 + random.nextInt(4),
                        random.nextInt(4) == 0
                                ? Optional.of(new RateLimit(2 + random.nextInt(20)))
                                : Optional.empty(),
                        Destination.Status.ACTIVE);
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
                        true,
                        Optional.empty(),
                        Optional.empty(),
                        start,
                        start));
    }

    private Snapshot current() {
        return new Snapshot(
                sources,
                trashed,
                destinations,
                destinationsDeleted,
                connections,
                connectionsDeleted);
    }

    Snapshot snapshot() {
        return snapshot;
    }

    /// Calls `listener` after each change, for as long as the simulation lasts.
    void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /// Somebody changes something. What, for the log.
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
        boolean isPaused = sources.get(at).status() == Source.Status.PAUSED;
        status(at, isPaused ? Source.Status.ACTIVE : Source.Status.PAUSED);
        return "source " + at + (isPaused ? " resumed" : " paused");
    }

    private void status(int at, Source.Status status) {
        var old = sources.get(at);
        sources.set(
                at,
                new Source(
                        old.id(),
                        old.workspace(),
                        old.name(),
                        old.description(),
                        old.color(),
                        old.token(),
                        status,
                        old.verification(),
                        old.response(),
                        old.createdAt(),
                        old.updatedAt()));
    }

    private String pauseDestination(int at) {
        boolean isPaused = destinations.get(at).isPaused();
        status(at, isPaused ? Destination.Status.ACTIVE : Destination.Status.PAUSED);
        return "destination " + at + (isPaused ? " resumed" : " paused");
    }

    private void status(int at, Destination.Status status) {
        var old = destinations.get(at);
        var spec = old.spec();
        destinations.set(
                at,
                new Destination(
                        old.id(),
                        old.workspace(),
                        old.revision(),
                        new Destination.Spec(
                                spec.name(),
                                spec.url(),
                                spec.timeout(),
                                spec.auth(),
                                spec.customHeaders(),
                                spec.retryPolicy(),
                                spec.maxInFlight(),
                                spec.rateLimit(),
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
                        isEnabled,
                        old.filter(),
                        old.transformation(),
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
            status(i, Source.Status.ACTIVE);
            trashed.set(i, false);
        }
        for (int i = 0; i < destinations.size(); i++) {
            status(i, Destination.Status.ACTIVE);
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
