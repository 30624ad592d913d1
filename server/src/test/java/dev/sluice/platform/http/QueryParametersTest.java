package dev.sluice.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;

class QueryParametersTest {

    @ParameterizedTest
    @CsvSource({
        "2026-03-01T12:00:00Z,             2026-03-01T12:00:00Z",
        "2026-03-01t12:00:00.123456z,      2026-03-01T12:00:00.123456Z",
        "2026-03-01T12:00:00+02:30,        2026-03-01T09:30:00Z",
        "2026-03-01T12:00:00.5-01:00,      2026-03-01T13:00:00.500Z",
        "2026-03-01 12:00:00Z,             2026-03-01T12:00:00Z",
        "2026-03-01T12:00:00 02:00,        2026-03-01T10:00:00Z",
        "0001-01-01T00:00:00Z,             0001-01-01T00:00:00Z",
    })
    void a_time_is_read_as_rfc_3339_has_it(String text, Instant time) {
        assertThat(QueryParameters.parseTime(text)).isEqualTo(time);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "yesterday",
                "2026-03-01",
                "2026-03-01T12:00:00",
                "2026-03-01T12:00Z",
                "2026-02-30T12:00:00Z",
                "2026-03-01T25:00:00Z",
                "2026-03-01T12:00:00+25:00",
                "1772366400"
            })
    void anything_else_is_no_time(String text) {
        assertThatThrownBy(() -> QueryParameters.parseTime(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("must be a time as in RFC 3339, such as 2026-03-01T12:00:00Z.");
    }
}
