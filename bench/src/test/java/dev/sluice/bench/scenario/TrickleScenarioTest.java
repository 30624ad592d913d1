package dev.sluice.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bench.platform.CommandLineException;
import dev.sluice.bench.platform.CommandLineOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

class TrickleScenarioTest {

    @Test
    void rates_are_measured_in_the_order_given() {
        assertThat(scenario("100,10").rates()).containsExactly(100, 10);
        assertThat(TrickleScenario.from(CommandLineOptions.parse(List.of())).rates())
                .containsExactly(10, 50, 100, 300);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "10,", "10,,20", "many", "-1"})
    void rates_that_are_no_numbers_above_0_are_refused(String rates) {
        assertThatThrownBy(() -> scenario(rates)).isInstanceOf(CommandLineException.class);
    }

    private static TrickleScenario scenario(String rates) {
        return TrickleScenario.from(CommandLineOptions.parse(List.of("--rates", rates)));
    }
}
