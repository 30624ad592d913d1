package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;

/// Rounds of the pacing are the test's own, so nothing moves before the clock does.
class RateLimitTest {

    private static final String HOST = "a.example";
    private static final Duration HALF_SECOND = Duration.ofMillis(500);

    private final Engine engine = Engine.alone();
    private final SourceId source = engine.given.source();
    private final DestinationId destination = engine.given.destination(HOST, 4);
    private final ConnectionId connection = engine.given.connection(source, destination);

    @AfterEach
    void close() {
        engine.close();
    }

    private void limit(int perSecond) {
        engine.given.rateLimit(destination, Optional.of(perSecond));
        engine.learn();
    }

    /// And no sender is left that could send one more.
    private void assertSentExactly(int parcels) {
        engine.awaitWritten(parcels);
        engine.look();
        Engine.soon().until(() -> engine.dispatcher.permitsLeft() == Dispatcher.PERMITS);
        assertThat(engine.sender.sentTo(HOST)).hasSize(parcels);
    }

    @Test
    void fresh_deliveries_are_sent_at_the_rate() {
        limit(2);
        for (int i = 0; i < 2; i++) {
            engine.accept(connection);
        }
        assertSentExactly(1);

        engine.clock.advance(HALF_SECOND.minusMillis(51)); // 50 ms may be saved up
        assertSentExactly(1);
        engine.clock.advance(Duration.ofMillis(51));
        engine.look();
        assertSentExactly(2);
    }

    @Test
    void what_does_not_fit_in_memory_waits_in_its_lane_and_goes_at_the_rate_too() {
        limit(2);
        for (int i = 0; i < 6; i++) {
            engine.accept(connection);
        }
        engine.awaitWritten(1);
        assertThat(engine.count("delivery_work where owner is null"))
                .as("memory takes those of a second")
                .isGreaterThanOrEqualTo(3);

        for (int sent = 1; sent < 6; sent++) {
            assertSentExactly(sent);
            engine.round();
            assertSentExactly(sent);
            engine.clock.advance(HALF_SECOND);
            engine.look();
            engine.awaitWritten(sent + 1);
        }

        assertSentExactly(6);
        assertThat(new HashSet<>(engine.sender.sentTo(HOST))).hasSize(6);
        assertThat(engine.count("delivery where status = 3")).isEqualTo(6);
    }

    @Test
    void retries_are_sent_at_the_rate() {
        engine.learn();
        engine.sender.willAnswer(HOST, 503, 503, 503);
        for (int i = 0; i < 3; i++) {
            engine.accept(connection);
        }
        engine.awaitWritten(3);
        limit(2);
        engine.clock.advance(Duration.ofSeconds(30));
        engine.round();

        for (int sent = 4; sent < 6; sent++) {
            assertSentExactly(sent);
            engine.round();
            engine.clock.advance(HALF_SECOND);
            engine.look();
            engine.awaitWritten(sent + 1);
        }
        assertSentExactly(6);
    }

    @Test
    void of_what_waits_no_more_than_a_seconds_is_in_memory() {
        limit(2);
        engine.backlogOf(connection, 20);
        engine.round();
        assertSentExactly(1);
        engine.clock.advance(HALF_SECOND);
        engine.look();
        assertSentExactly(2);

        engine.clock.advance(HALF_SECOND);
        engine.look();
        assertSentExactly(2);
        engine.round();
        assertSentExactly(3);
    }

    @Test
    void other_destinations_are_not_slowed_down() {
        var other = engine.given.destination("b.example", 4);
        var free = engine.given.connection(source, other);
        limit(1);
        engine.backlogOf(connection, 200);
        engine.round();
        engine.awaitWritten(1);

        for (int i = 0; i < 50; i++) {
            engine.accept(free);
        }
        engine.backlogOf(free, 50);
        Engine.soon()
                .until(() -> {
                    engine.round();
                    return engine.sender.sentTo("b.example").size() == 100;
                });

        assertThat(engine.sender.sentTo(HOST)).hasSize(1);
    }

    @Test
    void no_permit_of_the_node_is_held_while_it_is_too_early() {
        limit(1);
        engine.backlogOf(connection, 20);
        engine.round();
        assertSentExactly(1);

        Engine.soon().until(() -> engine.dispatcher.permitsLeft() == Dispatcher.PERMITS);
    }

    @Test
    void a_delivery_under_way_costs_no_second_turn() {
        limit(2);
        engine.sender.hang(HOST);
        engine.accept(connection);
        engine.awaitSent(HOST, 1);
        engine.clock.advance(HALF_SECOND);
        engine.sender.letGo(HOST); // its sender looks for more, and finds nothing
        engine.awaitWritten(1);
        Engine.soon().until(() -> engine.dispatcher.permitsLeft() == Dispatcher.PERMITS);

        engine.accept(connection);
        assertSentExactly(2);
    }

    @Test
    void a_limit_that_is_lifted_lets_everything_go() {
        limit(1);
        engine.backlogOf(connection, 30);
        engine.round();
        assertSentExactly(1);

        engine.given.rateLimit(destination, Optional.empty());
        engine.learn();
        engine.look();
        engine.roundsUntilDone();

        assertThat(engine.sender.sentTo(HOST)).hasSize(30);
    }

    @Test
    void what_is_too_early_is_put_back_by_a_stop() {
        limit(1);
        for (int i = 0; i < 3; i++) {
            engine.accept(connection);
        }
        engine.awaitWritten(1);

        engine.stop(Duration.ofSeconds(5));

        assertThat(engine.count("delivery_work where owner is null")).isEqualTo(2);
        assertThat(engine.count("delivery_work where owner is not null")).isZero();
    }
}
