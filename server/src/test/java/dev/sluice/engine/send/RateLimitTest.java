package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;

/// The test runs the rounds of the rate limits, so nothing is sent before it moves the clock.
class RateLimitTest {

    private static final String HOST = "a.example";
    private static final Duration HALF_SECOND = Duration.ofMillis(500);

    private final DispatchHarness harness = DispatchHarness.firstNode();
    private final SourceId source = harness.given.source();
    private final DestinationId destination = harness.given.destination(HOST, 4);
    private final ConnectionId connection = harness.given.connection(source, destination);

    @AfterEach
    void close() {
        harness.close();
    }

    private void limit(int perSecond) {
        harness.given.rateLimit(destination, Optional.of(perSecond));
        harness.refreshConfiguration();
    }

    /// Checks that exactly this many requests were sent, and no sender is left to send another.
    private void assertSentExactly(int requests) {
        harness.awaitWritten(requests);
        harness.retryRateLimited();
        DispatchHarness.awaitSoon()
                .until(() -> harness.dispatcher.permitsLeft() == Dispatcher.MAX_ATTEMPTS_IN_FLIGHT);
        assertThat(harness.sender.sentTo(HOST)).hasSize(requests);
    }

    @Test
    void fresh_deliveries_are_sent_at_the_rate() {
        limit(2);
        for (int i = 0; i < 2; i++) {
            harness.accept(connection);
        }
        assertSentExactly(1);

        harness.clock.advance(HALF_SECOND.minusMillis(51)); // 50 ms may be saved up
        assertSentExactly(1);
        harness.clock.advance(Duration.ofMillis(51));
        harness.retryRateLimited();
        assertSentExactly(2);
    }

    @Test
    void what_does_not_fit_in_memory_waits_in_its_lane_and_goes_at_the_rate_too() {
        limit(2);
        for (int i = 0; i < 6; i++) {
            harness.accept(connection);
        }
        harness.awaitWritten(1);
        assertThat(harness.count("delivery_work where owner is null"))
                .as("memory takes one second's worth")
                .isGreaterThanOrEqualTo(3);

        for (int sent = 1; sent < 6; sent++) {
            assertSentExactly(sent);
            harness.round();
            assertSentExactly(sent);
            harness.clock.advance(HALF_SECOND);
            harness.retryRateLimited();
            harness.awaitWritten(sent + 1);
        }

        assertSentExactly(6);
        assertThat(new HashSet<>(harness.sender.sentTo(HOST))).hasSize(6);
        assertThat(harness.count("delivery where status = 3")).isEqualTo(6);
    }

    @Test
    void retries_are_sent_at_the_rate() {
        harness.refreshConfiguration();
        harness.sender.willAnswer(HOST, 503, 503, 503);
        for (int i = 0; i < 3; i++) {
            harness.accept(connection);
        }
        harness.awaitWritten(3);
        limit(2);
        harness.clock.advance(Duration.ofSeconds(30));
        harness.round();

        for (int sent = 4; sent < 6; sent++) {
            assertSentExactly(sent);
            harness.round();
            harness.clock.advance(HALF_SECOND);
            harness.retryRateLimited();
            harness.awaitWritten(sent + 1);
        }
        assertSentExactly(6);
    }

    @Test
    void of_what_waits_no_more_than_a_seconds_is_in_memory() {
        limit(2);
        harness.backlogOf(connection, 20);
        harness.round();
        assertSentExactly(1);
        harness.clock.advance(HALF_SECOND);
        harness.retryRateLimited();
        assertSentExactly(2);

        harness.clock.advance(HALF_SECOND);
        harness.retryRateLimited();
        assertSentExactly(2);
        harness.round();
        assertSentExactly(3);
    }

    @Test
    void other_destinations_are_not_slowed_down() {
        var other = harness.given.destination("b.example", 4);
        var free = harness.given.connection(source, other);
        limit(1);
        harness.backlogOf(connection, 200);
        harness.round();
        harness.awaitWritten(1);

        for (int i = 0; i < 50; i++) {
            harness.accept(free);
        }
        harness.backlogOf(free, 50);
        DispatchHarness.awaitSoon()
                .until(() -> {
                    harness.round();
                    return harness.sender.sentTo("b.example").size() == 100;
                });

        assertThat(harness.sender.sentTo(HOST)).hasSize(1);
    }

    @Test
    void no_permit_of_the_node_is_held_while_it_is_too_early() {
        limit(1);
        harness.backlogOf(connection, 20);
        harness.round();
        assertSentExactly(1);

        DispatchHarness.awaitSoon()
                .until(() -> harness.dispatcher.permitsLeft() == Dispatcher.MAX_ATTEMPTS_IN_FLIGHT);
    }

    @Test
    void a_delivery_under_way_costs_no_second_turn() {
        limit(2);
        harness.sender.hang(HOST);
        harness.accept(connection);
        harness.awaitSent(HOST, 1);
        harness.clock.advance(HALF_SECOND);
        harness.sender.release(HOST); // its sender looks for more and finds nothing
        harness.awaitWritten(1);
        DispatchHarness.awaitSoon()
                .until(() -> harness.dispatcher.permitsLeft() == Dispatcher.MAX_ATTEMPTS_IN_FLIGHT);

        harness.accept(connection);
        assertSentExactly(2);
    }

    @Test
    void a_limit_that_is_lifted_lets_everything_go() {
        limit(1);
        harness.backlogOf(connection, 30);
        harness.round();
        assertSentExactly(1);

        harness.given.rateLimit(destination, Optional.empty());
        harness.refreshConfiguration();
        harness.retryRateLimited();
        harness.roundsUntilDone();

        assertThat(harness.sender.sentTo(HOST)).hasSize(30);
    }

    @Test
    void what_is_too_early_is_put_back_by_a_stop() {
        limit(1);
        for (int i = 0; i < 3; i++) {
            harness.accept(connection);
        }
        harness.awaitWritten(1);

        harness.stop(Duration.ofSeconds(5));

        assertThat(harness.count("delivery_work where owner is null")).isEqualTo(2);
        assertThat(harness.count("delivery_work where owner is not null")).isZero();
    }
}
