package dev.sluice.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.http.Header;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

class LoopDetectorTest {

    @ParameterizedTest
    @CsvSource({
        "0,0",
        "5,5",
        "' 6 ',6",
        "999999,999999",
        "1000000,0",
        "-1,0",
        "+3,0",
        "two,0",
        "'',0"
    })
    void what_is_a_small_number_counts(String value, int hops) {
        assertThat(
                        LoopDetector.countHops(
                                List.of(new Header("x-service-hop", value)), "X-Service-Hop"))
                .isEqualTo(hops);
    }

    @Test
    void the_largest_of_several_counts_and_none_is_none() {
        var several =
                List.of(
                        new Header("X-Service-Hop", "2"),
                        new Header("X_Service-Hop", "9"),
                        new Header("X-Service-Hop", "0"));

        assertThat(LoopDetector.countHops(several, "X-Service-Hop")).isEqualTo(9);
        assertThat(LoopDetector.countHops(List.of(), "X-Service-Hop")).isZero();
    }
}
