package dev.sluice.gateway.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.Effort;
import dev.sluice.platform.json.FieldError;
import dev.sluice.platform.json.InvalidFieldsException;
import dev.sluice.platform.json.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class FilterTest {

    private static final String BODY =
            """
            {"text": "Hello World", "empty": "", "number": 7, "float": 7.50, "big": 12345678901234567890,
             "yes": true, "no": false, "null": null,
             "list": [1, "two", 3.0, null, true, {"k": 1}], "object": {"a": {"b": 5}},
             "items": [{"sku": "A-1"}, {"sku": "B-2"}],
             "a.b": 1, "a\\\\b": 2, "10": "ten", "emoji": "\\ud83d\\ude00", "twice": 1, "twice": 2}
            """;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                // eq
                "body.text    | eq | 'Hello World'        | true",
                "body.text    | eq | 'hello world'        | false",
                "body.empty   | eq | ''                   | true",
                "body.number  | eq | 7                    | true",
                "body.number  | eq | 7.0                  | true",
                "body.number  | eq | 0.7e1                | true",
                "body.number  | eq | '7'                  | false",
                "body.float   | eq | 7.5                  | true",
                "body.big     | eq | 12345678901234567890 | true",
                "body.big     | eq | 12345678901234567891 | false",
                "body.yes     | eq | true                 | true",
                "body.yes     | eq | 'true'               | false",
                "body.yes     | eq | 1                    | false",
                "body.no      | eq | false                | true",
                "body.null    | eq | null                 | true",
                "body.missing | eq | null                 | false",
                "body.list    | eq | 1                    | false",
                "body.object  | eq | {'a': {'b': 5.0}}    | true",
                "body.twice   | eq | 2                    | true",
                "body.twice   | eq | 1                    | false",
                // ne is the negation of eq
                "body.text    | ne | 'Hello World'        | false",
                "body.number  | ne | 7.0                  | false",
                "body.number  | ne | '7'                  | true",
                "body.missing | ne | 'x'                  | true",
                "body.missing | ne | null                 | true",
                "body.null    | ne | null                 | false",
                // contains
                "body.text    | contains | 'lo Wo'        | true",
                "body.text    | contains | ''             | true",
                "body.text    | contains | 'lo wo'        | false",
                "body.number  | contains | 7              | false",
                "body.number  | contains | '7'            | false",
                "body.list    | contains | 1              | true",
                "body.list    | contains | 3              | true",
                "body.list    | contains | '1'            | false",
                "body.list    | contains | 'two'          | true",
                "body.list    | contains | 'tw'           | false",
                "body.list    | contains | null           | true",
                "body.list    | contains | {'k': 1}       | true",
                "body.list    | contains | false          | false",
                "body.object  | contains | 'a'            | false",
                "body.missing | contains | ''             | false",
                // exists
                "body.text    | exists | true             | true",
                "body.null    | exists | true             | true",
                "body.null    | exists | false            | false",
                "body.missing | exists | true             | false",
                "body.missing | exists | false            | true",
                "body.text.x  | exists | false            | true",
                // gt, lt
                "body.number  | gt | 6.99                 | true",
                "body.number  | gt | 7                    | false",
                "body.number  | lt | 7.01                 | true",
                "body.number  | lt | 7                    | false",
                "body.number  | lt | 1e999999999          | true",
                "body.number  | gt | '6'                  | false",
                "body.number  | lt | '8'                  | false",
                "body.text    | gt | 'Hello'              | true",
                "body.text    | lt | 'hello'              | true",
                "body.text    | gt | 5                    | false",
                "body.emoji   | gt | '\uffff'             | true",
                "body.null    | lt | 1                    | false",
                "body.missing | lt | 1                    | false",
                "body.yes     | gt | 0                    | false",
                // in
                "body.text    | in | ['a', 'Hello World'] | true",
                "body.number  | in | ['7', 8]             | false",
                "body.number  | in | ['7', 7.0]           | true",
                "body.null    | in | [null]               | true",
                "body.missing | in | [null]               | false",
                "body.list    | in | [1]                  | false",
                // paths into the body
                "body.object.a.b    | eq | 5              | true",
                "body.object.a      | eq | 5              | false",
                "body.items.0.sku   | eq | 'A-1'          | true",
                "body.items.1.sku   | eq | 'B-2'          | true",
                "body.items.2.sku   | exists | false      | true",
                "body.items.01.sku  | exists | false      | true",
                "body.items.-1.sku  | exists | false      | true",
                "body.items.sku     | exists | false      | true",
                "body.10            | eq | 'ten'          | true",
                "body.a\\.b         | eq | 1              | true",
                "body.a.b           | exists | false      | true",
                "body.a\\\\b        | eq | 2              | true",
                "body.a\\b          | eq | 2              | true",
                "body.Text          | exists | false      | true",
            })
    void a_rule_on_the_body(String path, String op, String value, boolean passes) {
        assertThat(matches(rule(path, op, value), subject(BODY))).isEqualTo(passes);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "headers.X-Topic         | eq       | 'orders/create'  | true",
                "headers.x-topic         | eq       | 'orders/create'  | true",
                "headers.X-TOPIC         | contains | 'orders'         | true",
                "headers.x-topic         | ne       | 'orders/create'  | false",
                "headers.x-many          | eq       | 'a, b, c'        | true",
                "headers.x-many          | contains | 'b, c'           | true",
                "headers.x-number        | eq       | 7                | false",
                "headers.x-number        | eq       | '7'              | true",
                "headers.x-number        | gt       | 6                | false",
                "headers.x-number        | gt       | '6'              | true",
                "headers.x-number        | in       | [7, '7']         | true",
                "headers.x-empty         | exists   | true             | true",
                "headers.x-empty         | eq       | ''               | true",
                "headers.x-missing       | exists   | true             | false",
                "headers.x-missing       | ne       | 'x'              | true",
                "headers.x-utf           | eq       | 'caf\u00e9'      | true",
                "headers.x-latin         | eq       | 'caf\u00e9'      | true",
                "headers.x.dot           | eq       | 'd'              | true",
                "headers.x\\.dot         | eq       | 'd'              | true",
            })
    void a_rule_on_the_headers(String path, String op, String value, boolean passes) {
        assertThat(matches(rule(path, op, value), subject("not json"))).isEqualTo(passes);
    }

    @Test
    void json_behind_a_byte_order_mark_is_read() {
        var marked = subject("\ufeff{\"number\": 7}");

        assertThat(matches(rule("body.number", "eq", "7"), marked)).isTrue();
        assertThat(matches(rule("body.number", "eq", "8"), marked)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "text", "{'number': 7", "{'number': 7} x"})
    void in_a_payload_that_is_not_json_every_path_is_missing(String body) {
        var input = subject(body.replace('\'', '"'));

        assertThat(matches(rule("body.number", "exists", "false"), input)).isTrue();
        assertThat(matches(rule("body.number", "ne", "1"), input)).isTrue();
        assertThat(matches(rule("body.number", "eq", "7"), input)).isFalse();
    }

    @Test
    void a_payload_that_is_a_list_has_its_indexes() {
        assertThat(matches(rule("body.1.a", "eq", "2"), subject("[0, {\"a\": 2}]"))).isTrue();
    }

    @Test
    void exists_asks_for_presence_when_it_has_no_value() {
        var filter = filter("{'operator':'and','rules':[{'path':'body.text','op':'exists'}]}");

        assertThat(matches(filter, subject(BODY))).isTrue();
        assertThat(matches(filter, subject("{}"))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "and, 1, 2, false",
        "and, 1, 1, true",
        "or,  1, 2, true",
        "or,  2, 1, true",
        "or,  2, 2, false",
    })
    void rules_combine(String operator, int first, int second, boolean passes) {
        var filter =
                filter(
                        """
                        {'operator':'%s','rules':[{'path':'body.a','op':'eq','value':%d},
                                                  {'path':'body.b','op':'eq','value':%d}]}
                        """
                                .formatted(operator, first, second));

        assertThat(matches(filter, subject("{\"a\":1,\"b\":1}"))).isEqualTo(passes);
    }

    @ParameterizedTest
    @CsvSource({
        "'{\"a\":1,\"b\":2}', true",
        "'{\"a\":1,\"c\":3}', true",
        "'{\"a\":1}',         false",
        "'{\"b\":2,\"c\":3}', false",
    })
    void groups_nest_one_level(String body, boolean passes) {
        var filter =
                filter(
                        """
                        {'operator':'and','rules':[
                          {'path':'body.a','op':'eq','value':1},
                          {'operator':'or','rules':[{'path':'body.b','op':'eq','value':2},
                                                    {'path':'body.c','op':'eq','value':3}]}]}
                        """);

        assertThat(matches(filter, subject(body))).isEqualTo(passes);
    }

    @Test
    void a_filter_is_written_as_it_was_given() {
        String given =
                "{ \"rules\":[ {\"value\":1.50e2,\"op\":\"eq\",\n\"path\":\"body.a\"}],"
                        + "\"operator\":\"or\"}";

        assertThat(filter(given).json().text()).isEqualTo(given);
        assertThat(Filter.parseStored(given).json().text()).isEqualTo(given);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{}                                             | operator | is required.",
                "{'operator':'xor','rules':[]}                  | operator | must be one of and,"
                        + " or.",
                "{'operator':'and'}                             | rules | is required.",
                "{'operator':'and','rules':[]}                  | rules | must be a list of 1 to 50"
                        + " objects.",
                "{'operator':'and','rules':[1]}                 | rules.0 | must be an object.",
                "{'operator':'and','rules':{},'x':1}            | x | is not a known field.",
                "{'operator':'and','rules':[{}]}                | rules.0.path | is required.",
                "{'operator':'and','rules':[{}]}                | rules.0.op | is required.",
                "{'operator':'and','rules':[{'path':'a'}]}      | rules.0.path | must start with"
                        + " body. or headers. and name a field.",
                "{'operator':'and','rules':[{'path':'body'}]}   | rules.0.path | must start with"
                        + " body. or headers. and name a field.",
                "{'operator':'and','rules':[{'path':'body.'}]}  | rules.0.path | must not have an"
                        + " empty step.",
                "{'operator':'and','rules':[{'path':'body.a..b'}]} | rules.0.path | must not have"
                        + " an empty step.",
                "{'operator':'and','rules':[{'path':'headers.a b'}]} | rules.0.path | must have the"
                        + " name of a header after headers. (RFC 9110).",
                "{'operator':'and','rules':[{'path':7}]}        | rules.0.path | must be a string.",
                "{'operator':'and','rules':[{'op':'matches'}]}  | rules.0.op | must be one of"
                        + " contains, eq, exists, gt, in, lt, ne.",
                "{'operator':'and','rules':[{'op':'eq'}]}       | rules.0.value | is required.",
                "{'operator':'and','rules':[{'op':'exists','value':1}]} | rules.0.value | must be"
                        + " true or false for exists.",
                "{'operator':'and','rules':[{'op':'gt','value':true}]}  | rules.0.value | must be a"
                        + " number or a string for gt.",
                "{'operator':'and','rules':[{'op':'lt','value':null}]}  | rules.0.value | must be a"
                        + " number or a string for lt.",
                "{'operator':'and','rules':[{'op':'in','value':'a'}]}   | rules.0.value | must be a"
                        + " list for in.",
                "{'operator':'and','rules':[{'op':'in','value':[]}]}    | rules.0.value | must be a"
                        + " list of 1 to 100 values.",
                "{'operator':'and','rules':[{'z':1}]}           | rules.0.z | is not a known"
                        + " field.",
                "{'operator':'and','rules':[{'operator':'or','rules':[{'rules':[]}]}]} |"
                    + " rules.0.rules.0.rules | is not allowed here: groups nest one level deep.",
                "{'operator':'and','rules':[{'operator':'or','rules':[{'rules':null}]}]} |"
                        + " rules.0.rules.0.path | is required.",
                "{'operator':'and','rules':[{'operator':'or','rules':[{'path':'x'}]}]} |"
                    + " rules.0.rules.0.path | must start with body. or headers. and name a field.",
            })
    void what_is_wrong_is_named_by_its_place(String json, String field, String message) {
        assertThat(errors(json))
                .contains(
                        new FieldError(
                                "filter_rules." + field, "filter_rules." + field + " " + message));
    }

    @Test
    void sizes_have_bounds() {
        String rule = "{'path':'body.a','op':'eq','value':1}";
        String group = "{'operator':'or','rules':[" + rule + "," + rule + "]}";
        String path = "body." + "a".repeat(252);
        String deep = "body" + ".a".repeat(33);
        String value = "'" + "v".repeat(8191) + "'";
        String list = "[" + String.join(",", Collections.nCopies(101, "1")) + "]";

        assertThat(errors(rules(Collections.nCopies(50, rule)))).isEmpty();
        assertThat(fields(rules(Collections.nCopies(51, rule)))).containsExactly("rules");
        assertThat(fields(rules(Collections.nCopies(26, group)))).containsExactly("");
        assertThat(fields(one(path, "eq", "1"))).containsExactly("rules.0.path");
        assertThat(fields(one(deep, "eq", "1"))).containsExactly("rules.0.path");
        assertThat(fields(one("body.a", "eq", value))).containsExactly("rules.0.value");
        assertThat(fields(one("body.a", "in", list))).containsExactly("rules.0.value");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{\"a\":", "[1,", "[[],", "9"})
    void a_hostile_payload_costs_little(String part) {
        String body = part.repeat((1 << 20) / part.length());

        assertTimeoutPreemptively(
                Duration.ofSeconds(5),
                () ->
                        assertThat(matches(rule("body.a", "exists", "false"), subject(body)))
                                .isTrue());
    }

    @Test
    void a_report_says_what_it_could_not_decide() {
        var filter =
                filter(
                        rules(
                                List.of(
                                        "{'path':'body.a','op':'eq','value':1}",
                                        "{'path':'body.b','op':'contains','value':2}")));
        String body = "{\"a\":1,\"b\":[" + "1,".repeat(1_000) + "2]}";
        var input = FilterInput.of(List.of(), body.getBytes(UTF_8), Effort.of(2_000));

        assertThat(Json.text(FilterReport.of(filter, input, Set.of())))
                .isEqualTo(
                        """
                        {"passes":null,"is_undecided":true,"operator":"and","rules":[\
                        {"path":"body.a","op":"eq","value":1,"passes":true,"actual":1},\
                        {"path":"body.b","op":"contains","value":2,"passes":null,"is_undecided":true}]}\
                        """);
    }

    @Test
    void reading_ends_with_the_first_rule_too_many() {
        String group = "{'operator':'or','rules':[" + "{},".repeat(49) + "{}]}";

        // The 50 rules of the first group and one of the second each lack path and op.
        assertThat(refusal(rules(Collections.nCopies(50, group))).orElseThrow())
                .hasMessage("filter_rules.rules.0.rules.0.path is required. (and 102 more)");
    }

    private static FilterInput subject(String body) {
        return FilterInput.of(
                List.of(
                        new Header("X-Topic", "orders/create"),
                        new Header("X-Many", "a"),
                        new Header("X-Number", "7"),
                        new Header("x-many", "b, c"),
                        new Header("X-Empty", ""),
                        new Header("X-Utf", new String("caf\u00e9".getBytes(UTF_8), ISO_8859_1)),
                        new Header("X-Latin", "caf\u00e9"),
                        new Header("x.dot", "d")),
                body.getBytes(UTF_8),
                Effort.unlimited());
    }

    private static boolean matches(Filter filter, FilterInput input) {
        return filter.evaluate(input) == FilterResult.PASSES;
    }

    private static Filter rule(String path, String op, String value) {
        return filter(one(path, op, value));
    }

    private static String one(String path, String op, String value) {
        return rules(
                List.of(
                        "{'path':'%s','op':'%s','value':%s}"
                                .formatted(path.replace("\\", "\\\\"), op, value)));
    }

    private static String rules(List<String> rules) {
        return "{'operator':'and','rules':[" + String.join(",", rules) + "]}";
    }

    private static Filter filter(String json) {
        return Filter.parseStored(json.replace('\'', '"'));
    }

    private static List<FieldError> errors(String json) {
        return refusal(json).map(InvalidFieldsException::errors).orElse(List.of());
    }

    private static Optional<InvalidFieldsException> refusal(String json) {
        var input =
                Json.fieldReader(
                        ("{\"filter_rules\":" + json.replace('\'', '"') + "}").getBytes(UTF_8));
        var _ = FilterParser.read(input);
        try {
            input.check();
            return Optional.empty();
        } catch (InvalidFieldsException e) {
            return Optional.of(e);
        }
    }

    private static List<String> fields(String json) {
        return errors(json).stream()
                .map(error -> error.field().replaceFirst("^filter_rules\\.?", ""))
                .toList();
    }
}
