package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.share.FairPermits;
import dev.sluice.engine.share.Standing;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.platform.loop.Wake;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// When the quarantine closes its gate, and what it lets through. The gate has four permits.
class QuarantineTest {

    private static final DestinationId DESTINATION = new DestinationId(Some.id());

    private final ManualClock clock = new ManualClock(Some.NOON);
    private static final int PERMITS = 16;

    private final Wake wake = new Wake();
    private final FairPermits<String> fairPermits = new FairPermits<>(PERMITS, wake);
    private final FairPermits.PermitHolder<String> permitHolder =
            new FairPermits.PermitHolder<>("others", new FairPermits.WorkspacePermits());
    private final RecordingIsolatedSender sender = new RecordingIsolatedSender();
    private final Quarantine quarantine = new Quarantine(fairPermits, sender, clock, wake);

    private static final class RecordingIsolatedSender implements Quarantine.IsolatedSender {
        private final List<LoadedDelivery> alone = new ArrayList<>();
        private final List<LoadedDelivery> sentNormally = new ArrayList<>();
        private Runnable end = () -> {};
        private boolean mayGo = true;
        private boolean cannotBegin;
        private int isolationsBegun;
        private int isolationsEnded;
        private int timesResumed;

        @Override
        public boolean tryAcquireRateLimit(DestinationId destination) {
            return mayGo;
        }

        @Override
        public void sendAlone(DestinationId destination, LoadedDelivery loaded, Runnable ended) {
            if (cannotBegin) {
                throw new IllegalStateException("no thread");
            }
            alone.add(loaded);
            end = ended;
        }

        @Override
        public void beginIsolation() {
            isolationsBegun++;
        }

        @Override
        public void endIsolation() {
            isolationsEnded++;
        }

        @Override
        public void sendNormally(DestinationId destination, LoadedDelivery loaded) {
            sentNormally.add(loaded);
        }

        @Override
        public void resumeOthers() {
            timesResumed++;
        }
    }

    private LoadedDelivery suspect() {
        var delivery =
                new UnfinishedDelivery(
                        DeliveryId.of(Some.eventId(), 1),
                        Some.sourceId(),
                        new ConnectionId(Some.id()),
                        Trigger.INGEST,
                        0,
                        Optional.empty());
        var loaded =
                new LoadedDelivery(delivery, Some.payload("{}"), false, 1, 3, Optional.empty());
        quarantine.add(DESTINATION, loaded);
        return loaded;
    }

    private boolean enter() {
        return fairPermits.tryAcquire(permitHolder, Standing.UNPROVEN);
    }

    private void leave() {
        fairPermits.release(permitHolder, Standing.UNPROVEN);
    }

    private void pass(Duration time) {
        clock.advance(time);
        quarantine.run();
    }

    @Test
    void with_nobody_in_line_the_gate_stays_open() {
        quarantine.run();

        assertThat(fairPermits.isClosed()).isFalse();
        assertThat(fairPermits.free()).isEqualTo(PERMITS);
    }

    @Test
    void rounds_rest_while_there_is_no_suspect_and_one_wakes_them() {
        assertThat(quarantine.rest()).isEqualTo(Duration.ofSeconds(5));

        suspect();
        assertThat(wake.take()).isTrue();
        assertThat(quarantine.rest()).as("waiting").isZero();

        quarantine.run();
        assertThat(quarantine.rest()).as("being sent").isZero();

        sender.end.run();
        assertThat(quarantine.rest()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void on_an_empty_wire_a_suspect_goes_at_once_and_nobody_else_until_it_is_back() {
        var suspect = suspect();

        quarantine.run();
        assertThat(sender.alone).containsExactly(suspect);
        assertThat(enter()).isFalse();

        sender.end.run();
        assertThat(enter()).isTrue();
        assertThat(sender.timesResumed).isEqualTo(1);
        assertThat(sender.isolationsBegun).isEqualTo(1);
        assertThat(sender.isolationsEnded).isZero();
    }

    @Test
    void it_waits_for_those_on_the_wire_while_nobody_new_is_let_in() {
        enter();
        enter();
        suspect();
        assertThat(wake.take()).isTrue();

        quarantine.run();
        assertThat(enter()).isFalse();
        leave();
        quarantine.run();
        assertThat(sender.alone).isEmpty();
        assertThat(wake.take()).isFalse();

        leave();
        assertThat(wake.take()).isTrue();
        quarantine.run();
        assertThat(sender.alone).hasSize(1);
    }

    @Test
    void after_ten_seconds_of_waiting_the_others_go_on_for_nine_times_as_long() {
        enter();
        suspect();
        quarantine.run();

        pass(Duration.ofMillis(9_999));
        assertThat(fairPermits.isClosed()).isTrue();
        pass(Duration.ofMillis(1));
        assertThat(fairPermits.isClosed()).isFalse();
        assertThat(sender.timesResumed).isEqualTo(1);
        leave();

        pass(Duration.ofMillis(89_999));
        assertThat(sender.alone).isEmpty();
        pass(Duration.ofMillis(1));
        assertThat(sender.alone).hasSize(1);
    }

    @Test
    void after_a_turn_the_others_have_nine_times_as_long_as_it_took() {
        suspect();
        suspect();
        quarantine.run();
        clock.advance(Duration.ofMillis(500));
        sender.end.run();

        pass(Duration.ofMillis(4_499));
        assertThat(sender.alone).hasSize(1);
        pass(Duration.ofMillis(1));
        assertThat(sender.alone).hasSize(2);
    }

    @Test
    void a_clock_that_is_set_back_keeps_the_gate_closed_no_longer() {
        enter();
        suspect();
        suspect();
        quarantine.run();
        pass(Duration.ofDays(-10));
        assertThat(fairPermits.isClosed()).as("while it waited for the others").isFalse();
        leave();

        pass(Quarantine.DRAIN_TIMEOUT.plus(Quarantine.MAX_TIME_ALONE).multipliedBy(9));
        assertThat(sender.alone).as("the rest is bounded").hasSize(1);
        pass(Duration.ofDays(-10));
        assertThat(enter()).as("while it was alone").isTrue();
    }

    @Test
    void a_leap_of_the_clock_makes_no_long_rest() {
        suspect();
        suspect();
        quarantine.run();
        clock.advance(Duration.ofDays(10));
        sender.end.run();

        pass(Quarantine.DRAIN_TIMEOUT.plus(Quarantine.MAX_TIME_ALONE).multipliedBy(9));

        assertThat(sender.alone).hasSize(2);
    }

    @Test
    void after_thirty_seconds_alone_the_others_are_let_in_beside_it() {
        suspect();
        quarantine.run();

        pass(Duration.ofMillis(29_999));
        assertThat(enter()).isFalse();
        pass(Duration.ofMillis(1));

        assertThat(sender.isolationsEnded).isEqualTo(1);
        assertThat(fairPermits.free()).as("it has one").isEqualTo(PERMITS - 1);
        assertThat(enter()).isTrue();
        suspect();
        pass(Duration.ofMinutes(5));
        assertThat(sender.alone).as("one at a time").hasSize(1);

        sender.end.run();
        assertThat(fairPermits.free()).isEqualTo(PERMITS - 1);
        leave();
        pass(Duration.ofSeconds(1));
        assertThat(sender.alone).hasSize(2);
    }

    @Test
    void one_that_does_not_come_to_be_alone_in_ten_turns_is_sent_among_others() {
        enter();
        var suspect = suspect();
        for (int turn = 0; turn < 10; turn++) {
            assertThat(sender.sentNormally).isEmpty();
            quarantine.run();
            pass(Quarantine.DRAIN_TIMEOUT);
            clock.advance(Duration.ofSeconds(90));
        }

        assertThat(sender.sentNormally).containsExactly(suspect);
        assertThat(sender.alone).isEmpty();
        quarantine.run();
        assertThat(fairPermits.isClosed()).isFalse();
    }

    @Test
    void a_rate_limit_holds_for_it_too() {
        sender.mayGo = false;
        suspect();
        quarantine.run();
        assertThat(sender.alone).isEmpty();

        sender.mayGo = true;
        pass(Duration.ofMillis(200));
        assertThat(sender.alone).hasSize(1);
        sender.end.run();
        assertThat(fairPermits.free()).isEqualTo(PERMITS);
    }

    @Test
    void one_that_cannot_be_begun_is_tried_again_and_does_not_keep_the_gate_closed() {
        sender.cannotBegin = true;
        suspect();
        assertThatThrownBy(quarantine::run).hasMessage("no thread");
        assertThat(fairPermits.free()).isEqualTo(PERMITS);
        assertThat(fairPermits.isClosed()).isFalse();

        sender.cannotBegin = false;
        pass(Duration.ofMillis(200));
        assertThat(sender.alone).hasSize(1);
    }

    @Test
    void who_waits_is_drained_and_the_gate_opens() {
        enter();
        var one = suspect();
        var other = suspect();
        quarantine.run();

        assertThat(quarantine.removeAll())
                .extracting(Quarantine.QuarantinedDelivery::loaded)
                .containsExactly(one, other);

        assertThat(enter()).isTrue();
        pass(Duration.ofSeconds(200));
        assertThat(fairPermits.isClosed()).isFalse();
    }

    @Test
    void who_is_on_the_wire_is_not_drained() {
        suspect();
        quarantine.run();

        assertThat(quarantine.removeAll()).isEmpty();

        assertThat(enter()).isFalse();
        sender.end.run();
        assertThat(fairPermits.free()).isEqualTo(PERMITS);
    }
}
