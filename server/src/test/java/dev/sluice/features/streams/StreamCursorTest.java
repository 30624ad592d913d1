package dev.sluice.features.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.engine.DeliveryId;
import dev.sluice.platform.db.TxSnapshot;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

class StreamCursorTest {

    private static final TxSnapshot SEEN = TxSnapshot.parse("10:12:10");
    private static final TxSnapshot UNTIL = TxSnapshot.parse("13:20:13,17");

    @Test
    void it_is_written_as_it_was_read() {
        var event = Some.eventId(Some.NOON);
        var start = StreamCursor.at("db", SEEN);
        var round = start.towards(UNTIL);

        for (var cursor :
                new StreamCursor[] {
                    start,
                    round.after(event.value()),
                    round.endOfEvents(),
                    round.after(DeliveryId.of(event, 1).value()),
                    round.endOfEvents().endOfRound(),
                    StreamCursor.after("db", event.value(), 15, 3)
                }) {
            assertThat(StreamCursor.parse(cursor.text())).isEqualTo(cursor);
        }
    }

    @Test
    void a_round_has_what_its_end_sees_and_its_start_does_not() {
        var round = StreamCursor.at("db", SEEN).towards(UNTIL);
        var id = Some.id();

        assertThat(round.isMissing(9, id)).isFalse(); // before both
        assertThat(round.isMissing(11, id)).isFalse();
        assertThat(round.isMissing(10, id)).isTrue(); // it ran, and is over now
        assertThat(round.isMissing(12, id)).isTrue();
        assertThat(round.isMissing(17, id)).isFalse(); // it still runs
        assertThat(round.isMissing(20, id)).isFalse();
    }

    @Test
    void a_round_ends_with_the_deliveries() {
        var event = Some.eventId(Some.NOON);
        var round = StreamCursor.at("db", SEEN).towards(UNTIL);

        assertThat(round.after(event.value()).isBehindEvents()).isFalse();
        assertThat(round.endOfEvents().isBehindEvents()).isTrue();
        assertThat(round.after(DeliveryId.of(event, 7).value()).isBehindEvents()).isTrue();
        assertThat(round.endOfRound()).isEqualTo(StreamCursor.at("db", UNTIL));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1",
                "1;db;10:12:10;;",
                "2;db;10:12:10;;;",
                "1;db;x;;;",
                "1;db;1:2:;;x;",
                "1;db;1:2:;;;7"
            })
    void what_is_no_cursor_is_refused(String plain) {
        String text = Base64.getUrlEncoder().encodeToString(plain.getBytes(StandardCharsets.UTF_8));

        assertThatThrownBy(() -> StreamCursor.parse(text))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
