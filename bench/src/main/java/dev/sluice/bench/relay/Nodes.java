package dev.sluice.bench.relay;

import dev.sluice.bench.wire.Wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Some relays on one PostgreSQL that none of them owns, each behind a wire of its own.
public final class Nodes implements AutoCloseable {

    private final Relay maker;
    private final OwnPostgres postgres;
    private final Needs needs;
    private final List<Relay> relays = new ArrayList<>();
    private final List<Wire> wires = new ArrayList<>();

    private Nodes(Relay maker, OwnPostgres postgres, Needs needs) {
        this.needs = needs;
        this.maker = maker;
        this.postgres = postgres;
    }

    /// What a fault needs before anything runs.
    ///
    /// @param postgres its settings
    /// @param environment of PostgreSQL
    /// @param each settings of each relay, by their environment names
    /// @param second more settings of the second relay
    /// @param volume to put a part of PostgreSQL's data on
    public record Needs(
            Map<String, String> postgres,
            Map<String, String> environment,
            Map<String, String> each,
            Map<String, String> second,
            Optional<Volume> volume) {

        public static final Needs NOTHING =
                new Needs(Map.of(), Map.of(), Map.of(), Map.of(), Optional.empty());

        public Needs {
            postgres = Map.copyOf(postgres);
            environment = Map.copyOf(environment);
            each = Map.copyOf(each);
            second = Map.copyOf(second);
        }

        /// Relays with these settings, by their environment names.
        public static Needs settings(Map<String, String> each) {
            return new Needs(Map.of(), Map.of(), each, Map.of(), Optional.empty());
        }

        /// The second relay with these settings.
        public static Needs ofSecond(Map<String, String> second) {
            return new Needs(Map.of(), Map.of(), Map.of(), second, Optional.empty());
        }

        /// The same environment for PostgreSQL and all relays.
        public static Needs environment(Map<String, String> environment) {
            return new Needs(Map.of(), environment, environment, Map.of(), Optional.empty());
        }

        /// A part of PostgreSQL's data on a volume.
        public static Needs on(Volume volume, Map<String, String> postgres) {
            return new Needs(postgres, Map.of(), Map.of(), Map.of(), Optional.of(volume));
        }
    }

    /// Its database only: made by a relay that has stopped again.
    public static Nodes without(Path launcher, boolean keep, Needs needs) {
        var maker = Relay.start(launcher, keep);
        try {
            if (maker.stop() != 0) {
                throw new IllegalStateException("the relay that made the database did not stop");
            }
            var postgres = OwnPostgres.in(maker.data(), needs);
            needs.volume().ifPresent(volume -> volume.mount(postgres));
            postgres.start();
            return new Nodes(maker, postgres, needs);
        } catch (RuntimeException e) {
            needs.volume().ifPresent(Volume::close);
            maker.close();
            throw e;
        }
    }

    /// Starts one more.
    ///
    /// @param wired whether it reaches its database through a wire
    /// @param settings more of them, by their environment names
    public Relay add(boolean wired, Map<String, String> settings) {
        var all = new HashMap<>(needs.each());
        if (relays.size() == 1) {
            all.putAll(needs.second());
        }
        all.putAll(settings);
        var database = postgres.address();
        var wire = Wire.to(database.port());
        wires.add(wire);
        var reached = wired ? database.through(wire.port()) : database;
        var relay = maker.beside("node-" + (relays.size() + 1), reached, all);
        relays.add(relay);
        return relay;
    }

    public OwnPostgres postgres() {
        return postgres;
    }

    /// Counted from 0.
    public Relay node(int place) {
        return relays.get(place);
    }

    public List<Relay> all() {
        return List.copyOf(relays);
    }

    /// Between that node and the database.
    public Wire wire(int place) {
        return wires.get(place);
    }

    /// Where ledgers and the like may be kept; goes with the rest.
    public Path scratch(String name) {
        return maker.scratch(name);
    }

    public String said(String name) {
        return maker.said(name);
    }

    /// Writes a file that a setting names.
    public Path write(String name, String text) {
        try {
            return Files.writeString(scratch(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        relays.reversed().forEach(Relay::close);
        wires.forEach(Wire::close);
        postgres.close();
        needs.volume().ifPresent(Volume::close);
        maker.close();
    }
}
