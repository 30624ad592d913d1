package dev.sluice.platform.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.HexFormat;

class JsonDocumentTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "x",
                "{",
                "{}}",
                "{} {}",
                "1 2",
                "[1,]",
                "{'a':1,}",
                "{a:1}",
                "01",
                "+1",
                "1.",
                ".5",
                "NaN",
                "Infinity",
                "nul",
                "'abc",
                "'\\x'",
                "'\\u12'",
                "[1] // no",
                "/* no */ 1",
                "a=1&b=2",
                "<xml/>"
            })
    void what_is_not_one_json_value_is_not_json(String text) {
        assertThat(JsonDocument.read(bytes(text))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "c328",
                "22c328 22",
                "22eda08022",
                "22c08022",
                "1f8b08000000",
                "0031",
                "3100"
            })
    void bytes_that_are_not_utf8_are_not_json(String hex) {
        assertThat(JsonDocument.read(HexFormat.of().parseHex(hex.replace(" ", "")))).isEmpty();
    }

    @Test
    void other_encodings_are_not_json() {
        assertThat(JsonDocument.read("{}".getBytes(UTF_16BE))).isEmpty();
        assertThat(JsonDocument.read("{}".getBytes(UTF_16LE))).isEmpty();
    }

    @Test
    void a_byte_order_mark_is_skipped_once() {
        var document =
                JsonDocument.read("\ufeff{\"a\": {\"b\": [1, \"x\"]}}".getBytes(UTF_8))
                        .orElseThrow();
        var list = document.root().member("a").orElseThrow().member("b").orElseThrow();

        assertThat(list.raw().text()).isEqualTo("[1, \"x\"]");
        assertThat(list.element(1).orElseThrow().string()).hasValue("x");
        assertThat(JsonDocument.read("\ufeff\ufeff{}".getBytes(UTF_8))).isEmpty();
        assertThat(JsonDocument.read("\ufeff".getBytes(UTF_8))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"1", " \t\r\n{ } \n", "null", "'x'", "[[],{}]", "-0", "1e400", "'\\ud800'"})
    void any_value_may_stand_alone(String text) {
        assertThat(JsonDocument.read(bytes(text))).isPresent();
    }

    @Test
    void nesting_has_a_limit() {
        assertThat(JsonDocument.read(bytes("[".repeat(500) + "]".repeat(500)))).isPresent();
        assertThat(JsonDocument.read(bytes("[".repeat(501) + "]".repeat(501)))).isEmpty();
    }

    @Test
    void numbers_have_a_limit() {
        assertThat(JsonDocument.read(bytes("9".repeat(1000)))).isPresent();
        assertThat(JsonDocument.read(bytes("9".repeat(1001)))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{'a':", "[1,", "9", "'", "[[],", "{'a':{},", "\\"})
    void a_megabyte_of_anything_is_read_in_no_time(String part) {
        byte[] hostile = bytes(part.repeat((1 << 20) / part.length()));

        assertTimeoutPreemptively(
                Duration.ofSeconds(5), () -> assertThat(JsonDocument.read(hostile)).isEmpty());
    }

    @Test
    void a_long_name_is_no_reason_to_refuse_a_document() {
        String name = "n".repeat(200_000);

        assertThat(root("{'" + name + "': 1}").member(name)).isPresent();
    }

    @Test
    void a_member_is_found_whatever_stands_before_it() {
        var root = root("{'x': [1, {'a': 2}, '}'], 'y': {'a': {'a': 3}}, 'a': 'found'}");

        assertThat(root.member("a").flatMap(JsonValue::string)).contains("found");
        assertThat(root.member("b")).isEmpty();
        assertThat(root("[1]").member("a")).isEmpty();
    }

    @Test
    void the_last_member_of_a_name_counts() {
        assertThat(root("{'a': 1, '\\u0061': 2, 'b': 3}").member("a").map(v -> v.raw().text()))
                .contains("2");
    }

    @ParameterizedTest
    @CsvSource({
        "'{\"a\\u002eb\": 1}', a.b",
        "'{\"\\ud83d\\ude00\": 1}', \ud83d\ude00",
        "'{\"\ud83d\ude00\": 1}', \ud83d\ude00",
        "'{\"a\\\\b\": 1}', a\\b",
        "'{\"a\\/b\": 1}', a/b",
        "'{\"caf\u00e9\": 1}', caf\u00e9",
        "'{\"aa\": 0, \"a\": 1}', a",
    })
    void names_are_compared_as_they_read(String text, String name) {
        assertThat(JsonDocument.read(text.getBytes(UTF_8)).orElseThrow().root().member(name))
                .map(value -> value.raw().text())
                .contains("1");
    }

    @Test
    void elements_are_found_by_their_index() {
        var root = root("[[1, 2], 'b', {'c': 3}]");

        assertThat(root.element(1).flatMap(JsonValue::string)).contains("b");
        assertThat(root.element(2).map(value -> value.raw().text())).contains("{\"c\": 3}");
        assertThat(root.element(3)).isEmpty();
        assertThat(root("{'0': 1}").element(0)).isEmpty();
    }

    @Test
    void strings_are_read_without_their_escapes() {
        assertThat(root("'\\u0000\\b\\f\\n\\r\\t\\/\\\\\\u00e9\\ud83d\\ude00x'").string())
                .contains("\0\b\f\n\r\t/\\\u00e9\ud83d\ude00x");
    }

    @ParameterizedTest
    @CsvSource({
        "7, 7.0",
        "7, 0.7e1",
        "-0, 0",
        "1e400, 10e399",
        "12345678901234567890.10, 12345678901234567890.1",
        "0e999999999, 0",
    })
    void numbers_are_the_same_by_value(String left, String right) {
        assertThat(JsonMatcher.of(root(right)).matches(root(left))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "9007199254740993, 9007199254740992",
        "1e999999999, 1e999999998",
        "1e99999999999, 1e99999999999",
        "0.1, 0.10000000000000001",
        "1, true",
    })
    void other_numbers_are_not(String left, String right) {
        assertThat(JsonMatcher.of(root(right)).matches(root(left))).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "[1, 'a', null]        | [1.0, 'a', null]     | true",
                "[1, 2]                | [2, 1]               | false",
                "[1]                   | [1, 2]               | false",
                "[1, 2]                | [1]                  | false",
                "{'a': 1, 'b': [2]}    | {'b': [2.0], 'a': 1} | true",
                "{'a': 1}              | {'a': 1, 'b': 2}     | false",
                "{'a': 1, 'b': 2}      | {'a': 1}             | false",
                "{'a': 9, 'a': 1}      | {'a': 1}             | true",
                "{}                    | []                   | false",
                "null                  | false                | false",
            })
    void lists_are_the_same_in_order_and_objects_in_any(String left, String right, boolean same) {
        assertThat(JsonMatcher.of(root(right)).matches(root(left))).isEqualTo(same);
    }

    @Test
    void effort_has_a_limit_beyond_which_there_is_no_result() {
        byte[] text = bytes("[" + "0,".repeat(10_000) + "1]");
        var effort = Effort.of(500_000);
        var limited = JsonDocument.read(text, effort).orElseThrow().root();
        var one = JsonMatcher.of(root("1"));

        assertThat(limited.anyElement(one::matches)).isTrue();
        assertThatExceptionOfType(EffortSpentException.class)
                .isThrownBy(() -> limited.anyElement(one::matches));
        assertThatExceptionOfType(EffortSpentException.class)
                .as("whatever comes after it")
                .isThrownBy(() -> limited.element(1));
        assertThat(effort.spent()).isBetween(500_000L, 500_200L);
    }

    @Test
    void a_document_takes_no_more_than_a_few_times_its_text() {
        byte[] text = bytes("[" + "1,".repeat((1 << 19) - 1) + "1]");

        var document = JsonDocument.read(text).orElseThrow();

        assertThat(document.entries()).isLessThan(text.length);
    }

    private static JsonValue root(String text) {
        return JsonDocument.read(bytes(text)).orElseThrow().root();
    }

    private static byte[] bytes(String text) {
        return text.replace('\'', '"').getBytes(UTF_8);
    }
}
