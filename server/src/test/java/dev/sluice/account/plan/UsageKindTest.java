package dev.sluice.account.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UsageKindTest {

    /// Stored rows and the migrations contain the numbers.
    @ParameterizedTest
    @CsvSource({"EVENTS, 1", "OUTCOMES, 2", "DELIVERIES, 3", "LATENCIES, 4", "REFUSALS, 5"})
    void a_kind_keeps_its_number(UsageKind kind, int number) {
        assertThat(kind.number()).isEqualTo(number);
        assertThat(UsageKind.fromNumber(number)).isEqualTo(kind);
    }
}
