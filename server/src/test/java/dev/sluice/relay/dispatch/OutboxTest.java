package dev.sluice.relay.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class OutboxTest {

    private final Outbox outbox = new Outbox(new Pace(() -> Some.NOON));

    private static Ready ready(boolean isFresh) {
        return ready(isFresh, Trigger.INGEST);
    }

    private static Ready ready(boolean isFresh, Trigger trigger) {
        var work =
                new Work(
                        DeliveryId.of(Some.eventId(), 1),
                        Some.sourceId(),
                        new ConnectionId(Some.id()),
                        trigger,
                        0,
                        Optional.empty());
        return new Ready(work, Some.payload("{}"), isFresh, 1);
    }

    private Ready addFresh() {
        var ready = ready(true);
        assertThat(outbox.reserve(Outbox.MOST_FRESH)).isTrue();
        outbox.addFresh(ready);
        return ready;
    }

    private Ready addWaiting() {
        var ready = ready(false);
        outbox.addWaiting(ready);
        return ready;
    }

    private Ready addResend() {
        var ready = ready(false, Trigger.RESEND);
        outbox.addWaiting(ready);
        return ready;
    }

    private List<Ready> takeAll() {
        var all = new ArrayList<Ready>();
        assertThat(outbox.addSender(1)).isTrue();
        for (var next = outbox.next(1); next.isPresent(); next = outbox.next(1)) {
            all.add(next.get());
        }
        return all;
    }

    @Test
    void fresh_and_waiting_ones_take_turns_while_there_are_both() {
        var f1 = addFresh();
        var f2 = addFresh();
        var f3 = addFresh();
        var w1 = addWaiting();
        var w2 = addWaiting();
        var w3 = addWaiting();
        var w4 = addWaiting();

        assertThat(takeAll()).containsExactly(f1, w1, f2, w2, f3, w3, w4);
    }

    @Test
    void live_ones_come_before_resends_and_after_fifteen_of_them_comes_one() {
        var r1 = addResend();
        var r2 = addResend();
        var r3 = addResend();
        for (int i = 0; i < 20; i++) {
            addFresh();
            addWaiting();
        }

        var all = takeAll();

        assertThat(all.indexOf(r1)).isEqualTo(15);
        assertThat(all.indexOf(r2)).isEqualTo(31);
        assertThat(all.indexOf(r3)).isEqualTo(42);
        assertThat(all).hasSize(43);
    }

    @Test
    void resends_alone_do_not_wait() {
        var r1 = addResend();
        var r2 = addResend();

        assertThat(outbox.hasLive()).isFalse();
        assertThat(takeAll()).containsExactly(r1, r2);
        addWaiting();
        assertThat(outbox.hasLive()).isTrue();
    }

    @Test
    void there_are_no_more_senders_than_the_limit_says() {
        addFresh();

        assertThat(outbox.addSender(2)).isTrue();
        assertThat(outbox.addSender(2)).isTrue();
        assertThat(outbox.addSender(2)).isFalse();
        outbox.removeSender();
        assertThat(outbox.addSender(2)).isTrue();
    }

    @Test
    void a_limit_that_was_lowered_ends_senders_one_by_one() {
        addFresh();
        addFresh();
        outbox.addSender(2);
        outbox.addSender(2);

        assertThat(outbox.next(1)).isEmpty();
        assertThat(outbox.next(1)).isPresent();
    }

    @Test
    void nothing_to_send_starts_no_sender_and_ends_one() {
        assertThat(outbox.addSender(5)).isFalse();
        addWaiting();
        assertThat(takeAll()).hasSize(1);

        addWaiting();
        assertThat(outbox.addSender(1)).as("the sender before was counted out").isTrue();
    }

    @Test
    void room_is_kept_until_it_is_used_or_given_back() {
        for (int i = 0; i < Outbox.MOST_FRESH - 1; i++) {
            assertThat(outbox.reserve(Outbox.MOST_FRESH)).isTrue();
        }
        addFresh();
        assertThat(outbox.reserve(Outbox.MOST_FRESH)).isFalse();

        outbox.cancel();
        assertThat(outbox.reserve(Outbox.MOST_FRESH)).isTrue();
        assertThat(takeAll()).hasSize(1);
        assertThat(outbox.reserve(Outbox.MOST_FRESH)).isTrue();
        assertThat(outbox.reserve(Outbox.MOST_FRESH)).isFalse();
    }

    @Test
    void one_that_is_retired_keeps_no_room_and_one_with_anything_to_do_is_not_retired() {
        assertThat(outbox.reserve(1)).isTrue();
        assertThat(outbox.retire()).isFalse();
        outbox.cancel();
        addWaiting();
        assertThat(outbox.retire()).isFalse();
        assertThat(takeAll()).hasSize(1);
        assertThat(outbox.reserve(1)).isTrue();
        outbox.cancel();

        assertThat(outbox.retire()).isTrue();
        assertThat(outbox.reserve(1)).isFalse();
    }

    @Test
    void draining_takes_everything_that_is_not_being_sent() {
        var fresh = addFresh();
        var waiting = addWaiting();
        var resend = addResend();

        assertThat(outbox.drain()).containsExactly(fresh, waiting, resend);
        assertThat(outbox.drain()).isEmpty();
    }
}
