package dev.sluice.engine.send;

import static dev.sluice.engine.send.OutboundRequests.headers;
import static dev.sluice.engine.send.OutboundRequests.to;
import static dev.sluice.engine.send.OutboundRequests.withAuth;
import static dev.sluice.engine.send.OutboundRequests.withBody;
import static dev.sluice.engine.send.OutboundRequests.withCustom;
import static dev.sluice.engine.send.OutboundRequests.withInbound;
import static dev.sluice.engine.send.OutboundRequests.withholding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.gateway.destination.AuthConfig;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.http.ServerVersion;
import dev.sluice.platform.secret.Secret;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

class OutboundHeaderBuilderTest {

    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);
    private static final OutboundRequest PLAIN_REQUEST = to("https://example.com/hook");
    private static final List<Header> IDENTITY_HEADERS =
            headers(
                    "X-Service-Event-Id: 0190a5c4-0000-7000-8000-000000000000",
                    "X-Service-Delivery-Id: 0190a5c4-0000-7000-8000-000000000001",
                    "X-Service-Attempt: 1",
                    "X-Service-Method: POST",
                    "X-Service-Hop: 1");

    private static final Header DEFAULT_USER_AGENT =
            new Header("User-Agent", ServerVersion.USER_AGENT);

    private final OutboundHeaderBuilder headerBuilder = new OutboundHeaderBuilder("X-Service");

    @Test
    void every_delivery_says_which_it_is() {
        assertThat(of(headerBuilder, PLAIN_REQUEST)).isEqualTo(IDENTITY_HEADERS);
    }

    @Test
    void the_prefix_is_the_operators() {
        assertThat(of(new OutboundHeaderBuilder("Acme"), PLAIN_REQUEST))
                .extracting(Header::name)
                .containsExactly(
                        "Acme-Event-Id",
                        "Acme-Delivery-Id",
                        "Acme-Attempt",
                        "Acme-Method",
                        "Acme-Hop");
    }

    @Test
    void what_came_in_is_forwarded_in_order_with_case_and_repeats() {
        var request =
                withInbound(
                        PLAIN_REQUEST,
                        "content-TYPE: application/json; charset=utf-8",
                        "X-B: 1",
                        "x-a: 2",
                        "X-B: 3",
                        "User-Agent: Provider/1.0",
                        "Content-Encoding: gzip",
                        "Authorization: Bearer for-the-destination",
                        "Stripe-Signature: t=1,v1=abc",
                        "traceparent: 00-1-2-01",
                        "X-Empty: ");

        assertThat(forwarded(request)).isEqualTo(request.inboundHeaders());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection: close",
                "keep-alive: timeout=5",
                "Proxy-Connection: x",
                "Proxy-Authenticate: x",
                "Proxy-Authorization: x",
                "TE: trailers",
                "Trailer: X-T",
                "Transfer-Encoding: chunked",
                "UPGRADE: h2c",
                "HTTP2-Settings: x",
                "Host: relay.example",
                "content-length: 5",
                "Expect: 100-continue",
                "Accept-Encoding: gzip",
                "Cookie: a=b",
                "Forwarded: for=1.2.3.4",
                "X-Forwarded-For: 1.2.3.4",
                "x-forwarded-anything: x",
                "X-Real-IP: 1.2.3.4",
                "Via: 1.1 proxy",
                "X-Service-Signature: forged",
                "x-service-timestamp: 1",
                "X-SERVICE-EVENT-ID: forged",
                "X-Service-Delivery-Id: forged",
                "X-Service-Attempt: 99",
                "X_Service_Signature: forged",
                "x_service-Event_ID: forged",
                "Transfer_Encoding: chunked",
                "content_length: 5",
                "X_Forwarded_For: 1.2.3.4",
                "x_real-ip: 1.2.3.4",
                "ACCEPT_ENCODING: gzip",
            })
    void what_was_meant_for_us_or_the_connection_is_not_forwarded(String line) {
        var request = withInbound(PLAIN_REQUEST, "X-Before: 1", line, "X-After: 2");

        assertThat(of(headerBuilder, request).subList(0, 2))
                .isEqualTo(headers("X-Before: 1", "X-After: 2"));
        assertThat(of(headerBuilder, request).subList(2, 7)).isEqualTo(IDENTITY_HEADERS);
    }

    @Test
    void a_header_named_in_connection_ends_with_it() {
        var request =
                withInbound(
                        PLAIN_REQUEST,
                        "X-Foo: 1",
                        "Connection: keep-alive, x_foo",
                        "connection: X-BAR",
                        "X_Bar: 3",
                        "X-Bar: 2",
                        "X-Baz: 3");

        assertThat(forwarded(request)).isEqualTo(headers("X-Baz: 3"));
    }

    @Test
    void the_sources_own_credential_stays_here() {
        var request =
                withholding(
                        withInbound(
                                PLAIN_REQUEST, "x-api-key: source", "X_Api_Key: source", "X-A: 1"),
                        "X-Api-Key");

        assertThat(forwarded(request)).isEqualTo(headers("X-A: 1"));
    }

    @Test
    void a_request_without_a_user_agent_gets_ours() throws TransformationException {
        assertThat(headerBuilder.build(PLAIN_REQUEST, PLAIN_REQUEST.body(), NOW))
                .contains(DEFAULT_USER_AGENT);
        var theirs = withInbound(PLAIN_REQUEST, "user-agent: Provider/1.0");
        assertThat(headerBuilder.build(theirs, theirs.body(), NOW))
                .filteredOn(header -> header.isNamed("User-Agent"))
                .containsExactly(new Header("user-agent", "Provider/1.0"));
        var custom = withCustom(PLAIN_REQUEST, "User-Agent: Mine");
        assertThat(headerBuilder.build(custom, custom.body(), NOW))
                .filteredOn(header -> header.isNamed("User-Agent"))
                .containsExactly(new Header("User-Agent", "Mine"));
    }

    @Test
    void a_digest_of_the_body_is_forwarded_unless_the_body_was_changed()
            throws TransformationException {
        var request =
                withBody(
                        withInbound(
                                PLAIN_REQUEST,
                                "Content-Digest: sha-256=:x:",
                                "digest: y",
                                "Content_MD5: z",
                                "X-A: 1"),
                        OutboundRequests.body("{}"));

        assertThat(forwarded(request)).isEqualTo(request.inboundHeaders());
        assertThat(headerBuilder.build(request, OutboundRequests.body("{ }"), NOW))
                .contains(new Header("X-A", "1"))
                .doesNotContainAnyElementsOf(request.inboundHeaders().subList(0, 3));
    }

    @Test
    void a_custom_header_replaces_all_forwarded_ones_of_its_name() {
        var request =
                withCustom(
                        withInbound(PLAIN_REQUEST, "X-A: 1", "x-a: 2", "X-B: 3"),
                        "X-a: custom",
                        "User-Agent: Mine",
                        "x-A: last");

        assertThat(forwarded(request))
                .isEqualTo(headers("X-B: 3", "User-Agent: Mine", "x-A: last"));
    }

    @Test
    void a_custom_header_replaces_what_a_cgi_like_receiver_takes_for_it() {
        var request =
                withCustom(
                        withInbound(PLAIN_REQUEST, "X_Api_Key: sender", "x_a-B: 1", "X-C: 2"),
                        "X-Api-Key: secret",
                        "X_A_B: verbatim",
                        "X-A-B: too");

        assertThat(forwarded(request))
                .isEqualTo(headers("X-C: 2", "X-Api-Key: secret", "X_A_B: verbatim", "X-A-B: too"));
    }

    @Test
    void a_custom_header_can_neither_frame_the_message_nor_pose_as_ours() {
        var request =
                withCustom(
                        PLAIN_REQUEST,
                        "host: evil",
                        "Transfer-Encoding: chunked",
                        "content-length: 0",
                        "x-service-event-id: forged",
                        "X_Service_Hop: 0");

        assertThat(of(headerBuilder, request)).isEqualTo(IDENTITY_HEADERS);
    }

    @ParameterizedTest
    @CsvSource({"1,2", "4,5", "' 7 ',8", "'',1", "x,1", "-3,1", "99999999999999999999,1", "+1,1"})
    void hops_are_counted_up(String inbound, String outbound) {
        var request = withInbound(PLAIN_REQUEST, "x-service-hop: " + inbound);

        assertThat(values(request, "X-Service-Hop")).containsExactly(outbound);
    }

    /// A destination that was saved before the name was reserved.
    @Test
    void the_hop_count_survives_an_api_key_in_its_header() {
        var request =
                withAuth(
                        withInbound(PLAIN_REQUEST, "X-Service-Hop: 4"),
                        new AuthConfig.ApiKeyAuth("x_service_hop", new Secret("0")));

        assertThat(of(headerBuilder, request).getLast())
                .isEqualTo(new Header("X-Service-Hop", "5"));
        assertThat(of(headerBuilder, request)).hasSize(5);
    }

    @ParameterizedTest
    @CsvSource({
        "7b226964223a226576745f31222c22616d6f756e74223a343230307d,"
                + " 25c770e42b4ea3cd2b6698d6ce4c2ad81db404765d57dd873f9432ef05101bbb",
        "'', 1736616ca502dd0795dd33e742aba65214c255d6064bb6035e7b37d18983438e",
        "00fffe0a0d, f82a1186803f85f95ad4816bd60efc52fa9a5abdd2ab77c4ddbd8ce33063939d",
    })
    void hmac_signs_the_timestamp_and_the_exact_bytes(String body, String signature) {
        var request =
                withBody(
                        withAuth(
                                PLAIN_REQUEST,
                                new AuthConfig.HmacAuth(new Secret("topsecret"), Optional.empty())),
                        OutboundBody.of(HexFormat.of().parseHex(body)));

        assertThat(values(request, "X-Service-Timestamp")).containsExactly("1700000000");
        assertThat(values(request, "X-Service-Event-Id")).hasSize(1);
        assertThat(values(request, "X-Service-Signature")).containsExactly(signature);
    }

    @Test
    void a_secret_being_replaced_signs_too() {
        var auth =
                new AuthConfig.HmacAuth(new Secret("topsecret"), Optional.of(new Secret("older")));
        var request = withBody(withAuth(PLAIN_REQUEST, auth), OutboundRequests.body(""));

        assertThat(values(request, "X-Service-Signature"))
                .containsExactly(
                        "1736616ca502dd0795dd33e742aba65214c255d6064bb6035e7b37d18983438e,"
                            + "6a9c280be28496cb37d95b813bbafe53770c487973e6bb558ab198e1b1b0f797");
    }

    @Test
    void nothing_is_signed_with_an_empty_key() {
        var hmac = new AuthConfig.HmacAuth(new Secret(""), Optional.empty());
        var standard = new AuthConfig.StandardWebhooksAuth(new Secret("whsec_"), Optional.empty());

        for (var auth : List.of(hmac, standard)) {
            assertThatThrownBy(() -> of(headerBuilder, withAuth(PLAIN_REQUEST, auth)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void nothing_is_built_without_an_auth_config_that_can_be_read() {
        var request = withAuth(PLAIN_REQUEST, new AuthConfig.UnreadableAuth());

        assertThatThrownBy(() -> headerBuilder.build(request, request.body(), NOW))
                .isInstanceOf(TransformationException.class)
                .hasMessage("The destination's auth_config cannot be read");
    }

    @Test
    void standard_webhooks_signs_id_timestamp_and_body_under_its_own_names() {
        var auth =
                new AuthConfig.StandardWebhooksAuth(
                        new Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
                        Optional.of(new Secret("not base64!")));
        var request =
                withAuth(
                        withInbound(PLAIN_REQUEST, "Webhook-Id: theirs", "webhook-signature: v1,x"),
                        auth);

        assertThat(values(request, "webhook-id"))
                .containsExactly("0190a5c4-0000-7000-8000-000000000000");
        assertThat(values(request, "webhook-timestamp")).containsExactly("1700000000");
        assertThat(values(request, "webhook-signature"))
                .containsExactly(
                        "v1,O1ssR+eGwxVWrkTuTqSQMckuTSSzFLYfI1rgEexQNWI="
                                + " v1,G1WumT3Vht35i3RvKsRt+Lfbw5jW9kLgUWXApt0ll14=");
    }

    @Test
    void an_api_key_stands_once_in_the_header_it_was_given() {
        var request =
                withAuth(
                        withCustom(
                                withInbound(PLAIN_REQUEST, "x-api-key: a", "X_Api_Key: c"),
                                "X-API-KEY: b"),
                        new AuthConfig.ApiKeyAuth("X-Api-Key", new Secret("k\u00e9y")));

        assertThat(values(request, "X-Api-Key")).containsExactly("k\u00c3\u00a9y");
        assertThat(values(request, "X_Api_Key")).isEmpty();
    }

    @Test
    void basic_auth_is_utf8_and_replaces_any_other_authorization() {
        var request =
                withAuth(
                        withCustom(
                                withInbound(PLAIN_REQUEST, "AUTHORIZATION: Bearer x"),
                                "authorization: Bearer y"),
                        new AuthConfig.HttpBasicAuth("test", new Secret("123\u00a3")));

        assertThat(values(request, "Authorization")).containsExactly("Basic dGVzdDoxMjPCow==");
    }

    /// Without the `User-Agent` that is added where the sender sent none.
    private static List<Header> of(OutboundHeaderBuilder headerBuilder, OutboundRequest request) {
        try {
            var headers = headerBuilder.build(request, request.body(), NOW);
            headers.remove(DEFAULT_USER_AGENT);
            return headers;
        } catch (TransformationException e) {
            throw new AssertionError(e.detail(), e);
        }
    }

    private List<Header> forwarded(OutboundRequest request) {
        var headers = of(headerBuilder, request);
        assertThat(headers.subList(headers.size() - 5, headers.size())).isEqualTo(IDENTITY_HEADERS);
        return headers.subList(0, headers.size() - 5);
    }

    private List<String> values(OutboundRequest request, String name) {
        return of(headerBuilder, request).stream()
                .filter(header -> header.isNamed(name))
                .map(Header::value)
                .toList();
    }
}
