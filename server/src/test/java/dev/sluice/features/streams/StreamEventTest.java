package dev.sluice.features.streams;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.engine.EventVerification;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.history.events.EventSummary;
import dev.sluice.platform.db.TxSnapshot;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.util.Optional;

class StreamEventTest {

    private static final StreamCursor ROUND =
            StreamCursor.at("db", TxSnapshot.parse("10:12:10"))
                    .towards(TxSnapshot.parse("13:20:13,17"));
    private static final StreamCursor NEXT_ROUND =
            ROUND.endOfRound().towards(TxSnapshot.parse("20:25:"));

    private final StreamEvent event =
            StreamEvent.withoutPayload(
                    new EventSummary(
                            Some.eventId(Some.NOON),
                            new SourceId(Some.id()),
                            "POST",
                            Optional.of("application/json"),
                            EventVerification.VERIFIED,
                            12,
                            0),
                    Optional.of("order.paid"),
                    14);

    private static String text(StreamEvent.SharedMessage message) {
        return new String(message.bytes(), UTF_8);
    }

    @Test
    void a_message_has_the_cursor_after_the_event_and_its_metadata() {
        String message = text(event.tailMessage(ROUND));

        assertThat(message)
                .startsWith("id: " + ROUND.after(event.id()).text() + "\nevent: event\ndata: {")
                .contains("\"id\":\"" + event.id() + "\"", "\"event_type\":\"order.paid\"")
                .endsWith("}\n\n");
    }

    @Test
    void streams_of_one_round_share_the_message() {
        var first = event.tailMessage(ROUND);

        assertThat(first.isFreshlyBuilt()).isTrue();
        assertThat(event.tailMessage(ROUND).bytes()).isSameAs(first.bytes());
        assertThat(event.tailMessage(ROUND).isFreshlyBuilt()).isFalse();
        assertThat(event.withoutPayload().tailMessage(ROUND).bytes()).isSameAs(first.bytes());
    }

    @Test
    void in_another_round_the_message_has_another_cursor() {
        var first = event.tailMessage(ROUND);

        var next = event.tailMessage(NEXT_ROUND);
        assertThat(next.isFreshlyBuilt()).isTrue();
        assertThat(text(next))
                .startsWith("id: " + NEXT_ROUND.after(event.id()).text() + "\n")
                .isNotEqualTo(text(first));
        assertThat(text(event.tailMessage(ROUND))).isEqualTo(text(first));
    }
}
