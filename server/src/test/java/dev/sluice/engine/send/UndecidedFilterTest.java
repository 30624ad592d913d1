package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.InFlightRecorder;
import dev.sluice.engine.Outcome;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.commit.DeliveryResult;
import dev.sluice.engine.settle.Settlement;
import dev.sluice.engine.share.RateLimiter;
import dev.sluice.gateway.filter.Filter;
import dev.sluice.gateway.routing.Route;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/// Tests that a filter which ingest left undecided is decided before the first attempt.
class UndecidedFilterTest {

    private final ManualClock clock = new ManualClock(Some.NOON);
    private final List<String> sent = new ArrayList<>();

    @Test
    void an_event_that_matches_is_sent() throws InterruptedException {
        assertThat(run(filtered("body.a", "1"), true, true)).isPresent();

        assertThat(sent).hasSize(1);
    }

    @Test
    void an_event_that_does_not_match_ends_as_filtered_without_an_attempt()
            throws InterruptedException {
        var result = run(filtered("body.a", "2"), true, true).orElseThrow();

        assertThat(result).isInstanceOf(DeliveryResult.FinalResult.class);
        var finished = (DeliveryResult.FinalResult) result;
        assertThat(finished.status()).isEqualTo(DeliveryStatus.FILTERED);
        assertThat(finished.attempt()).isEmpty();
        assertThat(sent).isEmpty();
    }

    @Test
    void a_connection_that_has_no_filter_any_more_gets_the_event() throws InterruptedException {
        assertThat(run(Some.route(Some.sourceId()), true, true)).isPresent();

        assertThat(sent).hasSize(1);
    }

    @Test
    void what_was_decided_at_ingest_is_sent_whatever_the_filter_says_now()
            throws InterruptedException {
        assertThat(run(filtered("body.a", "2"), false, true)).isPresent();

        assertThat(sent).hasSize(1);
    }

    @Test
    void a_node_that_is_stopping_decides_nothing() throws InterruptedException {
        assertThat(run(filtered("body.a", "2"), true, false)).isEmpty();

        assertThat(sent).isEmpty();
    }

    private static Route filtered(String path, String value) {
        var filter =
                Filter.parseStored(
                        """
                        {"operator":"and","rules":[{"path":"%s","op":"eq","value":%s}]}
                        """
                                .formatted(path, value));
        return Some.route(Some.sourceId(), Optional.of(filter));
    }

    private Optional<DeliveryResult> run(Route route, boolean isUndecided, boolean mayStart)
            throws InterruptedException {
        var attemptRunner =
                new AttemptRunner(
                        FixedEnvironment.routes(route),
                        (_, _) -> false,
                        (request, _) -> {
                            sent.add(request.delivery().toString());
                            return new Outcome.AttemptError(
                                    ErrorCode.CONNECT_REFUSED, "refused", Duration.ZERO);
                        },
                        new Settlement(clock, new Random(1), 0),
                        FixedEnvironment.circuits(clock),
                        InFlightRecorder.NO_OP,
                        clock);
        var delivery =
                new UnfinishedDelivery(
                        DeliveryId.of(Some.eventId(), 1),
                        route.source().id(),
                        route.connection().id(),
                        Trigger.INGEST,
                        0,
                        Optional.empty(),
                        isUndecided);
        return attemptRunner.runAttempt(
                new DestinationQueue(new RateLimiter(clock)),
                new LoadedDelivery(delivery, Some.payload("{\"a\":1}"), true, 1),
                clock.instant(),
                () -> mayStart,
                false);
    }
}
