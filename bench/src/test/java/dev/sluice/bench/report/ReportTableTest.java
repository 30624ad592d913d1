package dev.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.OptionalDouble;

class ReportTableTest {

    @Test
    void numbers_are_cut_to_what_can_be_read_and_medians_pass_over_what_is_missing() {
        var table =
                new ReportTable("Rounds", "round", "events/s", "µs")
                        .row(1, 12345.678, OptionalDouble.of(81.44))
                        .row(2, 9000L, OptionalDouble.empty())
                        .row(3, 12000.0, OptionalDouble.of(7.125))
                        .medians();

        assertThat(table.markdown())
                .isEqualTo(
                        """
                        | round | events/s | µs |
                        | --- | ---: | ---: |
                        | 1 | 12346 | 81.4 |
                        | 2 | 9000 | – |
                        | 3 | 12000 | 7.13 |
                        | median | 12000 | 44.3 |
                        """);
        assertThat(table.last("events/s")).hasValue(12000);
    }
}
