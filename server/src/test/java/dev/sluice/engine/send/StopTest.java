package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.InFlightRecorder;
import dev.sluice.engine.Outcome;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.commit.DeliveryResult;
import dev.sluice.engine.settle.Circuits;
import dev.sluice.engine.settle.Settlement;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/// A stop that comes while an attempt is connecting.
class StopTest {

    private final ManualClock clock = new ManualClock(Some.NOON);
    private final Circuits circuits = FixedEnvironment.circuits(clock);
    private final List<Boolean> asked = new ArrayList<>();
    private final List<DeliveryResult> results = new ArrayList<>();
    private final Runnable[] connecting = {() -> {}};

    /// The delivery was put back, so another node may already be sending it.
    @Test
    void an_attempt_that_is_not_on_the_wire_when_the_stop_puts_it_back_never_gets_there() {
        var route = Some.route(Some.sourceId());
        var attemptRunner =
                new AttemptRunner(
                        FixedEnvironment.routes(route),
                        (_, _) -> false,
                        (_, mayStart) -> {
                            connecting[0].run();
                            asked.add(mayStart.getAsBoolean());
                            return new Outcome.AttemptError(
                                    ErrorCode.INTERRUPTED, "", Duration.ZERO);
                        },
                        new Settlement(clock, new Random(1), 0),
                        circuits,
                        InFlightRecorder.NO_OP,
                        clock);
        var dispatcher =
                TestDispatchers.with(
                        new DispatchEnvironment(
                                FixedEnvironment.routes(route),
                                FixedEnvironment.lease(1),
                                (result, _) -> results.add(result),
                                circuits,
                                clock,
                                DispatchWakes.create()),
                        attemptRunner,
                        Runnable::run);
        connecting[0] = () -> stop(dispatcher);
        var delivery =
                new UnfinishedDelivery(
                        DeliveryId.of(Some.eventId(), 1),
                        route.source().id(),
                        route.connection().id(),
                        Trigger.INGEST,
                        0,
                        Optional.empty());

        dispatcher
                .admission()
                .addWaiting(
                        route.destination().id(),
                        new LoadedDelivery(delivery, Some.payload("{}"), false, 1));

        assertThat(asked).containsExactly(false);
        assertThat(results).isEmpty();
        assertThat(dispatcher.pollWritten()).contains(delivery);
    }

    private static void stop(Dispatcher dispatcher) {
        try {
            dispatcher.stop(Duration.ZERO);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
