package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.share.RateLimiter;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class DestinationQueueTest {

    private final DestinationQueue queue = new DestinationQueue(new RateLimiter(() -> Some.NOON));

    private static LoadedDelivery ready(boolean isFresh) {
        return ready(isFresh, Trigger.INGEST);
    }

    private static LoadedDelivery ready(boolean isFresh, Trigger trigger) {
        var delivery =
                new UnfinishedDelivery(
                        DeliveryId.of(Some.eventId(), 1),
                        Some.sourceId(),
                        new ConnectionId(Some.id()),
                        trigger,
                        0,
                        Optional.empty());
        return new LoadedDelivery(delivery, Some.payload("{}"), isFresh, 1);
    }

    private LoadedDelivery addFresh() {
        var loaded = ready(true);
        assertThat(queue.reserve(DestinationQueue.MAX_FRESH_DELIVERIES)).isTrue();
        queue.addFresh(loaded);
        return loaded;
    }

    private LoadedDelivery addWaiting() {
        var loaded = ready(false);
        queue.addWaiting(loaded);
        return loaded;
    }

    private LoadedDelivery addResend() {
        var loaded = ready(false, Trigger.RESEND);
        queue.addWaiting(loaded);
        return loaded;
    }

    private List<LoadedDelivery> takeAll() {
        var all = new ArrayList<LoadedDelivery>();
        assertThat(queue.tryAddSender(1)).isTrue();
        for (var next = queue.next(1); next.isPresent(); next = queue.next(1)) {
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

        assertThat(queue.hasLive()).isFalse();
        assertThat(takeAll()).containsExactly(r1, r2);
        addWaiting();
        assertThat(queue.hasLive()).isTrue();
    }

    @Test
    void there_are_no_more_senders_than_the_limit_says() {
        addFresh();

        assertThat(queue.tryAddSender(2)).isTrue();
        assertThat(queue.tryAddSender(2)).isTrue();
        assertThat(queue.tryAddSender(2)).isFalse();
        queue.removeSender();
        assertThat(queue.tryAddSender(2)).isTrue();
    }

    @Test
    void a_limit_that_was_lowered_ends_senders_one_by_one() {
        addFresh();
        addFresh();
        queue.tryAddSender(2);
        queue.tryAddSender(2);

        assertThat(queue.next(1)).isEmpty();
        assertThat(queue.next(1)).isPresent();
    }

    @Test
    void nothing_to_send_starts_no_sender_and_ends_one() {
        assertThat(queue.tryAddSender(5)).isFalse();
        addWaiting();
        assertThat(takeAll()).hasSize(1);

        addWaiting();
        assertThat(queue.tryAddSender(1)).as("the previous sender is no longer counted").isTrue();
    }

    @Test
    void room_is_kept_until_it_is_used_or_given_back() {
        for (int i = 0; i < DestinationQueue.MAX_FRESH_DELIVERIES - 1; i++) {
            assertThat(queue.reserve(DestinationQueue.MAX_FRESH_DELIVERIES)).isTrue();
        }
        addFresh();
        assertThat(queue.reserve(DestinationQueue.MAX_FRESH_DELIVERIES)).isFalse();

        queue.cancelReservation();
        assertThat(queue.reserve(DestinationQueue.MAX_FRESH_DELIVERIES)).isTrue();
        assertThat(takeAll()).hasSize(1);
        assertThat(queue.reserve(DestinationQueue.MAX_FRESH_DELIVERIES)).isTrue();
        assertThat(queue.reserve(DestinationQueue.MAX_FRESH_DELIVERIES)).isFalse();
    }

    @Test
    void one_that_is_retired_keeps_no_room_and_one_with_anything_to_do_is_not_retired() {
        assertThat(queue.reserve(1)).isTrue();
        assertThat(queue.retire()).isFalse();
        queue.cancelReservation();
        addWaiting();
        assertThat(queue.retire()).isFalse();
        assertThat(takeAll()).hasSize(1);
        assertThat(queue.reserve(1)).isTrue();
        queue.cancelReservation();

        assertThat(queue.retire()).isTrue();
        assertThat(queue.reserve(1)).isFalse();
    }

    @Test
    void draining_takes_everything_that_is_not_being_sent() {
        var fresh = addFresh();
        var waiting = addWaiting();
        var resend = addResend();

        assertThat(queue.removeAll()).containsExactly(fresh, waiting, resend);
        assertThat(queue.removeAll()).isEmpty();
    }
}
