package dev.sluice.relay.send;

import static dev.sluice.relay.send.Parcels.headers;
import static dev.sluice.relay.send.Parcels.to;
import static dev.sluice.relay.send.Parcels.withAuth;
import static dev.sluice.relay.send.Parcels.withBody;
import static dev.sluice.relay.send.Parcels.withCustom;
import static dev.sluice.relay.send.Parcels.withInbound;
import static dev.sluice.relay.send.Parcels.withholding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.destination.Auth;
import dev.sluice.platform.http.Header;
import dev.sluice.platform.secret.Secret;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

class OutgoingHeadersTest {

    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);
    private static final Parcel DULL = to("https://example.com/hook");
    private static final List<Header> IDS =
            headers(
                    "X-Service-Event-Id: 0190a5c4-0000-7000-8000-000000000000",
                    "X-Service-Delivery-Id: 0190a5c4-0000-7000-8000-000000000001",
                    "X-Service-Attempt: 1",
                    "X-Service-Hop: 1");

    private final OutgoingHeaders outgoing = new OutgoingHeaders("X-Service");

    @Test
    void every_delivery_says_which_it_is() {
        assertThat(of(outgoing, DULL)).isEqualTo(IDS);
    }

    @Test
    void the_prefix_is_the_operators() {
        assertThat(of(new OutgoingHeaders("Acme"), DULL))
                .extracting(Header::name)
                .containsExactly("Acme-Event-Id", "Acme-Delivery-Id", "Acme-Attempt", "Acme-Hop");
    }

    @Test
    void what_came_in_is_forwarded_in_order_with_case_and_repeats() {
        var parcel =
                withInbound(
                        DULL,
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

        assertThat(forwarded(parcel)).isEqualTo(parcel.inbound());
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
            })
    void what_was_meant_for_us_or_the_connection_is_not_forwarded(String line) {
        var parcel = withInbound(DULL, "X-Before: 1", line, "X-After: 2");

        assertThat(of(outgoing, parcel).subList(0, 2))
                .isEqualTo(headers("X-Before: 1", "X-After: 2"));
        assertThat(of(outgoing, parcel).subList(2, 6)).isEqualTo(IDS);
    }

    @Test
    void a_header_named_in_connection_ends_with_it() {
        var parcel =
                withInbound(
                        DULL,
                        "X-Foo: 1",
                        "Connection: keep-alive, x-foo",
                        "connection: X-BAR",
                        "X-Bar: 2",
                        "X-Baz: 3");

        assertThat(forwarded(parcel)).isEqualTo(headers("X-Baz: 3"));
    }

    @Test
    void the_sources_own_credential_stays_here() {
        var parcel =
                withholding(
                        withInbound(DULL, "authorization: Basic c291cmNl", "X-A: 1"),
                        "Authorization");

        assertThat(forwarded(parcel)).isEqualTo(headers("X-A: 1"));
    }

    @Test
    void a_custom_header_replaces_all_forwarded_ones_of_its_name() {
        var parcel =
                withCustom(
                        withInbound(DULL, "X-A: 1", "x-a: 2", "X-B: 3"),
                        "X-a: custom",
                        "User-Agent: Mine",
                        "x-A: last");

        assertThat(forwarded(parcel)).isEqualTo(headers("X-B: 3", "User-Agent: Mine", "x-A: last"));
    }

    @Test
    void a_custom_header_can_neither_frame_the_message_nor_pose_as_ours() {
        var parcel =
                withCustom(
                        DULL,
                        "host: evil",
                        "Transfer-Encoding: chunked",
                        "content-length: 0",
                        "x-service-event-id: forged");

        assertThat(of(outgoing, parcel)).isEqualTo(IDS);
    }

    @ParameterizedTest
    @CsvSource({"1,2", "4,5", "' 7 ',8", "'',1", "x,1", "-3,1", "99999999999999999999,1", "+1,1"})
    void hops_are_counted_up(String inbound, String outbound) {
        var parcel = withInbound(DULL, "x-service-hop: " + inbound);

        assertThat(values(parcel, "X-Service-Hop")).containsExactly(outbound);
    }

    @ParameterizedTest
    @CsvSource({
        "7b226964223a226576745f31222c22616d6f756e74223a343230307d,"
                + " 25c770e42b4ea3cd2b6698d6ce4c2ad81db404765d57dd873f9432ef05101bbb",
        "'', 1736616ca502dd0795dd33e742aba65214c255d6064bb6035e7b37d18983438e",
        "00fffe0a0d, f82a1186803f85f95ad4816bd60efc52fa9a5abdd2ab77c4ddbd8ce33063939d",
    })
    void hmac_signs_the_timestamp_and_the_exact_bytes(String body, String signature) {
        var parcel =
                withBody(
                        withAuth(DULL, new Auth.Hmac(new Secret("topsecret"), Optional.empty())),
                        Body.of(HexFormat.of().parseHex(body)));

        assertThat(values(parcel, "X-Service-Timestamp")).containsExactly("1700000000");
        assertThat(values(parcel, "X-Service-Event-Id")).hasSize(1);
        assertThat(values(parcel, "X-Service-Signature")).containsExactly(signature);
    }

    @Test
    void a_secret_being_replaced_signs_too() {
        var auth = new Auth.Hmac(new Secret("topsecret"), Optional.of(new Secret("older")));
        var parcel = withBody(withAuth(DULL, auth), Parcels.body(""));

        assertThat(values(parcel, "X-Service-Signature"))
                .containsExactly(
                        "1736616ca502dd0795dd33e742aba65214c255d6064bb6035e7b37d18983438e,"
                            + "6a9c280be28496cb37d95b813bbafe53770c487973e6bb558ab198e1b1b0f797");
    }

    @Test
    void an_empty_secret_still_signs() {
        var auth = new Auth.Hmac(new Secret(""), Optional.empty());

        assertThat(values(withAuth(DULL, auth), "X-Service-Signature"))
                .containsExactly(
                        "a9dc44c8eda3de70e9cbf3e488895f1abc26acb1461d3124a3cb886af35251cf");
    }

    @Test
    void standard_webhooks_signs_id_timestamp_and_body_under_its_own_names() {
        var auth =
                new Auth.StandardWebhooks(
                        new Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
                        Optional.of(new Secret("not base64!")));
        var parcel =
                withAuth(withInbound(DULL, "Webhook-Id: theirs", "webhook-signature: v1,x"), auth);

        assertThat(values(parcel, "webhook-id"))
                .containsExactly("0190a5c4-0000-7000-8000-000000000000");
        assertThat(values(parcel, "webhook-timestamp")).containsExactly("1700000000");
        assertThat(values(parcel, "webhook-signature"))
                .containsExactly(
                        "v1,O1ssR+eGwxVWrkTuTqSQMckuTSSzFLYfI1rgEexQNWI="
                                + " v1,G1WumT3Vht35i3RvKsRt+Lfbw5jW9kLgUWXApt0ll14=");
    }

    @Test
    void an_api_key_stands_once_in_the_header_it_was_given() {
        var parcel =
                withAuth(
                        withCustom(withInbound(DULL, "x-api-key: a"), "X-API-KEY: b"),
                        new Auth.ApiKey("X-Api-Key", new Secret("k\u00e9y")));

        assertThat(of(outgoing, parcel).getLast())
                .isEqualTo(new Header("X-Api-Key", "k\u00c3\u00a9y"));
        assertThat(values(parcel, "X-Api-Key")).hasSize(1);
    }

    @Test
    void basic_auth_is_utf8_and_replaces_any_other_authorization() {
        var parcel =
                withAuth(
                        withCustom(
                                withInbound(DULL, "AUTHORIZATION: Bearer x"),
                                "authorization: Bearer y"),
                        new Auth.BasicAuth("test", new Secret("123\u00a3")));

        assertThat(values(parcel, "Authorization")).containsExactly("Basic dGVzdDoxMjPCow==");
    }

    private static List<Header> of(OutgoingHeaders outgoing, Parcel parcel) {
        try {
            return outgoing.of(parcel, parcel.body(), NOW);
        } catch (Failure e) {
            throw new AssertionError(e.detail(), e);
        }
    }

    private List<Header> forwarded(Parcel parcel) {
        var headers = of(outgoing, parcel);
        assertThat(headers.subList(headers.size() - 4, headers.size())).isEqualTo(IDS);
        return headers.subList(0, headers.size() - 4);
    }

    private List<String> values(Parcel parcel, String name) {
        return of(outgoing, parcel).stream()
                .filter(header -> header.isNamed(name))
                .map(Header::value)
                .toList();
    }
}
