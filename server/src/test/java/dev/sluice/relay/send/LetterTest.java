package dev.sluice.relay.send;

import static dev.sluice.relay.send.Parcels.headers;
import static dev.sluice.relay.send.Parcels.to;
import static dev.sluice.relay.send.Parcels.withAuth;
import static dev.sluice.relay.send.Parcels.withBody;
import static dev.sluice.relay.send.Parcels.withCustom;
import static dev.sluice.relay.send.Parcels.withInbound;
import static dev.sluice.relay.send.Parcels.withTransformation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.gateway.connection.Transformation;
import dev.sluice.gateway.connection.TransformationForm;
import dev.sluice.gateway.destination.Auth;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.FieldError;
import dev.sluice.platform.json.InvalidFields;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.secret.Secret;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/// What a transformation makes of a parcel, and which transformations are let in.
class LetterTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00.250Z");
    private static final OutgoingHeaders OUTGOING = new OutgoingHeaders("X-Service");
    private static final Parcel DULL = to("https://example.com/hook");

    @Test
    void a_header_keeps_its_place_and_value_under_a_new_name() {
        var parcel = withInbound(DULL, "X-A: 1", "X-Old: 2", "x-old: 3", "X-Z: 4");

        assertThat(sent(parcel, "{'rename_headers': [{'from': 'X-OLD', 'to': 'X-New'}]}"))
                .isEqualTo(headers("X-A: 1", "X-New: 2", "X-New: 3", "X-Z: 4"));
    }

    @Test
    void a_renamed_header_replaces_those_that_had_the_name() {
        var parcel = withInbound(DULL, "X-New: old", "X-Old: 2", "x-new: older");

        assertThat(sent(parcel, "{'rename_headers': [{'from': 'X-Old', 'to': 'X-New'}]}"))
                .isEqualTo(headers("X-New: 2"));
    }

    @Test
    void renaming_what_is_not_sent_changes_nothing() {
        var parcel = withInbound(DULL, "X-New: 1");

        assertThat(sent(parcel, "{'rename_headers': [{'from': 'X-Old', 'to': 'X-New'}]}"))
                .isEqualTo(headers("X-New: 1"));
    }

    @Test
    void renaming_may_change_the_case_alone() {
        var parcel = withInbound(DULL, "x-name: 1");

        assertThat(sent(parcel, "{'rename_headers': [{'from': 'X-NAME', 'to': 'X-Name'}]}"))
                .isEqualTo(headers("X-Name: 1"));
    }

    @Test
    void rules_are_applied_in_order() {
        var parcel = withInbound(DULL, "X-A: 1");

        assertThat(
                        sent(
                                parcel,
                                "{'rename_headers': [{'from': 'X-A', 'to': 'X-B'},"
                                        + " {'from': 'X-B', 'to': 'X-C'}]}"))
                .isEqualTo(headers("X-C: 1"));
    }

    @Test
    void headers_are_renamed_then_removed_then_set() {
        var parcel = withInbound(DULL, "X-A: 1", "X-B: 2");

        assertThat(
                        sent(
                                parcel,
                                "{'set_headers': [{'name': 'X-Gone', 'value': 'set'}],"
                                        + " 'remove_headers': ['x-gone', 'X-B'],"
                                        + " 'rename_headers': [{'from': 'X-A', 'to': 'X-Gone'}]}"))
                .isEqualTo(headers("X-Gone: set"));
    }

    @Test
    void rules_apply_to_custom_headers_too() {
        var parcel = withCustom(withInbound(DULL, "X-A: 1"), "X-Custom: c", "X-Kept: k");

        assertThat(
                        sent(
                                parcel,
                                "{'rename_headers': [{'from': 'X-Custom', 'to': 'X-Mine'}],"
                                        + " 'remove_headers': ['X-A']}"))
                .isEqualTo(headers("X-Mine: c", "X-Kept: k"));
    }

    @Test
    void placeholders_are_filled_in() {
        assertThat(
                        sent(
                                DULL,
                                "{'set_headers': [{'name': 'X-All', 'value': '{{event.id}} of"
                                        + " {{source.name}} at {{timestamp}} {x}'}]}"))
                .isEqualTo(
                        headers(
                                "X-All: 0190a5c4-0000-7000-8000-000000000000 of Caf\u00c3\u00a9 at"
                                        + " 2026-03-01T12:00:00.250Z {x}"));
    }

    @Test
    void values_go_out_as_utf8() {
        assertThat(sent(DULL, "{'set_headers': [{'name': 'X-A', 'value': '\u20ac'}]}"))
                .isEqualTo(headers("X-A: \u00e2\u0082\u00ac"));
    }

    @Test
    void what_is_ours_can_neither_be_set_nor_removed() {
        String rules =
                "{'set_headers': [{'name': 'x-service-event-id', 'value': 'forged'},"
                        + " {'name': 'X-Service-Signature', 'value': 'forged'}],"
                        + " 'remove_headers': ['X-Service-Attempt', 'X-Service-Timestamp'],"
                        + " 'rename_headers': [{'from': 'X-A', 'to': 'X-Service-Delivery-Id'}]}";
        var parcel =
                withAuth(
                        withInbound(DULL, "X-A: forged"),
                        new Auth.Hmac(new Secret("s"), Optional.empty()));

        var headers = all(parcel, rules);

        assertThat(headers)
                .extracting(Header::name)
                .containsExactly(
                        "X-Service-Event-Id",
                        "X-Service-Delivery-Id",
                        "X-Service-Attempt",
                        "X-Service-Hop",
                        "X-Service-Signature",
                        "X-Service-Timestamp");
        assertThat(headers).extracting(Header::value).doesNotContain("forged");
    }

    @Test
    void authentication_can_neither_be_set_nor_removed() {
        String rules =
                "{'set_headers': [{'name': 'x-api-key', 'value': 'forged'}],"
                        + " 'remove_headers': ['X-Api-Key'],"
                        + " 'rename_headers': [{'from': 'X-Api-Key', 'to': 'X-Other'}]}";
        var parcel = withAuth(DULL, new Auth.ApiKey("X-Api-Key", new Secret("key")));

        assertThat(all(parcel, rules).getLast()).isEqualTo(new Header("X-Api-Key", "key"));
        assertThat(all(parcel, rules)).filteredOn(header -> header.isNamed("X-Api-Key")).hasSize(1);
        assertThat(all(parcel, rules)).filteredOn(header -> header.isNamed("X-Other")).isEmpty();
    }

    @Test
    void the_signature_is_over_the_transformed_body() throws Failure {
        var auth = new Auth.Hmac(new Secret("topsecret"), Optional.empty());
        var plain = withAuth(withBody(DULL, Parcels.body("{\"a\":1,\"b\":2}")), auth);
        var merged =
                withAuth(
                        withTransformation(
                                withBody(DULL, Parcels.body("{\"a\":1}")),
                                transformation("{'merge_body_fields': {'b':2}}"),
                                "Shop"),
                        auth);

        var letter = Letter.of(merged, OUTGOING, NOW);

        assertThat(letter.body().bytes()).isEqualTo("{\"a\":1,\"b\":2}".getBytes(UTF_8));
        assertThat(letter.headers()).isEqualTo(Letter.of(plain, OUTGOING, NOW).headers());
    }

    @ParameterizedTest
    @CsvSource({"'Shop\r\nX-Evil: 1'", "'Shop\n'", "'a\u0000b'", "'a\u007fb'", "'a\u0085b'"})
    void a_value_that_would_break_the_request_ends_the_attempt(String sourceName) {
        var parcel =
                withTransformation(
                        DULL,
                        transformation(
                                "{'set_headers': [{'name': 'X-From', 'value':"
                                        + " '{{source.name}}'}]}"),
                        sourceName);

        assertThatThrownBy(() -> Letter.of(parcel, OUTGOING, NOW))
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure ->
                                assertThat(failure.code().text() + ": " + failure.detail())
                                        .isEqualTo(
                                                "transformation_failed: The transformation sets the"
                                                        + " header X-From to a value with a control"
                                                        + " character (such as a line break in the"
                                                        + " source's name)"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'x': 1}                                   | x | is not a field here.",
                "{'set_headers': {}}                        | set_headers | must be a list of 0 to"
                        + " 50 objects.",
                "{'set_headers': [1]}                       | set_headers | must be a list of"
                        + " objects.",
                "{'set_headers': [{}]}                      | set_headers.0.name | is required.",
                "{'set_headers': [{}]}                      | set_headers.0.value | is required.",
                "{'set_headers': [{'name': 'a b'}]}         | set_headers.0.name | must be a header"
                        + " name of at most 200 characters (RFC 9110).",
                "{'set_headers': [{'name': 'host'}]}        | set_headers.0.name | must not be"
                        + " host: the connection needs it.",
                "{'set_headers': [{'value': 1}]}            | set_headers.0.value | must be a"
                        + " string.",
                "{'set_headers': [{'value': 'a\\nb'}]}      | set_headers.0.value | must be text"
                        + " without control characters, and without spaces at its ends.",
                "{'set_headers': [{'value': ' a'}]}         | set_headers.0.value | must be text"
                        + " without control characters, and without spaces at its ends.",
                "{'set_headers': [{'value': '\\ud800'}]}    | set_headers.0.value | must be text"
                        + " without control characters, and without spaces at its ends.",
                "{'set_headers': [{'value': '{{event_id}}'}]} | set_headers.0.value | has the"
                    + " unknown placeholder {{event_id}}; there are {{event.id}}, {{source.name}},"
                    + " {{timestamp}}.",
                "{'set_headers': [{'z': 1}]}                | set_headers.0.z | is not a field"
                        + " here.",
                "{'rename_headers': [{'from': 'a'}]}        | rename_headers.0.to | is required.",
                "{'rename_headers': [{'to': 'TE'}]}         | rename_headers.0.to | must not be TE:"
                        + " the connection needs it.",
                "{'rename_headers': [{'from': 'Host'}]}     | rename_headers.0.from | must not be"
                        + " Host: the connection needs it.",
                "{'remove_headers': 'a'}                    | remove_headers | must be a list of"
                        + " strings.",
                "{'remove_headers': ['a', 'b c']}           | remove_headers.1 | must be a header"
                        + " name of at most 200 characters (RFC 9110).",
                "{'remove_headers': ['Content-Length']}     | remove_headers.0 | must not be"
                        + " Content-Length: the connection needs it.",
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

    /// But for those that say which delivery it is.
    private static List<Header> sent(Parcel parcel, String rules) {
        var headers = all(parcel, rules);
        return headers.subList(0, headers.size() - 4);
    }

    private static List<Header> all(Parcel parcel, String rules) {
        try {
            return Letter.of(
                            withTransformation(parcel, transformation(rules), "Caf\u00e9"),
                            OUTGOING,
                            NOW)
                    .headers();
        } catch (Failure e) {
            throw new AssertionError(e.detail(), e);
        }
    }

    private static Transformation transformation(String json) {
        var form =
                Json.form(("{\"transformation\":" + json.replace('\'', '"') + "}").getBytes(UTF_8));
        var transformation = TransformationForm.read(form);
        form.check();
        return transformation.toOptional().orElseThrow();
    }

    private static List<FieldError> errors(String json) {
        try {
            var _ = transformation(json);
            return List.of();
        } catch (InvalidFields e) {
            return e.errors();
        }
    }
}
