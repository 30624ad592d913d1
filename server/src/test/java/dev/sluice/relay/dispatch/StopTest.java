package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.OnTheWire;
import dev.sluice.relay.Outcome;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.relay.circuit.Circuits;
import dev.sluice.relay.settle.Settlement;
import dev.sluice.relay.store.Settled;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/// A stop that comes while an attempt is being connected.
class StopTest {

    private final ManualClock clock = new ManualClock(Some.NOON);
    private final Circuits circuits = FixedWorld.circuits(clock);
    private final List<Boolean> asked = new ArrayList<>();
    private final List<Settled> results = new ArrayList<>();
    private final Runnable[] connecting = {() -> {}};

    /// It was put back, and another node may send it already.
    @Test
    void an_attempt_that_is_not_on_the_wire_when_the_stop_puts_it_back_never_gets_there() {
        var route = Some.route(Some.sourceId());
        var delivering =
                new Delivering(
                        FixedWorld.routes(route),
                        (_, _, _) -> false,
                        (_, mayStart) -> {
                            connecting[0].run();
                            asked.add(mayStart.getAsBoolean());
                            return new Outcome.Unreachable(
                                    ErrorCode.INTERRUPTED, "", Duration.ZERO);
                        },
                        new Settlement(clock, new Random(1), 0),
                        circuits,
                        OnTheWire.UNNOTED,
                        clock);
        var dispatcher =
                new Dispatcher(
                        FixedWorld.routes(route),
                        FixedWorld.lease(1),
                        results::add,
                        delivering,
                        circuits,
                        Runnable::run,
                        clock);
        connecting[0] = () -> stop(dispatcher);
        var work =
                new Work(
                        DeliveryId.of(Some.eventId(), 1),
                        route.source().id(),
                        route.connection().id(),
                        Trigger.INGEST,
                        0,
                        Optional.empty());

        dispatcher
                .intake()
                .addWaiting(
                        route.destination().id(), new Ready(work, Some.payload("{}"), false, 1));

        assertThat(asked).containsExactly(false);
        assertThat(results).isEmpty();
        assertThat(dispatcher.pollWritten()).contains(work);
    }

    private static void stop(Dispatcher dispatcher) {
        try {
            dispatcher.stop(Duration.ZERO);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
