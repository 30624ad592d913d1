package dev.sluice.features.tryout;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SentRequestQueriesTest {

    /// More than four thousand million versions are never between an attempt and now.
    @ParameterizedTest
    @CsvSource({
        "7, 7",
        "7, 5",
        "2147483648, 2147483648",
        "4294967297, 4294967295",
        "9000000000, 8999999999",
        "9000000000, 4705032705"
    })
    void the_version_is_found_by_its_low_bits(long newest, long version) {
        assertThat(SentRequestQueries.version(newest, (int) version)).isEqualTo(version);
    }
}
