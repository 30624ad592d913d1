package dev.sluice.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.util.List;

class IfMatchTest {

    private static final EntityTag CURRENT = new EntityTag("\"abc\"");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*",
                " * ",
                "\"abc\"",
                "\"x\", \"abc\"",
                "\"x\",\"abc\"",
                ",, \"a,b\" ,\t\"abc\" , ",
                "W/\"abc\", \"abc\""
            })
    void a_tag_of_the_list_is_enough(String value) {
        assertThatCode(() -> IfMatch.of(List.of(value)).require(CURRENT, "source"))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"\"", "\"ABC\"", "\"x\", \"y\"", "W/\"abc\"", "\"abc,\"", "\"*\""})
    void another_tag_is_412(String value) {
        assertThatThrownBy(() -> IfMatch.of(List.of(value)).require(CURRENT, "source"))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.error()).isEqualTo(ApiErrorCode.PRECONDITION_FAILED));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                "abc",
                "\"abc",
                "abc\"",
                "\"a\"b\"",
                "\"a\" \"abc\"",
                "\"abc\";",
                "w/\"abc\"",
                "W/abc",
                "W/ \"abc\"",
                "\"abc\", *",
                "**",
                "\"a b\"",
                "\"\u0100\""
            })
    void what_is_no_list_of_tags_is_400(String value) {
        assertThatThrownBy(() -> IfMatch.of(List.of(value)))
                .hasMessageContaining("If-Match")
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.error()).isEqualTo(ApiErrorCode.MALFORMED_REQUEST));
    }

    @Test
    void several_headers_are_one_list_and_none_is_no_condition() {
        assertThatCode(() -> IfMatch.of(List.of("\"x\"", "\"abc\"")).require(CURRENT, "source"))
                .doesNotThrowAnyException();
        assertThatCode(() -> IfMatch.of(List.of()).require(CURRENT, "source"))
                .doesNotThrowAnyException();
    }

    @Test
    void a_weak_tag_is_named_as_the_reason() {
        assertThatThrownBy(() -> IfMatch.of(List.of("W/\"abc\"")).require(CURRENT, "source"))
                .hasMessageContaining("weak");
    }

    @Test
    void a_tag_differs_with_each_microsecond() {
        var time = Instant.parse("2026-01-02T03:04:05.678901Z");

        assertThat(EntityTag.of(time)).isEqualTo(EntityTag.of(time.plusNanos(999)));
        assertThat(EntityTag.of(time)).isNotEqualTo(EntityTag.of(time.plusNanos(1000)));
        assertThat(EntityTag.of(time).text()).matches("\"[0-9a-z]+\"");
    }
}
