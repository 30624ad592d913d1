package dev.sluice.faults;

import dev.sluice.bench.ledger.LedgerComparison;
import dev.sluice.bench.ledger.MessageLedger;
import dev.sluice.bench.load.LoadPattern;
import dev.sluice.bench.load.LoadPlan;
import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.RelayApi;
import dev.sluice.bench.relay.RelayApi.BenchSource;
import dev.sluice.bench.sink.SinkBehaviour;
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
/// The deliveries come from events that were really sent, so all of the relay's counts are correct.
final class DeadDestinationBacklog implements AutoCloseable {

    private static final int GENERATOR_CONNECTIONS = 32;
    private static final int BODY_BYTES = 200;
    private static final Duration STATUS_CHANGE_DELAY = Duration.ofSeconds(2);

    private final FaultTestbed testbed;
    private final RelayApi api;
    private final SinkProcess refusingSink;
    private final String destination;
    private long rows;
    private final List<String> states = new ArrayList<>();

    private DeadDestinationBacklog(
            FaultTestbed testbed, RelayApi api, SinkProcess dead, String destination) {
        this.testbed = testbed;
        this.api = api;
        this.refusingSink = dead;
        this.destination = destination;
    }

    /// Creates a paused destination with at least `rows` waiting deliveries.
    ///
    /// @param retry the number of seconds between a delivery's attempts
    static DeadDestinationBacklog create(FaultTestbed testbed, int rows, int retry) {
        var api = testbed.node(0).api();
        var dead = SinkProcess.start(new SinkBehaviour.RefusedConnections());
        String destination =
                api.createDestination(
                        "dead",
                        dead.url(),
                        FaultTestbed.MAX_IN_FLIGHT,
                        Collections.nCopies(10, retry));
        var source = api.createSource("source of a dead destination");
        api.connect(source, destination, Map.of());
        var backlog = new DeadDestinationBacklog(testbed, api, dead, destination);
        backlog.pause();
        backlog.fill(source, rows);
        return backlog;
    }

    private void fill(BenchSource source, int wanted) {
        var plan =
                LoadPlan.of(new LoadPattern.BackToBack(), GENERATOR_CONNECTIONS, source.ingest())
                        .sized(BODY_BYTES)
                        .recorded(sent());
        try (var load = LoadProcess.start(plan)) {
            load.awaitMeasuring();
            Wait.until(LoadPlan.UNTIL_FINISHED, () -> waiting() >= wanted);
            load.finish();
            load.awaitMeasured();
            rows = load.result().acceptedInAll();
        }
    }

    /// Returns the number of deliveries that were stored for the destination.
    long rows() {
        return rows;
    }

    /// Returns the number of deliveries that are waiting now. Sleeps for a second first, because
    /// callers repeat the query and it puts load on the database.
    long waiting() {
        Wait.pause(Duration.ofSeconds(1));
        return testbed.queries().waitingDeliveries(destination);
    }

    void pause() {
        setStatus("paused");
    }

    void resume() {
        setStatus("active");
    }

    private void setStatus(String status) {
        api.setStatus(destination, status);
        Wait.pause(STATUS_CHANGE_DELAY);
    }

    /// Starts a receiver on the destination's port. It answers one request at a time and takes
    /// `each` to answer it.
    SinkProcess startReceiver(Duration each) {
        return SinkProcess.start(
                new SinkBehaviour.SerialAnswers(each),
                Optional.of(received()),
                refusingSink.port());
    }

    /// Reads the circuit's current state. Returns all the states seen so far, in order, with
    /// consecutive repeats merged.
    List<String> observeCircuit() {
        String state = api.get("destinations/" + destination).path("circuit_state").asString("?");
        if (states.isEmpty() || !states.getLast().equals(state)) {
            states.add(state);
        }
        return states;
    }

    LedgerComparison compare() {
        return LedgerComparison.of(MessageLedger.read(sent()), MessageLedger.read(received()));
    }

    private Path sent() {
        return testbed.cluster().scratchFile("sent-dead");
    }

    private Path received() {
        return testbed.cluster().scratchFile("received-dead");
    }

    @Override
    public void close() {
        refusingSink.close();
    }
}
