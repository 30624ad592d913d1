package dev.sluice.engine.settle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.Outcome;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.testkit.LogRecorder;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.time.Duration;
import java.util.Optional;
import java.util.Random;

/// Tests which failures have a line of their own in the log.
@ResourceLock("the log of failures")
class FailureLogTest {

    @AutoClose private final LogRecorder log = LogRecorder.of(FailureLog.class);
    private final ManualClock clock = new ManualClock(Some.NOON);
    private final FailureLog failures = new FailureLog(clock);
    private final Settlement settlement = new Settlement(clock, new Random(1), 0, failures);
    private final Route route = Some.route(new SourceId(Some.id()));

    /// Settles the first attempt at a new delivery.
    private UnfinishedDelivery answer(Route to, int status) {
        var delivery = newDelivery(to);
        settlement.settle(
                delivery,
                to,
                clock.instant(),
                new Outcome.DestinationResponse(
                        status, "", Duration.ofMillis(7), Optional.empty()));
        return delivery;
    }

    private UnfinishedDelivery newDelivery(Route to) {
        return new UnfinishedDelivery(
                DeliveryId.of(Some.eventId(clock.instant()), 1),
                to.source().id(),
                to.connection().id(),
                Trigger.INGEST,
                0,
                Optional.empty());
    }

    private String value(String event, String field) {
        return log.values(event, field).getLast();
    }

    @Test
    void a_failed_attempt_leads_to_its_event_and_its_destination() {
        var delivery = answer(route, 503);

        assertThat(value("attempt.failed", "event_id")).isEqualTo(delivery.id().event().toString());
        assertThat(value("attempt.failed", "delivery_id")).isEqualTo(delivery.id().toString());
        assertThat(value("attempt.failed", "source_id")).isEqualTo(delivery.source().toString());
        assertThat(value("attempt.failed", "destination"))
                .isEqualTo(route.destination().spec().name());
        assertThat(value("attempt.failed", "host"))
                .isEqualTo(route.destination().spec().url().host().text());
        assertThat(value("attempt.failed", "status")).isEqualTo("503");
        assertThat(value("attempt.failed", "error_code")).isEqualTo("http_status");
        assertThat(log.count("delivery.ended")).isZero();
    }

    @Test
    void a_delivery_that_ended_has_a_line_of_its_own() {
        var delivery = answer(route, 410);

        assertThat(value("delivery.ended", "event_id")).isEqualTo(delivery.id().event().toString());
        assertThat(value("delivery.ended", "ended_as")).isEqualTo("failed");
        assertThat(value("delivery.ended", "status")).isEqualTo("410");
        assertThat(log.count("attempt.failed")).isZero();
    }

    @Test
    void a_success_has_no_line() {
        answer(route, 200);

        assertThat(log.count("attempt.failed")).isZero();
        assertThat(log.count("delivery.ended")).isZero();
    }

    @Test
    void of_many_failures_one_line_a_minute_has_their_number_and_the_last_event() {
        for (int i = 0; i < 50; i++) {
            answer(route, 503);
        }
        var last = answer(route, 503);
        clock.advance(Duration.ofSeconds(59));
        failures.summarize();
        assertThat(log.count("attempt.failed")).isEqualTo(1);
        assertThat(log.count("attempts.failed")).isZero();

        clock.advance(Duration.ofSeconds(1));
        failures.summarize();
        failures.summarize();

        assertThat(log.count("attempts.failed")).isEqualTo(1);
        assertThat(value("attempts.failed", "attempts")).isEqualTo("50");
        assertThat(value("attempts.failed", "last_event_id"))
                .isEqualTo(last.id().event().toString());
    }

    @Test
    void after_a_minute_without_failures_the_next_one_is_a_first_again() {
        answer(route, 503);
        clock.advance(Duration.ofMinutes(1));
        failures.summarize();

        answer(route, 503);

        assertThat(log.count("attempt.failed")).isEqualTo(2);
        assertThat(log.count("attempts.failed")).isZero();
    }

    @Test
    void retried_attempts_and_ended_deliveries_share_the_line_of_a_minute() {
        for (int i = 0; i < 4; i++) {
            answer(route, 503);
            answer(route, 410);
        }
        answer(route, 503);
        clock.advance(Duration.ofMinutes(1));
        failures.summarize();

        assertThat(log.count("attempt.failed")).isEqualTo(1);
        assertThat(log.count("delivery.ended")).isEqualTo(1);
        assertThat(log.values("attempts.failed", "attempts")).containsExactly("4");
        assertThat(log.values("attempts.failed", "deliveries")).containsExactly("3");
    }

    @Test
    void a_stop_logs_what_was_counted_since_the_last_line() {
        answer(route, 503);
        var last = answer(route, 503);

        failures.flush();
        failures.flush();

        assertThat(log.values("attempts.failed", "attempts")).containsExactly("1");
        assertThat(value("attempts.failed", "last_event_id"))
                .isEqualTo(last.id().event().toString());
    }

    @Test
    void a_delivery_that_ended_without_an_attempt_leads_to_its_event_too() {
        var delivery = newDelivery(route);

        var result = settlement.endUnsent(delivery, route, ErrorCode.PAYLOAD_UNREADABLE);

        assertThat(result.delivery()).isEqualTo(delivery);
        assertThat(value("delivery.ended", "event_id")).isEqualTo(delivery.id().event().toString());
        assertThat(value("delivery.ended", "destination"))
                .isEqualTo(route.destination().spec().name());
        assertThat(value("delivery.ended", "error_code")).isEqualTo("payload_unreadable");
    }

    @Test
    void each_destination_is_counted_by_itself() {
        answer(route, 503);
        answer(Some.route(new SourceId(Some.id())), 503);

        assertThat(log.count("attempt.failed")).isEqualTo(2);
    }
}
