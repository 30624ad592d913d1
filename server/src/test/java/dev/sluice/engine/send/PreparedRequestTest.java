package dev.sluice.engine.send;

import static dev.sluice.engine.send.OutboundRequests.headers;
import static dev.sluice.engine.send.OutboundRequests.to;
import static dev.sluice.engine.send.OutboundRequests.withAuth;
import static dev.sluice.engine.send.OutboundRequests.withBody;
import static dev.sluice.engine.send.OutboundRequests.withCustom;
import static dev.sluice.engine.send.OutboundRequests.withInbound;
import static dev.sluice.engine.send.OutboundRequests.withTransformation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.gateway.connection.Transformation;
import dev.sluice.gateway.connection.TransformationParser;
import dev.sluice.gateway.destination.AuthConfig;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.secret.Secret;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Tests which transformations are accepted and how they change a request.
class PreparedRequestTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00.250Z");
    private static final OutboundHeaderBuilder HEADER_BUILDER =
            new OutboundHeaderBuilder("X-Service");
    private static final OutboundRequest PLAIN_REQUEST = to("https://example.com/hook");

    @Test
    void a_header_keeps_its_place_and_value_under_a_new_name() {
        var request = withInbound(PLAIN_REQUEST, "X-A: 1", "X-Old: 2", "x-old: 3", "X-Z: 4");

        assertThat(sent(request, "{'rename_headers': [{'from': 'X-OLD', 'to': 'X-New'}]}"))
                .isEqualTo(headers("X-A: 1", "X-New: 2", "X-New: 3", "X-Z: 4"));
    }

    @Test
    void a_renamed_header_replaces_those_that_had_the_name() {
        var request = withInbound(PLAIN_REQUEST, "X-New: old", "X-Old: 2", "x-new: older");

        assertThat(sent(request, "{'rename_headers': [{'from': 'X-Old', 'to': 'X-New'}]}"))
                .isEqualTo(headers("X-New: 2"));
    }

    @Test
    void renaming_what_is_not_sent_changes_nothing() {
        var request = withInbound(PLAIN_REQUEST, "X-New: 1");

        assertThat(sent(request, "{'rename_headers': [{'from': 'X-Old', 'to': 'X-New'}]}"))
                .isEqualTo(headers("X-New: 1"));
    }

    @Test
    void renaming_may_change_the_case_alone() {
        var request = withInbound(PLAIN_REQUEST, "x-name: 1");

        assertThat(sent(request, "{'rename_headers': [{'from': 'X-NAME', 'to': 'X-Name'}]}"))
                .isEqualTo(headers("X-Name: 1"));
    }

    @Test
    void rules_are_applied_in_order() {
        var request = withInbound(PLAIN_REQUEST, "X-A: 1");

        assertThat(
                        sent(
                                request,
                                "{'rename_headers': [{'from': 'X-A', 'to': 'X-B'},"
                                        + " {'from': 'X-B', 'to': 'X-C'}]}"))
                .isEqualTo(headers("X-C: 1"));
    }

    @Test
    void headers_are_renamed_then_removed_then_set() {
        var request = withInbound(PLAIN_REQUEST, "X-A: 1", "X-B: 2");

        assertThat(
                        sent(
                                request,
                                "{'set_headers': [{'name': 'X-Gone', 'value': 'set'}],"
                                        + " 'remove_headers': ['x-gone', 'X-B'],"
                                        + " 'rename_headers': [{'from': 'X-A', 'to': 'X-Gone'}]}"))
                .isEqualTo(headers("X-Gone: set"));
    }

    @Test
    void what_is_set_or_renamed_replaces_what_a_cgi_like_receiver_takes_for_it() {
        var request =
                withInbound(PLAIN_REQUEST, "X_Set: sender", "X_New: sender", "X-A: 1", "X_B: 2");

        assertThat(
                        sent(
                                request,
                                "{'set_headers': [{'name': 'X-Set', 'value': 'ours'}],"
                                        + " 'remove_headers': ['X-B'],"
                                        + " 'rename_headers': [{'from': 'X-A', 'to': 'X-New'}]}"))
                .isEqualTo(headers("X-New: 1", "X_B: 2", "X-Set: ours"));
        assertThat(sent(request, "{'rename_headers': [{'from': 'X_B', 'to': 'X-B'}]}"))
                .isEqualTo(headers("X_Set: sender", "X_New: sender", "X-A: 1", "X-B: 2"));
    }

    @Test
    void rules_apply_to_custom_headers_too() {
        var request = withCustom(withInbound(PLAIN_REQUEST, "X-A: 1"), "X-Custom: c", "X-Kept: k");

        assertThat(
                        sent(
                                request,
                                "{'rename_headers': [{'from': 'X-Custom', 'to': 'X-Mine'}],"
                                        + " 'remove_headers': ['X-A']}"))
                .isEqualTo(headers("X-Mine: c", "X-Kept: k"));
    }

    @Test
    void placeholders_are_filled_in() {
        assertThat(
                        sent(
                                PLAIN_REQUEST,
                                "{'set_headers': [{'name': 'X-All', 'value': '{{event.id}} of"
                                        + " {{source.name}} at {{timestamp}} {x}'}]}"))
                .isEqualTo(
                        headers(
                                "X-All: 0190a5c4-0000-7000-8000-000000000000 of Caf\u00c3\u00a9 at"
                                        + " 2026-03-01T12:00:00.250Z {x}"));
    }

    @Test
    void values_go_out_as_utf8() {
        assertThat(sent(PLAIN_REQUEST, "{'set_headers': [{'name': 'X-A', 'value': '\u20ac'}]}"))
                .isEqualTo(headers("X-A: \u00e2\u0082\u00ac"));
    }

    @Test
    void what_is_ours_can_neither_be_set_nor_removed() {
        String rules =
                "{'set_headers': [{'name': 'x-service-event-id', 'value': 'forged'},"
                        + " {'name': 'X-Service-Signature', 'value': 'forged'}],"
                        + " 'remove_headers': ['X-Service-Attempt', 'X-Service-Timestamp'],"
                        + " 'rename_headers': [{'from': 'X-A', 'to': 'X-Service-Delivery-Id'}]}";
        var request =
                withAuth(
                        withInbound(PLAIN_REQUEST, "X-A: forged"),
                        new AuthConfig.HmacAuth(new Secret("s"), Optional.empty()));

        var headers = all(request, rules);

        assertThat(headers)
                .extracting(Header::name)
                .containsExactly(
                        "User-Agent",
                        "X-Service-Event-Id",
                        "X-Service-Delivery-Id",
                        "X-Service-Attempt",
                        "X-Service-Method",
                        "X-Service-Signature",
                        "X-Service-Timestamp",
                        "X-Service-Hop");
        assertThat(headers).extracting(Header::value).doesNotContain("forged");
    }

    /// A transformation that was saved before a name was reserved.
    @Test
    void a_reserved_name_is_neither_set_nor_renamed_to() {
        assertThat(
                        sent(
                                withInbound(PLAIN_REQUEST, "X-A: 7"),
                                "{'set_headers': [{'name': 'Transfer_Encoding', 'value':"
                                        + " 'chunked'}, {'name': 'X_Service_Hop', 'value': '0'}],"
                                        + " 'rename_headers': [{'from': 'X-A', 'to':"
                                        + " 'Content_Length'}]}"))
                .isEmpty();
    }

    @Test
    void authentication_can_neither_be_set_nor_removed() {
        String rules =
                "{'set_headers': [{'name': 'x-api-key', 'value': 'forged'}],"
                        + " 'remove_headers': ['X-Api-Key'],"
                        + " 'rename_headers': [{'from': 'X-Api-Key', 'to': 'X-Other'}]}";
        var request =
                withAuth(PLAIN_REQUEST, new AuthConfig.ApiKeyAuth("X-Api-Key", new Secret("key")));

        assertThat(all(request, rules))
                .filteredOn(header -> header.isNamed("X-Api-Key"))
                .containsExactly(new Header("X-Api-Key", "key"));
        assertThat(all(request, rules)).filteredOn(header -> header.isNamed("X-Other")).isEmpty();
    }

    @Test
    void the_signature_is_over_the_transformed_body() throws TransformationException {
        var auth = new AuthConfig.HmacAuth(new Secret("topsecret"), Optional.empty());
        var plain =
                withAuth(withBody(PLAIN_REQUEST, OutboundRequests.body("{\"a\":1,\"b\":2}")), auth);
        var merged =
                withAuth(
                        withTransformation(
                                withBody(PLAIN_REQUEST, OutboundRequests.body("{\"a\":1}")),
                                transformation("{'merge_body_fields': {'b':2}}"),
                                "Shop"),
                        auth);

        var prepared = PreparedRequest.of(merged, HEADER_BUILDER, NOW);

        assertThat(prepared.body().bytes()).isEqualTo("{\"a\":1,\"b\":2}".getBytes(UTF_8));
        assertThat(prepared.headers())
                .isEqualTo(PreparedRequest.of(plain, HEADER_BUILDER, NOW).headers());
    }

    @ParameterizedTest
    @CsvSource({"'Shop\r\nX-Evil: 1'", "'Shop\n'", "'a\u0000b'", "'a\u007fb'", "'a\u0085b'"})
    void a_value_that_would_break_the_request_ends_the_attempt(String sourceName) {
        var request =
                withTransformation(
                        PLAIN_REQUEST,
                        transformation(
                                "{'set_headers': [{'name': 'X-From', 'value':"
                                        + " '{{source.name}}'}]}"),
                        sourceName);

        assertThatThrownBy(() -> PreparedRequest.of(request, HEADER_BUILDER, NOW))
                .isInstanceOfSatisfying(
                        TransformationException.class,
                        failure ->
                                assertThat(failure.detail())
                                        .isEqualTo(
                                                "The transformation sets the"
                                                        + " header X-From to a value with a control"
                                                        + " character (such as a line break in the"
                                                        + " source's name)"));
    }

    @Test
    void a_transformation_may_remove_or_replace_the_user_agent() {
        assertThat(all(PLAIN_REQUEST, "{'remove_headers': ['user-agent']}"))
                .noneMatch(header -> header.isNamed("User-Agent"));
        assertThat(all(PLAIN_REQUEST, "{'set_headers': [{'name': 'User-Agent', 'value': 'Mine'}]}"))
                .filteredOn(header -> header.isNamed("User-Agent"))
                .containsExactly(new Header("User-Agent", "Mine"));
    }

    /// But for those that say which delivery it is, and the `User-Agent` of a sender without one.
    private static List<Header> sent(OutboundRequest request, String rules) {
        var headers = all(request, rules);
        return headers.subList(0, headers.size() - 5).stream()
                .filter(header -> !header.isNamed("User-Agent"))
                .toList();
    }

    private static List<Header> all(OutboundRequest request, String rules) {
        try {
            return PreparedRequest.of(
                            withTransformation(request, transformation(rules), "Caf\u00e9"),
                            HEADER_BUILDER,
                            NOW)
                    .headers();
        } catch (TransformationException e) {
            throw new AssertionError(e.detail(), e);
        }
    }

    private static Transformation transformation(String json) {
        var input =
                Json.fieldReader(
                        ("{\"transformation\":" + json.replace('\'', '"') + "}").getBytes(UTF_8));
        var transformation = TransformationParser.read(input, CustomHeaderRules.FOR_STORED_ROWS);
        input.check();
        return transformation.toOptional().orElseThrow();
    }
}
