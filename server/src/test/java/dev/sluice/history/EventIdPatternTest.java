package dev.sluice.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.id.IdRange;
import dev.sluice.testkit.Some;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.UUID;

class EventIdPatternTest {

    private static final String EVENT_ID = "019ca956-1c00-7abc-8def-0123456789ab";

    private static EventIdPattern of(String q) {
        return EventIdPattern.parse(q, Some.NOON);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                EVENT_ID,
                "019CA956-1C00-7ABC-8DEF-0123456789AB",
                " 019ca9561c007abc8def0123456789ab "
            })
    void a_whole_id_is_known_with_and_without_hyphens(String q) {
        assertThat(of(q)).isEqualTo(new EventIdPattern.FullId(UUID.fromString(EVENT_ID)));
    }

    @ParameterizedTest
    @CsvSource({
        "019ca956,            019ca956-0000-0000-0000-000000000000,"
                + " 019ca957-0000-0000-0000-000000000000",
        "019ca956-,           019ca956-0000-0000-0000-000000000000,"
                + " 019ca957-0000-0000-0000-000000000000",
        "019ca9561,           019ca956-1000-0000-0000-000000000000,"
                + " 019ca956-2000-0000-0000-000000000000",
        "019ca956-1c00-7fff,  019ca956-1c00-7fff-0000-000000000000,"
                + " 019ca956-1c00-8000-0000-000000000000",
        "019ca956-1c00-7fff-f, 019ca956-1c00-7fff-f000-000000000000,"
                + " 019ca956-1c00-8000-0000-000000000000",
        "019ca9561c007abc8def0123456789a, 019ca956-1c00-7abc-8def-0123456789a0,"
                + " 019ca956-1c00-7abc-8def-0123456789b0",
    })
    void eight_leading_digits_or_more_are_a_range(String q, UUID low, UUID high) {
        assertThat(of(q)).isEqualTo(new EventIdPattern.IdPrefix(new IdRange(low, high)));
    }

    @ParameterizedTest
    @CsvSource({
        "7abc,          false", // fewer than eight digits
        "019ca95,       false",
        "0123456789ab,  false", // a time before 2020
        "deadbeef,      false", // a time more than ten years ahead
        "ffffffffffff,  false",
        "-,             true",
        "1c00-7abc,     true",
        "019ca956-1c007, true", // no id has a hyphen there
    })
    void anything_else_may_stand_anywhere(String q, boolean isDashed) {
        assertThat(of(q)).isEqualTo(new EventIdPattern.IdSubstring(q, isDashed));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"xyz", "019ca956%", "_", "' or 1=1", "019ca9561c007abc8def0123456789abc"})
    void what_no_id_can_have_is_nowhere(String q) {
        assertThat(of(q)).isEqualTo(new EventIdPattern.ImpossibleId());
    }
}
