package dev.sluice.gateway.connection;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.platform.json.FieldError;
import dev.sluice.platform.json.InvalidFieldsException;
import dev.sluice.platform.json.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Collections;
import java.util.List;

/// Which transformations are accepted, and the error messages for all others.
class TransformationParserTest {

    private static final CustomHeaderRules HEADER_RULES = CustomHeaderRules.withPrefix("X-Service");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'x': 1}                                   | x | is not a known field.",
                "{'set_headers': {}}                        | set_headers | must be a list of 0 to"
                        + " 50 objects.",
                "{'set_headers': [{}, 1]}                   | set_headers.1 | must be an object.",
                "{'set_headers': [{}]}                      | set_headers.0.name | is required.",
                "{'set_headers': [{}]}                      | set_headers.0.value | is required.",
                "{'set_headers': [{'name': 'a b'}]}         | set_headers.0.name | must be a header"
                        + " name of at most 200 characters (RFC 9110).",
                "{'set_headers': [{'name': 'host'}]}        | set_headers.0.name | must not be"
                        + " host: HTTP itself uses it.",
                "{'set_headers': [{'value': 1}]}            | set_headers.0.value | must be a"
                        + " string.",
                "{'set_headers': [{'value': 'a\\nb'}]}      | set_headers.0.value | must be text"
                        + " without control characters, and without spaces at its ends.",
                "{'set_headers': [{'value': ' a'}]}         | set_headers.0.value | must be text"
                        + " without control characters, and without spaces at its ends.",
                "{'set_headers': [{'value': '\\ud800'}]}    | set_headers.0.value | must be text"
                        + " without control characters, and without spaces at its ends.",
                "{'set_headers': [{'value': '{{event_id}}'}]} | set_headers.0.value | has the"
                    + " unknown placeholder {{event_id}}; use one of {{event.id}}, {{source.name}},"
                    + " {{timestamp}}.",
                "{'set_headers': [{'z': 1}]}                | set_headers.0.z | is not a known"
                        + " field.",
                "{'rename_headers': [{'from': 'a'}]}        | rename_headers.0.to | is required.",
                "{'rename_headers': [{'to': 'TE'}]}         | rename_headers.0.to | must not be TE:"
                        + " HTTP itself uses it.",
                "{'rename_headers': [{'from': 'Host'}]}     | rename_headers.0.from | must not be"
                        + " Host: HTTP itself uses it.",
                "{'remove_headers': 'a'}                    | remove_headers | must be a list of 0"
                        + " to 50 strings.",
                "{'remove_headers': ['a', 'b c']}           | remove_headers.1 | must be a header"
                        + " name of at most 200 characters (RFC 9110).",
                "{'remove_headers': ['Content-Length']}     | remove_headers.0 | must not be"
                        + " Content-Length: HTTP itself uses it.",
                "{'set_headers': [{'name': 'Transfer_Encoding'}]} | set_headers.0.name | must not"
                        + " be Transfer_Encoding: HTTP itself uses it.",
                "{'set_headers': [{'name': 'x_service-HOP'}]} | set_headers.0.name | must not be"
                        + " x_service-HOP: Sluice sets it on deliveries.",
                "{'rename_headers': [{'to': 'X-Service-Hop'}]} | rename_headers.0.to | must not be"
                        + " X-Service-Hop: Sluice sets it on deliveries.",
                "{'rename_headers': [{'from': 'X-Service-Hop'}]} | rename_headers.0.from | must not"
                        + " be X-Service-Hop: Sluice sets it on deliveries.",
                "{'remove_headers': ['X-Service-Event-Id']} | remove_headers.0 | must not be"
                        + " X-Service-Event-Id: Sluice sets it on deliveries.",
                "{'merge_body_fields': []}                  | merge_body_fields | must be an"
                        + " object.",
                "{'merge_body_fields': 'a'}                 | merge_body_fields | must be an"
                        + " object.",
            })
    void what_is_wrong_is_named_by_its_place(String json, String field, String message) {
        String full = "transformation." + field;

        assertThat(errors(json)).contains(new FieldError(full, full + " " + message));
    }

    @Test
    void sizes_have_bounds() {
        String rule = "{'name':'X-A','value':'1'}";
        String names = String.join(",", Collections.nCopies(51, "'X-A'"));
        String rules = String.join(",", Collections.nCopies(51, rule));
        var fields = new StringBuilder("'f0':0");
        for (int i = 1; i <= 100; i++) {
            fields.append(",'f").append(i).append("':0");
        }

        assertThat(errors("{'set_headers':[" + rules + "]}")).hasSize(1);
        assertThat(errors("{'remove_headers':[" + names + "]}")).hasSize(1);
        assertThat(errors("{'set_headers':[{'name':'X-A','value':'" + "v".repeat(4096) + "'}]}"))
                .isEmpty();
        assertThat(errors("{'set_headers':[{'name':'X-A','value':'" + "v".repeat(4097) + "'}]}"))
                .hasSize(1);
        assertThat(errors("{'remove_headers':['" + "n".repeat(201) + "']}")).hasSize(1);
        assertThat(errors("{'merge_body_fields':{" + fields + "}}")).hasSize(1);
        assertThat(errors("{'merge_body_fields':{'a':'" + "v".repeat(16 * 1024) + "'}}"))
                .hasSize(1);
    }

    @Test
    void everything_may_be_left_out() {
        assertThat(errors("{}")).isEmpty();
        assertThat(
                        errors(
                                "{'set_headers':[],'rename_headers':[],'remove_headers':[],"
                                        + "'merge_body_fields':{}}"))
                .isEmpty();
    }

    @Test
    void what_is_there_cannot_be_null() {
        assertThat(
                        errors(
                                "{'set_headers':null,'rename_headers':null,'remove_headers':null,"
                                        + "'merge_body_fields':null}"))
                .extracting(FieldError::message)
                .containsExactlyInAnyOrder(
                        "transformation.set_headers cannot be null.",
                        "transformation.rename_headers cannot be null.",
                        "transformation.remove_headers cannot be null.",
                        "transformation.merge_body_fields must be an object.");
    }

    private static Transformation transformation(String json) {
        var input =
                Json.fieldReader(
                        ("{\"transformation\":" + json.replace('\'', '"') + "}").getBytes(UTF_8));
        var transformation = TransformationParser.read(input, HEADER_RULES);
        input.check();
        return transformation.toOptional().orElseThrow();
    }

    private static List<FieldError> errors(String json) {
        try {
            var _ = transformation(json);
            return List.of();
        } catch (InvalidFieldsException e) {
            return e.errors();
        }
    }
}
