package dev.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.platform.id.Uuid7;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.util.HashSet;
import java.util.Random;
import java.util.UUID;

class DeliveryIdTest {

    private static final EventId EVENT =
            new EventId(UUID.fromString("0190a5c4-0000-7000-8000-abcdef012000"));

    @Test
    void every_ordinal_names_a_delivery_that_knows_its_event() {
        var random = new Uuid7(() -> Instant.parse("2026-03-01T12:00:00Z"), new Random(3));
        var event = new EventId(random.next(12));
        var seen = new HashSet<DeliveryId>();
        for (int ordinal = 1; ordinal <= 4095; ordinal++) {
            var delivery = DeliveryId.of(event, ordinal);

            assertThat(delivery.ordinal()).isEqualTo(ordinal);
            assertThat(delivery.event()).isEqualTo(event);
            assertThat(delivery.value().version()).isEqualTo(7);
            assertThat(delivery.toString()).isGreaterThan(event.toString());
            assertThat(delivery.toString())
                    .isLessThanOrEqualTo(DeliveryId.maxIdOf(event).toString());
            seen.add(delivery);
        }
        assertThat(seen).hasSize(4095);
    }

    @Test
    void the_ordinal_stands_in_the_last_three_digits() {
        assertThat(DeliveryId.of(EVENT, 1)).hasToString("0190a5c4-0000-7000-8000-abcdef012001");
        assertThat(DeliveryId.of(EVENT, DeliveryId.MIN_RESEND_ORDINAL))
                .hasToString("0190a5c4-0000-7000-8000-abcdef012400");
        assertThat(DeliveryId.of(EVENT, DeliveryId.MAX_ORDINAL))
                .hasToString("0190a5c4-0000-7000-8000-abcdef012fff");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 4096, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void other_ordinals_are_refused(int ordinal) {
        assertThatIllegalArgumentException().isThrownBy(() -> DeliveryId.of(EVENT, ordinal));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0190a5c4-0000-7000-8000-abcdef012001",
                "0190a5c4-0000-7000-8000-abcdef012800",
                "0190a5c4-0000-7000-8000-abcdef012fff",
            })
    void a_deliverys_id_is_no_events_id(String id) {
        assertThatIllegalArgumentException().isThrownBy(() -> new EventId(UUID.fromString(id)));
    }
}
