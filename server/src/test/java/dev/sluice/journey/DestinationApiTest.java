package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Map;

class DestinationApiTest {

    private static final String DESTINATION_URL = "https://example.com/hook";

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(Map.of("SLUICE_ALLOW_PRIVATE_DESTINATIONS", ""));

    private static final ApiClient api = sluice.api();

    @Test
    void a_name_shows_something() {
        var refused =
                api.post(
                        "/api/v1/destinations/",
                        "{'name': '\\u00a0 ', 'url': '" + DESTINATION_URL + "'}");

        refused(refused, "name", "name must have at least one visible character.");
    }

    @Test
    void a_new_destination_needs_only_a_name_and_a_url() {
        var destination =
                api.post(
                        "/api/v1/destinations/", "{'name': 'd', 'url': '" + DESTINATION_URL + "'}");

        assertThat(destination.status()).isEqualTo(201);
        var json = destination.json();
        assertThat(json.propertyNames())
                .containsExactlyInAnyOrder(
                        "id",
                        "name",
                        "url",
                        "timeout_ms",
                        "auth_config",
                        "custom_headers",
                        "secret_headers",
                        "retry_policy",
                        "max_in_flight",
                        "rate_limit",
                        "status",
                        "circuit_state",
                        "circuit_reopen_at",
                        "created_at",
                        "updated_at");
        assertThat(destination.text("url")).isEqualTo(DESTINATION_URL);
        assertThat(json.path("timeout_ms").asInt()).isEqualTo(10_000);
        assertThat(json.path("auth_config")).hasToString("{\"type\":\"none\"}");
        assertThat(json.path("custom_headers")).hasToString("{}");
        assertThat(json.path("secret_headers")).hasToString("[]");
        assertThat(json.path("retry_policy"))
                .hasToString("{\"intervals_seconds\":[30,120,600,3600,14400]}");
        assertThat(json.path("max_in_flight").asInt()).isEqualTo(32);
        assertThat(json.path("rate_limit").isNull()).isTrue();
        assertThat(destination.text("status")).isEqualTo("active");
        assertThat(destination.text("circuit_state")).isEqualTo("closed");
        assertThat(json.path("circuit_reopen_at").isNull()).isTrue();
    }

    @Test
    void a_destination_is_read_as_it_was_answered_when_it_was_created() {
        var created =
                api.destination(
                        "http://example.com:8080/a?b=c",
                        ", 'timeout_ms': 300000, 'custom_headers': {'X-B': '1', 'x-a': 'two"
                                + " words'}, 'retry_policy': {'intervals_seconds': [1, 86400]},"
                                + " 'max_in_flight': 256, 'rate_limit': {'per_second': 10000},"
                                + " 'status': 'paused'");

        var read = api.get("/api/v1/destinations/" + created.text("id"));

        assertThat(read.status()).isEqualTo(200);
        assertThat(read.json()).isEqualTo(created.json());
        assertThat(read.json().path("custom_headers"))
                .hasToString("{\"X-B\":\"1\",\"x-a\":\"two words\"}");
        assertThat(read.json().path("retry_policy"))
                .hasToString("{\"intervals_seconds\":[1,86400]}");
        assertThat(read.json().path("rate_limit")).hasToString("{\"per_second\":10000}");
        assertThat(read.text("status")).isEqualTo("paused");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {'type': 'none'}                                             | {"type":"none"}
                    {'type': 'hmac', 'secret': 's1'}                             | {"type":"hmac","secret":"***"}
                    {'type': 'hmac', 'secret': 's1', 'previous_secret': 's0'}    | {"type":"hmac","secret":"***","previous_secret":"***"}
                    {'type': 'standard_webhooks', 'secret': 'v1,whsec_MfKQ9r8GKYqrTwjUPD8ILP--'} | {"type":"standard_webhooks","secret":"***"}
                    {'type': 'api_key', 'header': 'X-Api-Key', 'key': 'k1'}      | {"type":"api_key","header":"X-Api-Key","key":"***"}
                    {'type': 'basic_auth', 'username': 'u', 'password': 'p1'}    | {"type":"basic_auth","username":"u","password":"***"}
                    """)
    void every_kind_of_auth_is_taken_and_shown_masked(String auth, String shown) {
        var destination = api.destination(DESTINATION_URL, ", 'auth_config': " + auth);

        assertThat(destination.json().path("auth_config")).hasToString(shown);
        assertThat(
                        api.get("/api/v1/destinations/" + destination.text("id"))
                                .json()
                                .path("auth_config"))
                .hasToString(shown);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {'type': 'hmac'}                                            | auth_config.secret   | auth_config.secret is required.
                    {'type': 'hmac', 'secret': ''}                              | auth_config.secret   | auth_config.secret must have 1 to 500 characters.
                    {'type': 'hmac', 'secret': 's', 'key': 'k'}                 | auth_config.key      | auth_config.key is not a known field.
                    {'type': 'standard_webhooks', 'secret': 'whsec_'}           | auth_config.secret   | auth_config.secret must have a key after whsec_.
                    {'type': 'standard_webhooks', 'secret': 'a key of 16 byte', 'previous_secret': 'whsec_'} | auth_config.previous_secret | auth_config.previous_secret must have a key after whsec_.
                    {'type': 'standard_webhooks', 'secret': 'whsec_no base64!'} | auth_config.secret   | auth_config.secret must be Base64 after whsec_.
                    {'type': 'standard_webhooks', 'secret': 'too short a key'}   | auth_config.secret   | auth_config.secret must have a key of at least 16 bytes.
                    {'type': 'unreadable'}                                      | auth_config.type     | auth_config.type must be one of none, hmac, api_key, basic_auth, standard_webhooks.
                    {'type': 'hmac', 'secret': '\\u200b'}                        | auth_config.secret   | auth_config.secret must have at least one visible character.
                    {'type': 'hmac', 'secret': 's', 'previous_secret': ' '}     | auth_config.previous_secret | auth_config.previous_secret must have at least one visible character.
                    {'type': 'api_key', 'header': 'X', 'key': '\\ufeff'}        | auth_config.key      | auth_config.key must have at least one visible character.
                    {'type': 'basic_auth', 'username': '\\u00a0', 'password': 'p'} | auth_config.username | auth_config.username must have at least one visible character.
                    {'type': 'basic_auth', 'username': 'u', 'password': '  '}   | auth_config.password | auth_config.password must have at least one visible character.
                    {'type': 'none', 'secret': 's'}                             | auth_config.secret   | auth_config.secret is not a known field.
                    {'type': 'magic'}                                           | auth_config.type     | auth_config.type must be one of none, hmac, api_key, basic_auth, standard_webhooks.
                    {}                                                          | auth_config.type     | auth_config.type is required.
                    {'type': 'api_key', 'header': 'X Y', 'key': 'k'}            | auth_config.header   | auth_config.header must be a header name (letters, digits and -).
                    {'type': 'api_key', 'header': 'Host', 'key': 'k'}           | auth_config.header   | auth_config.header must not be Host: HTTP itself uses it.
                    {'type': 'api_key', 'header': 'X-Service-Hop', 'key': 'k'}  | auth_config.header   | auth_config.header must not be X-Service-Hop: Sluice sets it on deliveries.
                    {'type': 'api_key', 'header': 'x_service-hop', 'key': 'k'}  | auth_config.header   | auth_config.header must not be x_service-hop: Sluice sets it on deliveries.
                    {'type': 'api_key', 'header': 'Content_Length', 'key': 'k'} | auth_config.header   | auth_config.header must not be Content_Length: HTTP itself uses it.
                    {'type': 'api_key', 'key': 'k'}                             | auth_config.header   | auth_config.header is required.
                    {'type': 'api_key', 'header': 'X', 'key': 'a\\r\\nB: c'}    | auth_config.key      | auth_config.key must not contain control characters, nor begin or end with a space.
                    {'type': 'basic_auth', 'username': 'a:b', 'password': 'p'}  | auth_config.username | auth_config.username must not contain a colon (RFC 7617).
                    'none'                                                      | auth_config          | auth_config must be an object.
                    """)
    void wrong_auth_is_refused(String auth, String field, String message) {
        var refused = create(", 'auth_config': " + auth);

        refused(refused, field, message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    'timeout_ms': 0                                         | timeout_ms                     | timeout_ms must be a whole number from 1 to 300000.
                    'timeout_ms': 300001                                    | timeout_ms                     | timeout_ms must be a whole number from 1 to 300000.
                    'timeout_ms': 1.5                                       | timeout_ms                     | timeout_ms must be a whole number from 1 to 300000.
                    'timeout_ms': '10'                                      | timeout_ms                     | timeout_ms must be a whole number from 1 to 300000.
                    'timeout_ms': 99999999999                               | timeout_ms                     | timeout_ms must be a whole number from 1 to 300000.
                    'max_in_flight': 0                                      | max_in_flight                  | max_in_flight must be a whole number from 1 to 256.
                    'max_in_flight': 257                                    | max_in_flight                  | max_in_flight must be a whole number from 1 to 256.
                    'rate_limit': {}                                        | rate_limit.per_second          | rate_limit.per_second is required.
                    'rate_limit': {'per_second': null}                      | rate_limit.per_second          | rate_limit.per_second is required.
                    'rate_limit': {'per_second': 0}                         | rate_limit.per_second          | rate_limit.per_second must be a whole number from 1 to 10000.
                    'rate_limit': {'per_second': 10001}                     | rate_limit.per_second          | rate_limit.per_second must be a whole number from 1 to 10000.
                    'rate_limit': {'per_second': 1.5}                       | rate_limit.per_second          | rate_limit.per_second must be a whole number from 1 to 10000.
                    'rate_limit': {'per_second': 1, 'burst': 5}             | rate_limit.burst               | rate_limit.burst is not a known field.
                    'rate_limit': 5                                         | rate_limit                     | rate_limit must be an object.
                    'retry_policy': {}                                      | retry_policy.intervals_seconds | retry_policy.intervals_seconds is required.
                    'retry_policy': [30]                                    | retry_policy                   | retry_policy must be an object.
                    'retry_policy': {'intervals_seconds': []}               | retry_policy.intervals_seconds | retry_policy.intervals_seconds must be a list of 1 to 10 whole numbers.
                    'retry_policy': {'intervals_seconds': [0]}              | retry_policy.intervals_seconds.0 | retry_policy.intervals_seconds.0 must be a whole number from 1 to 86400.
                    'retry_policy': {'intervals_seconds': [5, 86401]}       | retry_policy.intervals_seconds.1 | retry_policy.intervals_seconds.1 must be a whole number from 1 to 86400.
                    'retry_policy': {'intervals_seconds': [1,1,1,1,1,1,1,1,1,1,1]} | retry_policy.intervals_seconds | retry_policy.intervals_seconds must be a list of 1 to 10 whole numbers.
                    'retry_policy': {'intervals_seconds': [1], 'jitter': 0} | retry_policy.jitter            | retry_policy.jitter is not a known field.
                    'custom_headers': {'X': 1}                              | custom_headers.X               | custom_headers.X must be a string.
                    'custom_headers': ['X']                                 | custom_headers                 | custom_headers must be an object of strings.
                    'custom_headers': {'X Y': 'v'}                          | custom_headers.X Y             | custom_headers.X Y is not a header name of at most 200 characters (RFC 9110).
                    'custom_headers': {'Host': 'v'}                         | custom_headers.Host            | custom_headers.Host cannot be set: HTTP itself uses it.
                    'custom_headers': {'content-length': '1'}               | custom_headers.content-length  | custom_headers.content-length cannot be set: HTTP itself uses it.
                    'custom_headers': {'Transfer-Encoding': 'chunked'}      | custom_headers.Transfer-Encoding | custom_headers.Transfer-Encoding cannot be set: HTTP itself uses it.
                    'custom_headers': {'Connection': 'close'}               | custom_headers.Connection      | custom_headers.Connection cannot be set: HTTP itself uses it.
                    'custom_headers': {'Transfer_Encoding': 'chunked'}      | custom_headers.Transfer_Encoding | custom_headers.Transfer_Encoding cannot be set: HTTP itself uses it.
                    'custom_headers': {'X-Service-Hop': '0'}                | custom_headers.X-Service-Hop   | custom_headers.X-Service-Hop cannot be set: Sluice sets it on deliveries.
                    'custom_headers': {'x_service_signature': '0'}          | custom_headers.x_service_signature | custom_headers.x_service_signature cannot be set: Sluice sets it on deliveries.
                    'custom_headers': {'X': 'a\\r\\nb'}                     | custom_headers.X               | custom_headers.X must be text without control characters, and without spaces at its ends.
                    'custom_headers': {'X': '***'}                          | custom_headers.X               | custom_headers.X is masked: re-enter the value, or leave custom_headers out to keep it.
                    'secret_headers': 'X'                                   | secret_headers                 | secret_headers must be a list of 0 to 50 strings.
                    'secret_headers': ['X']                                 | secret_headers.0               | secret_headers.0 names no header of custom_headers.
                    'custom_headers': {'X': 'a'}, 'secret_headers': ['x', 'Y'] | secret_headers.1            | secret_headers.1 names no header of custom_headers.
                    'custom_headers': {'X': ' a'}                           | custom_headers.X               | custom_headers.X must be text without control characters, and without spaces at its ends.
                    'custom_headers': {'X-a': '1', 'x-A': '2'}              | custom_headers.x-A             | custom_headers.x-A is a duplicate; header names ignore case.
                    'status': 'open'                                        | status                         | status must be one of active, paused.
                    'circuit_state': 'closed'                               | circuit_state                  | circuit_state is not a known field.
                    """)
    void a_wrong_field_is_refused(String field, String name, String message) {
        var refused = create(", " + field);

        refused(refused, name, message);
    }

    @Test
    void every_wrong_custom_header_is_named() {
        var refused =
                create(", 'custom_headers': {'X Y': 'v', 'A': 'b', 'Host': 'v', 'N': 1, 'a': 'c'}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.json().path("error").path("details"))
                .extracting(detail -> detail.path("field").asString())
                .containsExactlyInAnyOrder(
                        "custom_headers.X Y",
                        "custom_headers.Host",
                        "custom_headers.N",
                        "custom_headers.a");
    }

    @Test
    void name_and_url_are_required() {
        var refused = api.post("/api/v1/destinations", "{}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage()).isEqualTo("name is required. (and 1 more)");
        assertThat(refused.json().path("error").path("details"))
                .hasToString(
                        "[{\"field\":\"name\",\"message\":\"name is required.\"},"
                                + "{\"field\":\"url\",\"message\":\"url is required.\"}]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1/",
                "http://localhost:8080/",
                "http://api.localhost/",
                "http://printer.local/",
                "http://db.internal/",
                "http://router.home.arpa/",
                "http://LOCALHOST./",
                "http://10.0.0.1/",
                "http://172.16.0.1/",
                "http://192.168.1.1/",
                "http://169.254.169.254/latest/meta-data",
                "http://100.64.0.1/",
                "http://0.0.0.0/",
                "http://[::1]/",
                "http://[fe80::1]/",
                "http://[fc00::1]/",
                "http://[::ffff:127.0.0.1]/",
                "http://2130706433/",
                "http://0x7f.1/",
                "http://0177.0.0.1/",
                "http://127.1/",
            })
    void a_private_or_internal_url_is_refused(String url) {
        var refused = api.post("/api/v1/destinations", "{'name': 'd', 'url': '" + url + "'}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage())
                .contains("must not point to a private or internal address");
        assertThat(refused.json().path("error").path("details").get(0).path("field").asString())
                .isEqualTo("url");
    }

    @Test
    void the_refusal_of_a_private_url_is_one_readable_sentence() {
        var refused = api.post("/api/v1/destinations", "{'name': 'd', 'url': 'http://127.0.0.1/'}");

        assertThat(refused.errorMessage())
                .isEqualTo(
                        "url must not point to a private or internal address; the operator of this"
                                + " server can allow it with SLUICE_ALLOW_PRIVATE_DESTINATIONS.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    'ftp://example.com/'            | url must be absolute and start with http:// or https://.
                    '/hook'                         | url must be absolute and start with http:// or https://.
                    'https://u:p@example.com/'      | url must not carry a user name or password; use basic_auth instead.
                    'https://example.com/#part'     | url must not have a fragment (#).
                    'https://example.com/a b'       | url must not contain spaces or control characters.
                    'https://example.com:0/'        | url must have a port from 1 to 65535, or none.
                    'https://example.com:25/'       | url must not use port 25, which is not for HTTP.
                    7                               | url must be a string.
                    """)
    void a_url_that_cannot_be_sent_to_is_refused(String url, String message) {
        var refused = api.post("/api/v1/destinations", "{'name': 'd', 'url': " + url + "}");

        refused(refused, "url", message);
    }

    @Test
    void patch_checks_the_url_too() {
        var destination = api.destination(DESTINATION_URL, "");

        var refused =
                api.patch(
                        "/api/v1/destinations/" + destination.text("id"),
                        "{'url': 'http://10.1.2.3/'}");

        assertThat(refused.status()).isEqualTo(422);
        assertThat(api.get("/api/v1/destinations/" + destination.text("id")).text("url"))
                .isEqualTo(DESTINATION_URL);
    }

    @Test
    void patch_changes_what_it_names_and_nothing_else() {
        var before =
                api.destination(
                        DESTINATION_URL,
                        ", 'timeout_ms': 5000, 'auth_config': {'type': 'hmac', 'secret': 's'},"
                            + " 'custom_headers': {'X-A': '1'}, 'max_in_flight': 3, 'rate_limit':"
                            + " {'per_second': 5}");

        var after =
                api.patch(
                        "/api/v1/destinations/" + before.text("id"),
                        "{'name': 'new', 'status': 'paused'}");

        assertThat(after.status()).isEqualTo(200);
        assertThat(after.text("name")).isEqualTo("new");
        assertThat(after.text("status")).isEqualTo("paused");
        for (String kept :
                new String[] {
                    "id",
                    "url",
                    "timeout_ms",
                    "auth_config",
                    "custom_headers",
                    "retry_policy",
                    "max_in_flight",
                    "rate_limit",
                    "created_at"
                }) {
            assertThat(after.json().path(kept)).as(kept).isEqualTo(before.json().path(kept));
        }
        assertThat(api.get("/api/v1/destinations/" + before.text("id")).json())
                .isEqualTo(after.json());
    }

    @Test
    void null_restores_a_default() {
        var destination =
                api.destination(
                        DESTINATION_URL,
                        ", 'timeout_ms': 5000, 'auth_config': {'type': 'hmac', 'secret': 's'},"
                                + " 'custom_headers': {'X-A': '1'}, 'max_in_flight': 3,"
                                + " 'retry_policy': {'intervals_seconds': [7]}, 'rate_limit':"
                                + " {'per_second': 5}");

        var patched =
                api.patch(
                                "/api/v1/destinations/" + destination.text("id"),
                                "{'timeout_ms': null, 'auth_config': null, 'custom_headers': null,"
                                    + " 'max_in_flight': null, 'retry_policy': null, 'rate_limit':"
                                    + " null}")
                        .json();

        assertThat(patched.path("timeout_ms").asInt()).isEqualTo(10_000);
        assertThat(patched.path("auth_config")).hasToString("{\"type\":\"none\"}");
        assertThat(patched.path("custom_headers")).hasToString("{}");
        assertThat(patched.path("max_in_flight").asInt()).isEqualTo(32);
        assertThat(patched.path("rate_limit").isNull()).isTrue();
        assertThat(patched.path("retry_policy"))
                .hasToString("{\"intervals_seconds\":[30,120,600,3600,14400]}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"name", "url", "status"})
    void what_has_no_default_cannot_be_null(String field) {
        var destination = api.destination(DESTINATION_URL, "");

        var refused =
                api.patch(
                        "/api/v1/destinations/" + destination.text("id"),
                        "{'" + field + "': null}");

        refused(refused, field, field + " cannot be null.");
    }

    @Test
    void auth_is_replaced_as_a_whole() {
        var destination =
                api.destination(
                        DESTINATION_URL,
                        ", 'auth_config': {'type': 'hmac', 'secret': 's', 'previous_secret': 'o'}");

        var patched =
                api.patch(
                        "/api/v1/destinations/" + destination.text("id"),
                        "{'auth_config': {'type': 'hmac', 'secret': 't'}}");

        assertThat(patched.json().path("auth_config"))
                .hasToString("{\"type\":\"hmac\",\"secret\":\"***\"}");
    }

    @Test
    void the_list_is_whole_unless_a_page_is_asked_for() {
        var own = WorkspaceFixture.create(sluice, "business");
        for (int i = 0; i < 51; i++) {
            own.destination(DESTINATION_URL, "");
        }

        var whole = own.get("/api/v1/destinations/").json();
        var page = own.get("/api/v1/destinations?page=6&limit=10").json();

        assertThat(whole.path("items")).hasSize(51);
        assertThat(whole.has("total")).isFalse();
        assertThat(page.path("items")).hasSize(1);
        assertThat(page.path("total").asInt()).isEqualTo(51);
        assertThat(page.path("items").get(0)).isEqualTo(whole.path("items").get(50));
    }

    @Test
    void a_deleted_destination_is_gone() {
        var destination = api.destination(DESTINATION_URL, "");
        String path = "/api/v1/destinations/" + destination.text("id");

        var deleted = api.delete(path);

        assertThat(deleted.status()).isEqualTo(204);
        assertThat(api.get(path).status()).isEqualTo(404);
        assertThat(api.patch(path, "{'name': 'back'}").status()).isEqualTo(404);
        assertThat(api.delete(path).status()).isEqualTo(404);
        assertThat(api.get("/api/v1/destinations").body()).doesNotContain(destination.text("id"));
    }

    private static ApiClient.ApiResponse create(String more) {
        return api.post(
                "/api/v1/destinations/",
                "{'name': 'd', 'url': '" + DESTINATION_URL + "'" + more + "}");
    }

    private static void refused(ApiClient.ApiResponse answer, String field, String message) {
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.errorCode()).isEqualTo("validation_failed");
        assertThat(answer.errorMessage()).isEqualTo(message);
        assertThat(answer.json().path("error").path("details").get(0).path("field").asString())
                .isEqualTo(field);
    }
}
