package dev.sluice.bench.fault;

import dev.sluice.bench.ledger.Comparison;
import dev.sluice.bench.ledger.Ledger;
import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.load.Pace;
import dev.sluice.bench.load.Plan;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.Api;
import dev.sluice.bench.relay.Api.Source;
import dev.sluice.bench.sink.Behaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A destination that refuses connections, with many deliveries waiting for it.
///
/// They are made the way all are, by sending events: so every sum the relay keeps is right.
final class Pile implements AutoCloseable {

    private static final int SENDERS = 32;
    private static final int SIZE = 200;
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final Duration HEARD = Duration.ofSeconds(2);

    private final Stage stage;
    private final Api api;
    private final SinkProcess dead;
    private final String destination;
    private long rows;
    private final List<String> states = new ArrayList<>();

    private Pile(Stage stage, Api api, SinkProcess dead, String destination) {
        this.stage = stage;
        this.api = api;
        this.dead = dead;
        this.destination = destination;
    }

    /// Paused, with so many waiting.
    ///
    /// @param retry seconds between the attempts at each
    static Pile up(Stage stage, int rows, int retry) {
        var api = stage.node(0).api();
        var dead = SinkProcess.start(new Behaviour.Refuse(), Optional.empty());
        String destination =
                api.destination(
                        "dead",
                        dead.url(),
                        Map.of(
                                "max_in_flight",
                                Stage.IN_FLIGHT,
                                "retry_policy",
                                Map.of("intervals_seconds", Collections.nCopies(10, retry))));
        var source = api.source("source of a dead destination");
        api.connect(source, destination, Map.of());
        var pile = new Pile(stage, api, dead, destination);
        pile.pause();
        pile.heap(source, rows);
        return pile;
    }

    private void heap(Source source, int wanted) {
        var plan =
                new Plan(
                        source.ingest(),
                        new Pace.BackToBack(),
                        SENDERS,
                        SIZE,
                        Duration.ZERO,
                        LONGEST,
                        Optional.empty(),
                        Optional.of(sent()));
        try (var load = LoadProcess.start(plan)) {
            load.awaitMeasuring();
            Wait.until(LONGEST, () -> waiting() >= wanted);
            load.finish();
            load.awaitMeasured();
            rows = load.result().acceptedInAll();
        }
    }

    /// How many were stored for it.
    long rows() {
        return rows;
    }

    /// How many wait for it now; asked too often it would be a load of its own.
    long waiting() {
        Wait.pause(Duration.ofSeconds(1));
        return stage.postgres()
                .number(
                        """
                        select count(*) from delivery_work w join connection c on c.id = w.connection_id
                         where c.destination_id = '%s'
                        """
                                .formatted(destination));
    }

    void pause() {
        change("paused");
    }

    void resume() {
        change("active");
    }

    private void change(String status) {
        api.change("destinations/" + destination, Map.of("status", status));
        Wait.pause(HEARD);
    }

    /// From here on it answers, one request after the other.
    SinkProcess revive(Duration each) {
        return SinkProcess.start(
                new Behaviour.OneByOne(each), Optional.of(received()), dead.port());
    }

    /// What its circuit has been seen to pass through, since the last question.
    List<String> look() {
        String state = api.read("destinations/" + destination).path("circuit_state").asString("?");
        if (states.isEmpty() || !states.getLast().equals(state)) {
            states.add(state);
        }
        return states;
    }

    Comparison compare() {
        return Comparison.of(Ledger.read(sent()), Ledger.read(received()));
    }

    private Path sent() {
        return stage.nodes().scratch("sent-dead");
    }

    private Path received() {
        return stage.nodes().scratch("received-dead");
    }

    @Override
    public void close() {
        dead.close();
    }
}
