package dev.sluice.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.cli.shell.CommandException;
import dev.sluice.cli.shell.JsonTree;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/// Tests what is made of the texts of `--filter`.
class FilterExpressionTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    body.type eq order.created     | "path":"body.type","op":"eq","value":"order.created"
                    body.type  ne  "7"             | "path":"body.type","op":"ne","value":"7"
                    body.n gt 99.90                | "path":"body.n","op":"gt","value":99.90
                    body.note contains two words   | "path":"body.note","op":"contains","value":"two words"
                    body.gone eq null              | "path":"body.gone","op":"eq","value":null
                    body.n exists                  | "path":"body.n","op":"exists"
                    headers.X-Test exists false    | "path":"headers.X-Test","op":"exists","value":false
                    headers.X-Count eq 7           | "path":"headers.X-Count","op":"eq","value":"7"
                    headers.X-Count in 7, 8        | "path":"headers.X-Count","op":"in","value":["7","8"]
                    body.n in 7,eight              | "path":"body.n","op":"in","value":[7,"eight"]
                    body.n in ["a,b"]              | "path":"body.n","op":"in","value":["a,b"]
                    {"path": "body.n", "op": "lt"} | "path":"body.n","op":"lt"
                    """)
    void a_rule_is_a_path_an_operator_and_a_value(String text, String rule) {
        assertThat(json(text)).isEqualTo("{\"operator\":\"and\",\"rules\":[{" + rule + "}]}");
    }

    @Test
    void several_filters_must_all_match_and_a_group_alone_stays_as_it_is() {
        String group = "{\"operator\":\"or\",\"rules\":[{\"path\":\"body.a\",\"op\":\"exists\"}]}";

        assertThat(json(group + "\n")).isEqualTo(group);
        assertThat(json("body.b eq 1", group))
                .isEqualTo(
                        "{\"operator\":\"and\",\"rules\":[{\"path\":\"body.b\",\"op\":\"eq\",\"value\":1},"
                                + group
                                + "]}");
        assertThat(FilterExpression.parse(List.of())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "body.type", "body.type=order", "body.type == x", "{\"operator\":"})
    void what_is_no_filter_is_refused_with_an_example(String text) {
        assertThatThrownBy(() -> FilterExpression.parse(List.of(text)))
                .isInstanceOfSatisfying(
                        CommandException.class,
                        refusal -> assertThat(refusal.hint()).contains("body.type eq"));
    }

    private static String json(String... given) {
        return JsonTree.write(FilterExpression.parse(List.of(given)).orElseThrow());
    }
}
