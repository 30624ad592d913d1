package dev.sluice.platform.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

class FieldReaderTest {

    /// @param json JSON with single quotes instead of double quotes
    private static FieldReader form(String json) {
        return Json.fieldReader(json.replace('\'', '"').getBytes(UTF_8));
    }

    private static List<String> complaints(FieldReader input) {
        var refused = catchThrowableOfType(InvalidFieldsException.class, input::check);
        return refused == null
                ? List.of()
                : refused.errors().stream().map(FieldError::message).toList();
    }

    @Test
    void a_field_is_left_out_null_or_a_value() {
        var input = form("{'null': null, 'value': 'x'}");

        assertThat(input.text("absent", 1, 5)).isEqualTo(new Patch.KeepValue<String>());
        assertThat(input.text("null", 1, 5)).isEqualTo(new Patch.ClearValue<String>());
        assertThat(input.text("value", 1, 5)).isEqualTo(new Patch.SetValue<>("x"));
        assertThatNoException().isThrownBy(input::check);
    }

    @Test
    void every_wrong_and_every_unknown_field_is_named_at_once() {
        var input =
                form("{'name': '', 'count': 11, 'colour': 'red', 'on': 1, 'id': 'x', 'kind': 'c'}");
        input.text("name", 1, 200);
        input.integer("count", 1, 10);
        input.bool("on");
        input.uuid("id");
        input.oneOf("kind", Map.of("a", 1));
        input.required("url", input.text("url", 1, 10));

        assertThat(complaints(input))
                .containsExactly(
                        "name must have 1 to 200 characters.",
                        "count must be a whole number from 1 to 10.",
                        "on must be true or false.",
                        "id must be a UUID.",
                        "kind must be one of a.",
                        "url is required.",
                        "colour is not a known field.");
    }

    @Test
    void the_message_of_many_mistakes_is_the_first_ones_and_their_number() {
        var input = form("{'a': 1, 'b': 2, 'c': 3}");

        assertThatExceptionOfType(InvalidFieldsException.class)
                .isThrownBy(input::check)
                .withMessage("a is not a known field. (and 2 more)");
    }

    @Test
    void of_very_many_mistakes_a_hundred_are_named_and_all_are_counted_in_little_time() {
        var json = new StringBuilder("{'f0': 1");
        for (int i = 1; i < 20_000; i++) {
            json.append(", 'f").append(i).append("': 1");
        }
        var input = form(json + "}");
        input.rejectUnknownFields();

        assertTimeoutPreemptively(
                Duration.ofMinutes(1),
                () -> {
                    for (int i = 0; i < 20_000; i++) {
                        input.required("g" + i, input.text("g" + i, 1, 5));
                        input.required("g" + i, input.text("g" + i, 1, 5));
                    }
                });

        var refused =
                catchThrowableOfType(
                        InvalidFieldsException.class, () -> input.rejectUnknownFields().check());
        assertThat(refused.errors()).hasSize(100);
        assertThat(refused).hasMessage("f0 is not a known field. (and 79999 more)");
    }

    @Test
    void a_field_is_given_when_it_is_there_and_not_null() {
        var input = form("{'a': 1, 'b': null}");

        assertThat(input.hasValue("a")).isTrue();
        assertThat(input.hasValue("b")).isFalse();
        assertThat(input.hasValue("c")).isFalse();
    }

    @Test
    void a_required_field_that_is_wrong_is_complained_of_once() {
        var input = form("{'name': 5, 'other': null}");
        input.required("name", input.text("name", 1, 200));
        input.required("other", input.text("other", 1, 200));

        assertThat(complaints(input))
                .containsExactly("name must be a string.", "other is required.");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "'abc', true",
                "'', false",
                "'abcd', false",
                "'🔑🔑🔑', true",
                "5, false",
                "'a\\u0000b', false",
                "['a'], false",
                "true, false"
            })
    void a_text_is_counted_in_characters_and_holds_no_nul(String json, boolean isGood) {
        var input = form("{'f': " + json + "}");
        input.text("f", 1, 3);

        assertThat(complaints(input).isEmpty()).isEqualTo(isGood);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "1, true",
                "10, true",
                "0, false",
                "11, false",
                "1.0, true",
                "1e0, true",
                "99999999999999999999, false",
                "-1, false",
                "true, false",
                "'5', false",
            })
    void a_number_is_whole_and_bounded(String json, boolean isGood) {
        var input = form("{'f': " + json + "}");
        input.integer("f", 1, 10);

        assertThat(complaints(input).isEmpty()).isEqualTo(isGood);
    }

    @Test
    void a_list_of_numbers_is_bounded_in_length_and_each() {
        var input =
                form(
                        "{'good': [1, 2], 'long': [1, 2, 3, 4], 'big': [1, 99], 'text': ['1'],"
                                + " 'none': []}");

        assertThat(input.integers("good", 1, 3, 1, 10))
                .isEqualTo(new Patch.SetValue<>(List.of(1, 2)));
        input.integers("long", 1, 3, 1, 10);
        input.integers("big", 1, 3, 1, 10);
        input.integers("text", 1, 3, 1, 10);
        input.integers("none", 1, 3, 1, 10);

        assertThat(complaints(input))
                .containsExactly(
                        "long must be a list of 1 to 3 whole numbers.",
                        "big.1 must be a whole number from 1 to 10.",
                        "text.0 must be a whole number from 1 to 10.",
                        "none must be a list of 1 to 3 whole numbers.");
    }

    @ParameterizedTest
    @CsvSource({
        "0190a5c4-0000-7000-8000-abcdef012fff, true",
        "0190A5C4-0000-7000-8000-ABCDEF012FFF, true",
        "190a5c4-0-7000-8000-abcdef012fff,     false",
        "0190a5c4000070008000abcdef012fff,     false",
        "'',                                   false",
        "0190a5c4-0000-7000-8000-abcdef012ffg, false",
        "0190a5c4-0000-7000-80000-bcdef012fff, false",
        "+190a5c4-0000-7000-8000-abcdef012fff, false",
    })
    void a_uuid_is_given_in_its_plain_form(String text, boolean isGood) {
        var input = form("{'id': '" + text + "'}");
        var id = input.uuid("id");

        assertThat(complaints(input).isEmpty()).isEqualTo(isGood);
        if (isGood) {
            assertThat(id).isEqualTo(new Patch.SetValue<>(UUID.fromString(text)));
        }
    }

    @Test
    void forms_within_report_their_fields_by_path() {
        var input = form("{'auth': {'type': 5, 'odd': 1}, 'rules': [{'a': 'x'}, {'a': 5}]}");
        var inner = input.nested("auth").toOptional().orElseThrow();
        inner.text("type", 1, 20);
        inner.rejectUnknownFields();
        for (var rule : input.nestedList("rules", 1, 5).orElse(List.of())) {
            rule.text("a", 1, 5);
        }

        assertThat(complaints(input))
                .containsExactly(
                        "auth.type must be a string.",
                        "auth.odd is not a known field.",
                        "rules.1.a must be a string.");
    }

    @Test
    void an_element_of_a_list_is_named_by_its_index() {
        var input = form("{'objects': [{}, 1], 'names': ['a', 2], 'empty': [''], 'text': 'a'}");
        input.nestedList("objects", 0, 5);
        input.stringList("names", 5);
        input.stringList("empty", 5);
        input.stringList("text", 5);

        assertThat(complaints(input))
                .containsExactly(
                        "objects.1 must be an object.",
                        "names.1 must be a string that is not empty.",
                        "empty.0 must be a string that is not empty.",
                        "text must be a list of 0 to 5 strings.");
    }

    @Test
    void what_a_parser_refuses_becomes_the_fields_complaint() {
        var input = form("{'n': 'x', 'm': '5', 'k': 5}");
        input.parsed("n", FieldReaderTest::digits);
        input.parsed("k", FieldReaderTest::digits);

        assertThat(input.parsed("m", FieldReaderTest::digits)).isEqualTo(new Patch.SetValue<>(5));
        assertThat(complaints(input)).containsExactly("n must be digits.", "k must be a string.");
    }

    private static int digits(String text) {
        if (!text.matches("[0-9]+")) {
            throw new IllegalArgumentException("must be digits.");
        }
        return Integer.parseInt(text);
    }

    @Test
    void a_field_that_is_not_there_yet_is_refused_unless_it_is_null() {
        var input = form("{'a': 1, 'b': null}");
        input.reject("a", "is not supported.");
        input.reject("b", "is not supported.");

        assertThat(complaints(input)).containsExactly("a is not supported.");
    }

    @Test
    void a_flat_object_of_strings_keeps_its_order() {
        var input = form("{'headers': {'z': '1', 'a': '2'}, 'bad': {'x': 1, 'y': 'b', 'z': null}}");

        assertThat(input.stringMap("headers").orElse(Map.of()).keySet()).containsExactly("z", "a");
        input.stringMap("bad");
        assertThat(complaints(input))
                .containsExactly("bad.x must be a string.", "bad.z must be a string.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "[]",
                "5",
                "null",
                "'text'",
                "{",
                "{'a': 1,}",
                "{'a': 1} {}",
                "{'a': 1, 'a': 2}",
                "{a: 1}",
                "{'a': NaN}",
                "{'a': 01}",
                "// x\n{}"
            })
    void what_is_no_json_object_is_malformed(String json) {
        assertThatExceptionOfType(MalformedJsonException.class).isThrownBy(() -> form(json));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[], | 200000 | false",
                "{}, | 200000 | false",
                "1, | 500000 | false",
                "[], | 40000 | true"
            })
    void a_long_body_has_so_many_values_at_most(String value, int count, boolean isRead) {
        String values = value.repeat(count);
        String json = "{'a': [" + values + "0]" + " ".repeat(300_000) + "}";

        if (isRead) {
            assertThatNoException().isThrownBy(() -> form(json));
        } else {
            assertThatExceptionOfType(MalformedJsonException.class)
                    .isThrownBy(() -> form(json))
                    .withMessage("The body has too many JSON values.");
        }
    }

    @Test
    void a_deep_nest_is_malformed_and_not_a_crash() {
        assertThatExceptionOfType(MalformedJsonException.class)
                .isThrownBy(() -> form("{'a':".repeat(100_000)));
    }

    @ParameterizedTest
    @CsvSource({"5, 5", "5.0, 5", "1e1, 10", "10.000, 10", "1e0, 1", "100e-1, 10", "0.5e1, 5"})
    void a_whole_number_may_be_written_with_a_point_or_an_exponent(String written, int read) {
        var input = form("{'n': " + written + ", 'all': [" + written + "]}");

        assertThat(input.integer("n", 1, 10).orElse(-1)).isEqualTo(read);
        assertThat(input.integers("all", 1, 1, 1, 10).orElse(List.of())).containsExactly(read);
        assertThat(input.longInteger("n").orElse(-1L)).isEqualTo(read);
        assertThat(complaints(input)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.5",
                "0.0",
                "-0",
                "11.0",
                "1e99999999",
                "1e-99999999",
                "0e99999999",
                "true",
                "\"5\"",
                "9223372036854775808.0",
                "[5]"
            })
    void what_is_no_whole_number_of_the_range_is_refused(String written) {
        var input = form("{'n': " + written + "}");

        assertThat(input.integer("n", 1, 10).toOptional()).isEmpty();
        assertThat(complaints(input)).containsExactly("n must be a whole number from 1 to 10.");
    }
}
