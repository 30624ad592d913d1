package dev.sluice.observe.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.TxSnapshot;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;

class FeedSubscriptionTest {

    private static final StreamCursor START =
            StreamCursor.at("db", TxSnapshot.parse("10:12:10"))
                    .towards(TxSnapshot.parse("13:20:13,17"));

    private final FeedSubscription subscription =
            new FeedSubscription(
                    new StreamSelection(
                            new WorkspaceId(Some.id()),
                            Set.of(),
                            false,
                            Optional.empty(),
                            Optional.empty(),
                            true));

    /// A queue of 2 MiB has room for 3 495 items of 600 bytes.
    @ParameterizedTest
    @CsvSource({
        "1, 3400, true",
        "1, 3600, false",
        "4, 13900, true",
        "4, 14100, false",
        "8, 27900, true",
        "200, 27900, true",
        "200, 28100, false",
    })
    void items_that_several_streams_share_take_a_part_of_their_size_an_eighth_at_least(
            int sharers, int items, boolean isEnough) {
        assertThat(subscription.offer(part(items), sharers)).isEqualTo(isEnough);
        assertThat(subscription.hasOverflowed()).isEqualTo(!isEnough);
    }

    @Test
    void what_was_taken_makes_room() throws InterruptedException {
        for (int i = 0; i < 10; i++) {
            assertThat(subscription.offer(part(6_000), 2)).isTrue();
            assertThat(subscription.poll(Duration.ZERO).orElseThrow().items()).hasSize(6_000);
        }
    }

    private static FeedSubscription.RoundPart part(int items) {
        var outcome =
                new StreamOutcome(
                        DeliveryId.of(Some.eventId(Some.NOON), 1),
                        new SourceId(Some.id()),
                        new ConnectionId(Some.id()),
                        new DestinationId(Some.id()),
                        DeliveryStatus.SUCCEEDED,
                        1,
                        Optional.of(200),
                        Optional.empty(),
                        Some.NOON);
        return new FeedSubscription.RoundPart(
                START, Collections.nCopies(items, outcome), START.endOfRound());
    }
}
