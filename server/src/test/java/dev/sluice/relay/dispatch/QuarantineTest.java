package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Of whom is let in when. The gate has four permits.
class QuarantineTest {

    private static final DestinationId DESTINATION = new DestinationId(Some.id());

    private final ManualClock clock = new ManualClock(Some.NOON);
    private final Turns<String> gate = new Turns<>(4);
    private final Turns.Seat<String> seat = new Turns.Seat<>("others", new Turns.Tenant());
    private final Noted ward = new Noted();
    private final Quarantine quarantine = new Quarantine(gate, ward, clock);

    private static final class Noted implements Quarantine.Ward {
        private final List<Ready> alone = new ArrayList<>();
        private final List<Ready> amongOthers = new ArrayList<>();
        private Runnable end = () -> {};
        private boolean mayGo = true;
        private boolean cannotBegin;
        private int solitudesBegun;
        private int solitudesEnded;
        private int goneOn;

        @Override
        public boolean mayGo(DestinationId destination) {
            return mayGo;
        }

        @Override
        public void sendAlone(DestinationId destination, Ready ready, Runnable ended) {
            if (cannotBegin) {
                throw new IllegalStateException("no thread");
            }
            alone.add(ready);
            end = ended;
        }

        @Override
        public void beginSolitude() {
            solitudesBegun++;
        }

        @Override
        public void endSolitude() {
            solitudesEnded++;
        }

        @Override
        public void sendAmongOthers(DestinationId destination, Ready ready) {
            amongOthers.add(ready);
        }

        @Override
        public void goOn() {
            goneOn++;
        }
    }

    private Ready suspect() {
        var work =
                new Work(
                        DeliveryId.of(Some.eventId(), 1),
                        Some.sourceId(),
                        new ConnectionId(Some.id()),
                        Trigger.INGEST,
                        0,
                        Optional.empty());
        var ready = new Ready(work, Some.payload("{}"), false, 1, 3, Optional.empty());
        quarantine.add(DESTINATION, ready);
        return ready;
    }

    private boolean enter() {
        return gate.tryTake(seat, false);
    }

    private void leave() {
        gate.give(seat);
    }

    private void pass(Duration time) {
        clock.advance(time);
        quarantine.run();
    }

    @Test
    void with_nobody_in_line_the_gate_stays_open() {
        quarantine.run();

        assertThat(gate.isClosed()).isFalse();
        assertThat(gate.free()).isEqualTo(4);
    }

    @Test
    void on_an_empty_wire_a_suspect_goes_at_once_and_nobody_else_until_it_is_back() {
        var suspect = suspect();

        quarantine.run();
        assertThat(ward.alone).containsExactly(suspect);
        assertThat(enter()).isFalse();

        ward.end.run();
        assertThat(enter()).isTrue();
        assertThat(ward.goneOn).isEqualTo(1);
        assertThat(ward.solitudesBegun).isEqualTo(1);
        assertThat(ward.solitudesEnded).isZero();
    }

    @Test
    void it_waits_for_those_on_the_wire_while_nobody_new_is_let_in() {
        var woken = new ArrayList<String>();
        quarantine.wakeBy(() -> woken.add("quiet"));
        enter();
        enter();
        suspect();

        quarantine.run();
        assertThat(enter()).isFalse();
        leave();
        quarantine.run();
        assertThat(ward.alone).isEmpty();
        assertThat(woken).isEmpty();

        leave();
        assertThat(woken).containsExactly("quiet");
        quarantine.run();
        assertThat(ward.alone).hasSize(1);
    }

    @Test
    void after_ten_seconds_of_waiting_the_others_go_on_for_nine_times_as_long() {
        enter();
        suspect();
        quarantine.run();

        pass(Duration.ofMillis(9_999));
        assertThat(gate.isClosed()).isTrue();
        pass(Duration.ofMillis(1));
        assertThat(gate.isClosed()).isFalse();
        assertThat(ward.goneOn).isEqualTo(1);
        leave();

        pass(Duration.ofMillis(89_999));
        assertThat(ward.alone).isEmpty();
        pass(Duration.ofMillis(1));
        assertThat(ward.alone).hasSize(1);
    }

    @Test
    void after_a_turn_the_others_have_nine_times_as_long_as_it_took() {
        suspect();
        suspect();
        quarantine.run();
        clock.advance(Duration.ofMillis(500));
        ward.end.run();

        pass(Duration.ofMillis(4_499));
        assertThat(ward.alone).hasSize(1);
        pass(Duration.ofMillis(1));
        assertThat(ward.alone).hasSize(2);
    }

    @Test
    void after_thirty_seconds_alone_the_others_are_let_in_beside_it() {
        suspect();
        quarantine.run();

        pass(Duration.ofMillis(29_999));
        assertThat(enter()).isFalse();
        pass(Duration.ofMillis(1));

        assertThat(ward.solitudesEnded).isEqualTo(1);
        assertThat(gate.free()).as("it has one").isEqualTo(3);
        assertThat(enter()).isTrue();
        suspect();
        pass(Duration.ofMinutes(5));
        assertThat(ward.alone).as("one at a time").hasSize(1);

        ward.end.run();
        assertThat(gate.free()).isEqualTo(3);
        leave();
        pass(Duration.ofSeconds(1));
        assertThat(ward.alone).hasSize(2);
    }

    @Test
    void one_that_does_not_come_to_be_alone_in_ten_turns_is_sent_among_others() {
        enter();
        var suspect = suspect();
        for (int turn = 0; turn < 10; turn++) {
            assertThat(ward.amongOthers).isEmpty();
            quarantine.run();
            pass(Quarantine.MOST_WAIT);
            clock.advance(Duration.ofSeconds(90));
        }

        assertThat(ward.amongOthers).containsExactly(suspect);
        assertThat(ward.alone).isEmpty();
        quarantine.run();
        assertThat(gate.isClosed()).isFalse();
    }

    @Test
    void a_rate_limit_holds_for_it_too() {
        ward.mayGo = false;
        suspect();
        quarantine.run();
        assertThat(ward.alone).isEmpty();

        ward.mayGo = true;
        pass(Duration.ofMillis(200));
        assertThat(ward.alone).hasSize(1);
        ward.end.run();
        assertThat(gate.free()).isEqualTo(4);
    }

    @Test
    void one_that_cannot_be_begun_is_tried_again_and_does_not_keep_the_gate_closed() {
        ward.cannotBegin = true;
        suspect();
        assertThatThrownBy(quarantine::run).hasMessage("no thread");
        assertThat(gate.free()).isEqualTo(4);
        assertThat(gate.isClosed()).isFalse();

        ward.cannotBegin = false;
        pass(Duration.ofMillis(200));
        assertThat(ward.alone).hasSize(1);
    }

    @Test
    void who_waits_is_drained_and_the_gate_opens() {
        enter();
        var one = suspect();
        var other = suspect();
        quarantine.run();

        assertThat(quarantine.drain())
                .extracting(Quarantine.Suspect::ready)
                .containsExactly(one, other);

        assertThat(enter()).isTrue();
        pass(Duration.ofSeconds(200));
        assertThat(gate.isClosed()).isFalse();
    }

    @Test
    void who_is_on_the_wire_is_not_drained() {
        suspect();
        quarantine.run();

        assertThat(quarantine.drain()).isEmpty();

        assertThat(enter()).isFalse();
        ward.end.run();
        assertThat(gate.free()).isEqualTo(4);
    }
}
