package dev.sluice.features.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.TxSnapshot;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class FeedSubscriptionTest {

    private static final StreamCursor START =
            StreamCursor.at("db", TxSnapshot.parse("10:12:10"))
                    .towards(TxSnapshot.parse("13:20:13,17"));

    private static final int ITEM_BYTES = 600;

    private final FeedMemory memory = new FeedMemory(20 << 20);

    @Test
    void a_queue_holds_thirty_two_mebibytes() {
        var subscription = subscription();
        int room = (32 << 20) / ITEM_BYTES;

        assertThat(offer(subscription, items(room))).isTrue();
        assertThat(subscription.hasOverflowed()).isFalse();
        assertThat(offer(subscription, items(1))).isFalse();
        assertThat(subscription.hasOverflowed()).isTrue();
    }

    @Test
    void what_was_taken_makes_room() throws InterruptedException {
        var subscription = subscription();
        for (int i = 0; i < 10; i++) {
            assertThat(offer(subscription, items(20_000))).isTrue();
            assertThat(subscription.poll(Duration.ZERO).orElseThrow().items()).hasSize(20_000);
        }
    }

    @Test
    void a_page_in_several_queues_counts_once_and_the_oldest_page_is_the_first_to_go()
            throws InterruptedException {
        var slow = subscription();
        var others = List.of(subscription(), subscription(), subscription());
        var first = new FeedMemory.FeedPage(items(10_000));
        var second = new FeedMemory.FeedPage(items(20_000));

        assertThat(slow.offer(part(items(10_000)), first)).isTrue();
        for (var other : others) {
            assertThat(other.offer(part(items(10_000)), first)).isTrue();
            assertThat(other.poll(Duration.ZERO)).isPresent();
            assertThat(other.offer(part(items(20_000)), second)).isTrue();
        }
        assertThat(memory.oldestIfFull()).as("30 000 items have room").isNull();

        var third = new FeedMemory.FeedPage(items(6_000));
        assertThat(others.getFirst().offer(part(items(6_000)), third)).isTrue();
        assertThat(memory.oldestIfFull()).isSameAs(first);
        assertThat(slow.beginsWith(first)).isTrue();
        assertThat(others.getFirst().beginsWith(first)).isFalse();
        slow.overflow();
        assertThat(memory.oldestIfFull()).isNull();
    }

    private FeedSubscription subscription() {
        return new FeedSubscription(
                new StreamSelection(
                        new WorkspaceId(Some.id()),
                        Set.of(),
                        false,
                        Optional.empty(),
                        Optional.empty(),
                        true),
                memory);
    }

    private static boolean offer(FeedSubscription subscription, List<StreamOutcome> items) {
        return subscription.offer(part(items), new FeedMemory.FeedPage(items));
    }

    private static FeedSubscription.RoundPart part(List<StreamOutcome> items) {
        return new FeedSubscription.RoundPart(START, items, START.endOfRound());
    }

    private static List<StreamOutcome> items(int count) {
        return Collections.nCopies(
                count,
                new StreamOutcome(
                        DeliveryId.of(Some.eventId(Some.NOON), 1),
                        new SourceId(Some.id()),
                        new ConnectionId(Some.id()),
                        new DestinationId(Some.id()),
                        DeliveryStatus.SUCCEEDED,
                        new StreamOutcome.LastAttempt(1, Optional.of(200), Optional.empty()),
                        Some.NOON));
    }
}
