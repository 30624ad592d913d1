package dev.sluice.features.lists;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.Optional;

class WaitExplainerTest {

    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    private static String waiting(boolean isInMemory, int attempts, int retries) {
        return WaitExplainer.waitingReason(
                Optional.empty(),
                Optional.empty(),
                isInMemory,
                attempts,
                retries,
                NOON,
                attempts == 0 ? Optional.empty() : Optional.of("Destination answered 503"));
    }

    @Test
    void what_waits_says_for_what_and_after_which_failure() {
        assertThat(waiting(false, 0, 6)).isEqualTo("Waiting for its first attempt.");
        assertThat(waiting(true, 0, 6)).isEqualTo("In line for its first attempt.");
        assertThat(waiting(false, 2, 6))
                .isEqualTo("Retry 2 of 6 at 2026-03-01T12:00:00.000Z: Destination answered 503.");
        assertThat(waiting(true, 2, 6))
                .isEqualTo("In line for retry 2 of 6: Destination answered 503.");
    }

    @Test
    void a_retry_that_a_shortened_schedule_no_longer_has_is_its_last() {
        assertThat(waiting(false, 3, 1)).startsWith("Retry 3 of 3 at ");
    }
}
