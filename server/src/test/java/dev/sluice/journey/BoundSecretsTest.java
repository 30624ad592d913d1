package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Tests that stored secrets are sent only to the scheme, host and port that they were entered for.
///
/// Destinations are the only resources with secrets that go to an address of the user's choice. An
/// alert channel's webhook has no secret besides its URL, and a bot's token goes to the operator's
/// address. Deliveries, retries, probes and test deliveries all use the destination's settings.
class BoundSecretsTest {

    private static final String PLACE = "https://a.example/hook";

    /// Each kind of stored secret, as the fields of a new destination, and the field in which it
    /// must be sent again.
    private static final Map<String, String> SECRETS =
            Map.of(
                    "'auth_config': {'type': 'api_key', 'header': 'X-K', 'key': 'hunter2'}",
                    "auth_config",
                    "'auth_config': {'type': 'basic_auth', 'username': 'u', 'password': 'hunter2'}",
                    "auth_config",
                    "'auth_config': {'type': 'hmac', 'secret': 'hunter2'}",
                    "auth_config",
                    "'auth_config': {'type': 'hmac', 'secret': 'new', 'previous_secret':"
                            + " 'hunter2'}",
                    "auth_config",
                    "'auth_config': {'type': 'standard_webhooks', 'secret':"
                            + " 'whsec_aHVudGVyMmh1bnRlcjJodW50ZXIy'}",
                    "auth_config",
                    "'custom_headers': {'X-K': 'hunter2', 'X-T': 'a'}, 'secret_headers': ['X-K']",
                    "custom_headers");

    private static final List<List<String>> OTHER_PLACES =
            List.of(
                    List.of("https://b.example/hook", "host"),
                    List.of("https://a.example.evil.example/hook", "host"),
                    List.of("https://sub.a.example/hook", "host"),
                    List.of("https://xn--a-ecp.example/hook", "host"),
                    List.of("https://8.8.8.8/hook", "host"),
                    List.of("https://[2606:4700::1]/hook", "host"),
                    List.of("http://a.example/hook", "scheme"),
                    List.of("http://a.example:443/hook", "scheme"),
                    List.of("https://a.example:80/hook", "port"),
                    List.of("https://a.example:8443/hook", "port"));

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    static Stream<Arguments> secretsAndOtherPlaces() {
        return SECRETS.entrySet().stream()
                .flatMap(secret ->
                        OTHER_PLACES.stream()
                                .map(place ->
                                        Arguments.of(
                                                secret.getKey(),
                                                secret.getValue(),
                                                place.getFirst(),
                                                place.getLast())));
    }

    @ParameterizedTest
    @MethodSource("secretsAndOtherPlaces")
    void a_secret_must_be_sent_again_for_another_place(
            String secret, String field, String url, String part) {
        var destination = api.destination(PLACE, ", " + secret);

        var refused = patch(destination, "{'name': 'n', 'url': '" + url + "'}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.json().path("error").path("details").get(0).path("field").asString())
                .isEqualTo(field);
        assertThat(refused.errorMessage())
                .startsWith(field + " must be sent again with ")
                .contains(", because url names another " + part + ".")
                .doesNotContain("hunter2");
        assertThat(get(destination).json()).isEqualTo(destination.json());
        assertThat(patch(destination, "{'url': '" + url + "', " + secret + "}").text("url"))
                .isEqualTo(url);
    }

    @ParameterizedTest
    @CsvSource({
        "https://a.example/hook,             https://A.EXAMPLE.:443/other?q=1",
        "https://a.example/hook,             HTTPS://a.example",
        "https://a.example:443/hook,         https://a.example/hook",
        "http://a.example/hook,              http://a.example:080/hook",
        "https://a.example:8443/hook,        https://a.example.:08443/%7Ehook",
        "https://bücher.example/,            https://XN--BCHER-KVA.example/",
        "https://xn--bcher-kva.example/,     https://BÜCHER。example/",
        "https://[2606:4700::1]/,            https://[2606:4700:0:0:0:0:0:1]/",
        "https://8.8.8.8/,                   https://8.8.8.8.:443/",
    })
    void every_secret_is_kept_where_the_place_is_the_same(String before, String after) {
        SECRETS.keySet()
                .forEach(secret -> {
                    var destination = api.destination(before, ", " + secret);

                    var patched = patch(destination, "{'url': '" + after + "'}");

                    assertThat(patched.status()).isEqualTo(200);
                    assertThat(patched.text("url")).isEqualTo(after);
                    assertThat(patched.json().path("auth_config"))
                            .isEqualTo(destination.json().path("auth_config"));
                    assertThat(patched.json().path("secret_headers"))
                            .isEqualTo(destination.json().path("secret_headers"));
                });
    }

    @Test
    void all_fields_with_secrets_are_named_and_one_of_them_is_not_enough() {
        var auth = "'auth_config': {'type': 'hmac', 'secret': 'hunter2'}";
        var destination =
                api.destination(
                        PLACE,
                        ", " + auth + ", 'custom_headers': {'X': 'y'}, 'secret_headers': ['X']");
        String moved = "{'url': 'https://b.example/'";

        assertThat(patch(destination, moved + "}").body())
                .contains("\"field\":\"auth_config\"", "\"field\":\"custom_headers\"");
        assertThat(patch(destination, moved + ", " + auth + "}").body())
                .doesNotContain("\"field\":\"auth_config\"")
                .contains("\"field\":\"custom_headers\"");
        assertThat(patch(destination, moved + ", 'custom_headers': {'X': 'z'}}").body())
                .contains("\"field\":\"auth_config\"")
                .doesNotContain("\"field\":\"custom_headers\"");
    }

    @Test
    void secrets_that_are_given_up_need_not_be_sent_again() {
        var destination =
                api.destination(
                        PLACE,
                        ", 'auth_config': {'type': 'hmac', 'secret': 's'},"
                                + " 'custom_headers': {'X': 'y'}, 'secret_headers': ['X']");

        var moved =
                patch(
                        destination,
                        "{'url': 'https://b.example/', 'auth_config': null, 'custom_headers':"
                                + " null}");

        assertThat(moved.status()).isEqualTo(200);
        assertThat(moved.json().path("auth_config").path("type").asString()).isEqualTo("none");
    }

    @Test
    void a_destination_without_secrets_moves_freely() {
        var destination = api.destination(PLACE, ", 'custom_headers': {'X-Team': 'orders'}");

        assertThat(patch(destination, "{'url': 'http://b.example:81/'}").status()).isEqualTo(200);
    }

    @Test
    void secrets_that_cannot_be_read_here_are_bound_too() {
        var destination = api.destination(PLACE, ", 'auth_config': {'type': 'none'}");
        StoredSettings.update(sluice, "destination", "auth", destination, new byte[60]);
        var headers = api.destination(PLACE, "");
        StoredSettings.update(sluice, "destination", "sealed_headers", headers, new byte[60]);

        assertThat(patch(destination, "{'url': 'https://b.example/'}").errorMessage())
                .startsWith("auth_config must be sent again");
        assertThat(patch(headers, "{'url': 'https://b.example/'}").errorMessage())
                .startsWith("custom_headers must be sent again");
    }

    @Test
    void a_test_delivery_after_a_refused_move_goes_where_it_went() throws IOException {
        try (var own = Receiver.start();
                var foreign = Receiver.start()) {
            var destination =
                    api.destination(
                            own.url(),
                            ", 'auth_config': {'type': 'api_key', 'header': 'X-K', 'key': 'k'}");

            assertThat(patch(destination, "{'url': '" + foreign.url() + "'}").status())
                    .isEqualTo(422);
            api.post("/api/v1/destinations/" + destination.text("id") + "/test", "");

            assertThat(foreign.requests()).isEmpty();
            assertThat(own.requests().getFirst().values("X-K")).containsExactly("k");
        }
    }

    private static ApiResponse get(ApiResponse destination) {
        return api.get("/api/v1/destinations/" + destination.text("id"));
    }

    private static ApiResponse patch(ApiResponse destination, String json) {
        return api.patch("/api/v1/destinations/" + destination.text("id"), json);
    }
}
