package dev.sluice.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.ledger.MessageEntry;
import dev.sluice.bench.ledger.MessageEntry.ReceivedEntry;

import org.junit.jupiter.api.Test;

import java.util.List;

class RetryTimingCheckTest {

    @Test
    void retries_within_the_jitter_are_in_time() {
        assertThat(unmet(at(0, 503), at(8.1, 503), at(8.1 + 24.5, 200))).isEmpty();
    }

    @Test
    void a_retry_too_early_is_told() {
        assertThat(unmet(at(0, 503), at(7.5, 200)))
                .singleElement()
                .asString()
                .contains("before 80 %");
    }

    @Test
    void a_retry_too_late_is_told() {
        assertThat(unmet(at(0, 503), at(13.5, 200)))
                .singleElement()
                .asString()
                .contains("after 120 %");
    }

    @Test
    void what_is_repeated_at_once_after_a_reset_is_the_same_attempt() {
        assertThat(unmet(at(0, 0), at(0.1, 503), at(10.1, 200))).isEmpty();
    }

    @Test
    void what_comes_after_a_success_is_no_retry() {
        assertThat(unmet(at(0, 503), at(10, 200), at(10.5, 200))).isEmpty();
    }

    private static List<String> unmet(ReceivedEntry... attempts) {
        var criteria = new Criteria();
        List<MessageEntry> first = List.of(attempts);
        new RetryTimingCheck(List.of(10, 20), 0.1, 1)
                .read(new TestbedLedgers(List.of(), List.of(first, List.of(), List.of())))
                .verify(criteria, true);
        return criteria.unmet();
    }

    private static ReceivedEntry at(double second, int status) {
        return new ReceivedEntry("0000-m", "e", "h", Math.round(second * 1e9), status);
    }
}
