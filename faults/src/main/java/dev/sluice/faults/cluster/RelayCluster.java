package dev.sluice.faults.cluster;

import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.faults.wire.TcpFaultProxy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Relays that share one PostgreSQL server. Each relay has its own proxy, through which it can
/// reach PostgreSQL.
public final class RelayCluster implements AutoCloseable {

    private final RelayProcess bootstrapRelay;
    private final StandalonePostgres postgres;
    private final ClusterRequirements requirements;
    private final List<RelayProcess> relays = new ArrayList<>();
    private final List<TcpFaultProxy> proxies = new ArrayList<>();

    private RelayCluster(
            RelayProcess maker, StandalonePostgres postgres, ClusterRequirements requirements) {
        this.requirements = requirements;
        this.bootstrapRelay = maker;
        this.postgres = postgres;
    }

    /// A fault's requirements that must be met before any process starts.
    ///
    /// @param postgresSettings settings for PostgreSQL
    /// @param postgresEnvironment the environment variables of PostgreSQL's processes
    /// @param relaySettings settings for every relay, keyed by the names of their environment
    ///   variables
    /// @param secondRelaySettings additional settings for the second relay
    /// @param volume a volume for a part of PostgreSQL's data
    /// @param hasOwnPostgres whether the first relay runs PostgreSQL itself
    public record ClusterRequirements(
            Map<String, String> postgresSettings,
            Map<String, String> postgresEnvironment,
            Map<String, String> relaySettings,
            Map<String, String> secondRelaySettings,
            Optional<TmpfsVolume> volume,
            boolean hasOwnPostgres) {

        public static final ClusterRequirements NO_REQUIREMENTS =
                new ClusterRequirements(
                        Map.of(), Map.of(), Map.of(), Map.of(), Optional.empty(), false);

        public static final ClusterRequirements OWN_POSTGRES =
                new ClusterRequirements(
                        Map.of(), Map.of(), Map.of(), Map.of(), Optional.empty(), true);

        public static ClusterRequirements ofRelaySettings(Map<String, String> each) {
            return ofSettings(Map.of(), each, Map.of());
        }

        public static ClusterRequirements ofSecondRelaySettings(Map<String, String> second) {
            return ofSettings(Map.of(), Map.of(), second);
        }

        /// Returns requirements that give PostgreSQL and all relays the same environment.
        public static ClusterRequirements ofEnvironment(Map<String, String> environment) {
            return ofSettings(environment, environment, Map.of());
        }

        private static ClusterRequirements ofSettings(
                Map<String, String> postgres,
                Map<String, String> each,
                Map<String, String> second) {
            return new ClusterRequirements(
                    Map.of(), postgres, each, second, Optional.empty(), false);
        }

        /// Returns requirements that place a part of PostgreSQL's data on a volume.
        ///
        /// @param postgres settings for PostgreSQL
        public static ClusterRequirements ofVolume(
                TmpfsVolume volume, Map<String, String> postgres) {
            return new ClusterRequirements(
                    postgres, Map.of(), Map.of(), Map.of(), Optional.of(volume), false);
        }
    }

    /// Starts a relay that creates the database. If the cluster's first relay is to run PostgreSQL
    /// itself, the relay started here keeps running and becomes that first relay. Otherwise, it is
    /// stopped, and PostgreSQL is started without it.
    public static RelayCluster startDatabase(
            Path launcher, boolean keep, ClusterRequirements requirements) {
        var maker = RelayProcess.start(launcher, keep);
        if (requirements.hasOwnPostgres()) {
            var postgres = StandalonePostgres.runBy(maker);
            var cluster = new RelayCluster(maker, postgres, requirements);
            cluster.relays.add(maker);
            cluster.proxies.add(TcpFaultProxy.inFrontOf(postgres.address().port()));
            return cluster;
        }
        try {
            if (maker.stop() != 0) {
                throw new IllegalStateException("the relay that made the database did not stop");
            }
            var postgres = StandalonePostgres.prepare(maker.data(), requirements);
            requirements.volume().ifPresent(volume -> volume.mount(postgres));
            postgres.start();
            return new RelayCluster(maker, postgres, requirements);
        } catch (RuntimeException e) {
            requirements.volume().ifPresent(TmpfsVolume::close);
            maker.close();
            throw e;
        }
    }

    /// Starts another relay.
    ///
    /// @param wired whether the relay reaches its database through a proxy
    /// @param settings additional settings, keyed by the names of their environment variables
    public RelayProcess addRelay(boolean wired, Map<String, String> settings) {
        var all = new HashMap<>(requirements.relaySettings());
        if (relays.size() == 1) {
            all.putAll(requirements.secondRelaySettings());
        }
        all.putAll(settings);
        var database = postgres.address();
        var proxy = TcpFaultProxy.inFrontOf(database.port());
        proxies.add(proxy);
        var reached = wired ? database.withPort(proxy.port()) : database;
        var relay = bootstrapRelay.startBeside("node-" + (relays.size() + 1), reached, all);
        relays.add(relay);
        return relay;
    }

    public StandalonePostgres postgres() {
        return postgres;
    }

    /// Returns a relay by its position, counted from 0.
    public RelayProcess node(int place) {
        return relays.get(place);
    }

    public List<RelayProcess> relays() {
        return List.copyOf(relays);
    }

    /// Returns the proxy between the relay at this position and the database.
    public TcpFaultProxy proxy(int place) {
        return proxies.get(place);
    }

    /// Returns the path of a file for ledgers and similar data. It is removed together with the
    /// cluster.
    public Path scratchFile(String name) {
        return bootstrapRelay.scratchFile(name);
    }

    public String tail(String name) {
        return bootstrapRelay.tail(name);
    }

    @Override
    public void close() {
        relays.reversed().forEach(RelayProcess::close);
        proxies.forEach(TcpFaultProxy::close);
        postgres.close();
        requirements.volume().ifPresent(TmpfsVolume::close);
        if (!requirements.hasOwnPostgres()) {
            bootstrapRelay.close();
        }
    }
}
