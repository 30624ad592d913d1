package dev.sluice.platform.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class JsonMergerTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "{}|{'x':1}|{'x':1}",
                "{ }|{'x':1}|{'x':1 }",
                "{'a':1}|{'x':1}|{'a':1,'x':1}",
                "{'a' : 1 }|{'x':1,'y':[ 2 ]}|{'a' : 1,'x':1,'y':[ 2 ] }",
                " {'a':1}\t|{'a':2}| {'a':2}\t",
                "{'a': 1 ,'b':2}|{'a':'new'}|{'a': 'new' ,'b':2}",
                "{'a':{'b':[1,{'c':'}'}]},'d':2}|{'a':null}|{'a':null,'d':2}",
                "{'a':'\\'],','d':2}|{'a':0}|{'a':0,'d':2}",
                "{'a':1,'b':2,'a':3,'c':4}|{'a':9}|{'a':9,'b':2,'c':4}",
                "{'a':1 , 'a':3 }|{'a':9}|{'a':9 }",
                "{'a':1,'a':2,'a':3}|{'a':9,'b':8}|{'a':9,'b':8}",
                "{'\\u0061':1}|{'a':2}|{'\\u0061':2}",
                "{'a':1,'\\u0061':5}|{'a':2}|{'a':2}",
                "{'n':12345678901234567890.10,'e':1e400,'z':-0}|{'x':1}"
                        + "|{'n':12345678901234567890.10,'e':1e400,'z':-0,'x':1}",
                "{'s':'\\u00e9\\/\\ud83d'}|{'x':1.50}|{'s':'\\u00e9\\/\\ud83d','x':1.50}",
                "{'\ud83d\ude00':1,'\u00e9':'\u00e9'}|{'\ud83d\ude00':2}"
                        + "|{'\ud83d\ude00':2,'\u00e9':'\u00e9'}",
                "{'A':1}|{'a':2}|{'A':1,'a':2}",
                "{'a':{'x':1}}|{'x':2}|{'a':{'x':1},'x':2}",
                "{'a':1}|{}|{'a':1}",
                "\ufeff{'a':1,'b':[2]}|{'a':9,'x':3}|\ufeff{'a':9,'b':[2],'x':3}",
            })
    void members_are_put_in_and_nothing_else_changes(String text, String fields, String merged) {
        assertThat(merge(text, fields)).isEqualTo(merged.replace('\'', '"'));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "hello",
                "[{'a':1}]",
                "'a'",
                "1",
                "null",
                "{'a':1",
                "{'a':1}}",
                "{'a':1} {'b':2}",
                "{'a':1}x",
                "{'a':'b",
                "{'a':tru",
                "{'a':1,}",
                "{'a':",
                "{",
                "a=1&b=2",
                "<a/>"
            })
    void what_is_no_json_object_stays_as_it_is(String text) {
        byte[] bytes = text.replace('\'', '"').getBytes(UTF_8);

        assertThat(fields("{'a':2}").into(bytes)).isSameAs(bytes);
    }

    @Test
    void bytes_that_are_not_utf8_stay_as_they_are() {
        byte[] invalid = {'{', '"', 'a', '"', ':', '"', (byte) 0xc3, '"', '}'};
        byte[] markedTwice = "\ufeff\ufeff{}".getBytes(UTF_8);

        assertThat(fields("{'a':2}").into(invalid)).isSameAs(invalid);
        assertThat(fields("{'a':2}").into(markedTwice)).isSameAs(markedTwice);
    }

    @Test
    void a_thousand_repeats_of_a_name_do_not_grow_the_body() {
        String text = "{" + "'a':1,".repeat(150_000) + "'b':2}";
        String value = "x".repeat(15_000);

        assertTimeoutPreemptively(
                Duration.ofSeconds(5),
                () ->
                        assertThat(merge(text, "{'a':'" + value + "'}"))
                                .isEqualTo("{\"a\":\"" + value + "\",\"b\":2}"));
    }

    /// Merges into random objects with irregular whitespace. Unnamed members must stay byte for
    /// byte, named ones must have the new value, and the result must be valid JSON.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whatever_the_object_only_the_named_members_change(long seed) {
        var random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            var members = new ArrayList<String>();
            var kept = new ArrayList<String>();
            for (int i = random.nextInt(7); i > 0; i--) {
                String name = NAMES.get(random.nextInt(NAMES.size()));
                String member = name + space(random) + ":" + space(random) + value(random, 3);
                members.add(member);
                if (!name.equals("\"a\"") && !name.equals("\"\\u0061\"")) {
                    kept.add(member);
                }
            }
            String text =
                    space(random)
                            + "{"
                            + space(random)
                            + String.join(space(random) + "," + space(random), members)
                            + space(random)
                            + "}"
                            + space(random);

            String merged = merge(text, "{'a': 1e2}");

            var root = JsonDocument.read(merged.getBytes(UTF_8)).orElseThrow().root();
            assertThat(root.member("a").map(value -> value.raw().text())).contains("1e2");
            int at = 0;
            for (String member : kept) {
                at = merged.indexOf(member, at);
                assertThat(at).as("%s in %s from %s", member, merged, text).isNotNegative();
                at += member.length();
            }
        }
    }

    private static final List<String> NAMES =
            List.of(
                    "\"a\"",
                    "\"\\u0061\"",
                    "\"b\"",
                    "\"a b\"",
                    "\"\\\"\"",
                    "\"\ud83d\ude00\"",
                    "\"\"");

    private static final List<String> SCALARS =
            List.of(
                    "12345678901234567890.10",
                    "1e400",
                    "-0",
                    "0.1E-7",
                    "true",
                    "false",
                    "null",
                    "\"\"",
                    "\"\\\\\"",
                    "\"}],\\\"\"",
                    "\"\\ud800\\u0000\"",
                    "\"\u00e9\ud83d\ude00\"");

    private static String space(Random random) {
        return List.of("", "", " ", "\n\t", "\r\n").get(random.nextInt(5));
    }

    private static String value(Random random, int depth) {
        if (depth == 0 || random.nextInt(3) > 0) {
            return SCALARS.get(random.nextInt(SCALARS.size()));
        }
        return random.nextBoolean()
                ? "[" + space(random) + value(random, depth - 1) + ",{}" + space(random) + "]"
                : "{\"a\"" + space(random) + ":" + value(random, depth - 1) + "}";
    }

    private static String merge(String text, String fields) {
        byte[] merged = fields(fields).into(text.replace('\'', '"').getBytes(UTF_8));
        return new String(merged, UTF_8);
    }

    private static JsonMerger fields(String json) {
        return JsonMerger.of(
                JsonDocument.read(json.replace('\'', '"').getBytes(UTF_8)).orElseThrow().root());
    }
}
