package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Who has to wait for whom when there are not enough permits.
class FairnessTest {

    private static final Duration SLOW = Duration.ofSeconds(3);

    private Engine engine = Engine.alone(16);
    private SourceId source = engine.given.source();

    @AfterEach
    void close() {
        engine.close();
    }

    /// Another engine in the place of the one there is.
    private void permits(int number) {
        engine.close();
        engine = Engine.alone(number);
        source = engine.given.source();
    }

    /// A destination and its connection.
    private record Target(String host, DestinationId destination, ConnectionId connection) {}

    private Target target(String host, int maxInFlight) {
        return target(engine.given, source, host, maxInFlight);
    }

    private static Target target(Given given, SourceId source, String host, int maxInFlight) {
        var destination = given.destination(host, maxInFlight);
        return new Target(host, destination, given.connection(source, destination));
    }

    private List<Target> targets(String kind, int number, int maxInFlight) {
        var targets = new ArrayList<Target>();
        for (int i = 0; i < number; i++) {
            targets.add(target(kind + i + ".example", maxInFlight));
        }
        return targets;
    }

    /// Puts deliveries into memory, as if read from their lane.
    private void load(Target target, int deliveries) {
        for (int i = 0; i < deliveries; i++) {
            var work =
                    new Work(
                            DeliveryId.of(Some.eventId(), 1),
                            source,
                            target.connection(),
                            Trigger.INGEST,
                            0,
                            Optional.empty());
            engine.dispatcher
                    .intake()
                    .addWaiting(
                            target.destination(),
                            new Ready(work, Some.payload("{}"), false, engine.node.epoch()));
        }
    }

    private void awaitAtOnce(Target target, int attempts) {
        Engine.soon().until(() -> engine.sender.atOnce(target.host()) == attempts);
    }

    /// All that is loaded was sent, and no sender is left.
    private void awaitIdle(int permits) {
        Engine.soon().until(() -> engine.dispatcher.permitsLeft() == permits);
    }

    @Test
    void first_attempts_do_not_wait_behind_200_destinations_that_hang() {
        permits(Dispatcher.PERMITS);
        var hanging = targets("hanging", 200, 32);
        var healthy = targets("healthy", 50, 32);
        engine.learn();
        for (var target : hanging) {
            engine.sender.hang(target.host());
            load(target, 40);
        }

        for (var target : healthy) {
            load(target, 1);
        }

        for (var target : healthy) {
            engine.awaitSent(target.host(), 1);
        }
        for (var target : hanging) {
            assertThat(engine.sender.atOnce(target.host())).as(target.host()).isBetween(1, 32);
        }
        assertThat(engine.dispatcher.permitsLeft()).isGreaterThan(100);
    }

    @Test
    void slow_destinations_together_have_a_quarter_of_the_permits() {
        var one = target("one.example", 8);
        var two = target("two.example", 8);
        var healthy = target("healthy.example", 32);
        engine.learn();
        for (var slow : List.of(one, two)) {
            engine.sender.takes(slow.host(), SLOW);
            load(slow, 5);
            engine.awaitSent(slow.host(), 5);
        }
        awaitIdle(16);
        engine.sender.hang(one.host());
        engine.sender.hang(two.host());
        load(one, 20);
        load(two, 20);
        Engine.soon().until(() -> engine.dispatcher.permitsLeft() == 12);

        load(healthy, 100);
        engine.awaitSent(healthy.host(), 100);

        assertThat(engine.sender.atOnce(one.host()) + engine.sender.atOnce(two.host()))
                .isEqualTo(4);
        engine.sender.letGo(one.host());
        engine.sender.letGo(two.host());
        engine.awaitSent(one.host(), 25);
        engine.awaitSent(two.host(), 25);
    }

    @Test
    void a_destination_that_is_quick_again_may_have_more() {
        var target = target("one.example", 8);
        engine.learn();
        engine.sender.takes(target.host(), SLOW);
        load(target, 9);
        engine.awaitSent(target.host(), 9);
        engine.sender.takes(target.host(), Duration.ofMillis(5));
        load(target, 20);
        engine.awaitSent(target.host(), 29);
        awaitIdle(16);

        engine.sender.hang(target.host());
        load(target, 20);

        awaitAtOnce(target, 8);
    }

    @Test
    void one_that_falls_silent_is_slow_after_2_s() {
        var target = target("one.example", 6);
        engine.learn();
        engine.sender.hang(target.host());
        load(target, 2);
        awaitAtOnce(target, 2);
        engine.clock.advance(Duration.ofMillis(2_001));

        load(target, 6);

        awaitAtOnce(target, 4);
        assertThat(engine.dispatcher.permitsLeft()).isEqualTo(12);
    }

    @Test
    void one_that_falls_silent_with_all_its_senders_out_counts_as_slow_too() {
        var silent = targets("silent", 4, 2);
        var slow = target("slow.example", 8);
        engine.learn();
        engine.sender.takes(slow.host(), SLOW);
        load(slow, 9);
        engine.awaitSent(slow.host(), 9);
        for (var target : silent) {
            engine.sender.hang(target.host());
            load(target, 2);
            awaitAtOnce(target, 2);
        }
        engine.clock.advance(Duration.ofMillis(2_001));
        engine.dispatcher.feelPulses();

        engine.sender.hang(slow.host());
        load(slow, 8);

        awaitIdle(8);
        assertThat(engine.sender.sentTo(slow.host())).as("the quarter is taken").hasSize(9);
    }

    @Test
    void two_workspaces_have_every_other_turn_whoever_came_first_with_however_many() {
        permits(1);
        var blocker = target("blocker.example", 1);
        var many = targets("many", 20, 4);
        var others = new Given(engine.db);
        var lonely = target(others, others.source(), "lonely.example", 4);
        engine.learn();
        engine.sender.hang(blocker.host());
        load(blocker, 1);
        awaitAtOnce(blocker, 1);
        for (var target : many) {
            load(target, 5);
        }
        load(lonely, 10);

        engine.sender.letGo(blocker.host());
        Engine.soon().until(() -> engine.sender.parcels().size() == 111);

        var hosts = engine.sender.parcels().stream().map(parcel -> parcel.url().host().text());
        var order = hosts.skip(1).toList();
        assertThat(order).hasSize(110);
        for (int i = 0; i < 10; i++) {
            assertThat(order.subList(2 * i, 2 * i + 2)).contains(lonely.host());
        }
        assertThat(order.subList(0, 40).stream().filter(host -> host.startsWith("many")).distinct())
                .as("each of the many has its turn before one has its second")
                .hasSize(20);
    }

    @Test
    void resends_let_live_deliveries_pass() {
        var target = target("one.example", 1);
        engine.learn();
        engine.sender.hang(target.host());
        engine.backlogOf(target.connection(), 60, Trigger.RESEND);
        engine.round();
        awaitAtOnce(target, 1);
        var live = new ArrayList<DeliveryId>();
        for (int i = 0; i < 30; i++) {
            live.add(engine.accept(target.connection()));
        }

        engine.sender.letGo(target.host());
        engine.roundsUntilDone();

        var sent = engine.sender.sentTo(target.host());
        assertThat(sent).hasSize(90);
        assertThat(sent.indexOf(live.getLast()))
                .as("one resend on the wire and one after fifteen live ones")
                .isLessThanOrEqualTo(30 + 1 + 2);
    }

    @Test
    void few_resends_are_loaded_while_live_deliveries_wait() {
        permits(Dispatcher.PERMITS);
        var target = target("one.example", 16);
        engine.learn();
        engine.sender.hang(target.host());
        for (int i = 0; i < 20; i++) {
            engine.accept(target.connection());
        }
        awaitAtOnce(target, 16);
        assertThat(engine.dispatcher.hasLive(target.destination())).isTrue();
        engine.backlogOf(target.connection(), 200, Trigger.RESEND);
        engine.round();

        engine.given.deleted(target.destination());
        engine.learn();
        engine.sender.letGo(target.host());
        await().until(() -> engine.count("delivery") >= 22);
        engine.stop(Duration.ofSeconds(10));

        assertThat(engine.count("delivery")).as("all that was in memory").isEqualTo(22);
    }
}
