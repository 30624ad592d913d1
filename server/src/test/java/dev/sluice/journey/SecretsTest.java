package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Set;
import java.util.UUID;

class SecretsTest {

    private static final String SECRET = "hunter2-hunter2";

    /// One configuration of each type, all with the same secret.
    private static final List<String> AUTH_CONFIGS =
            List.of(
                    "{'type': 'hmac', 'secret': 'hunter2-hunter2', 'previous_secret':"
                            + " 'hunter2-hunter2'}",
                    "{'type': 'standard_webhooks', 'secret': 'hunter2-hunter2-hunter2'}",
                    "{'type': 'api_key', 'header': 'X-Key', 'key': 'hunter2-hunter2'}",
                    "{'type': 'basic_auth', 'username': 'u', 'password': 'hunter2-hunter2'}");

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private static final ApiClient api = sluice.api();

    @Test
    void no_answer_shows_a_secret() {
        for (String auth : AUTH_CONFIGS) {
            var created = create(auth);
            String path = "/api/v1/destinations/" + created.text("id");

            assertThat(created.status()).isEqualTo(201);
            assertThat(created.body()).contains("***").doesNotContain(SECRET);
            assertThat(api.get(path).body()).contains("***").doesNotContain(SECRET);
            assertThat(api.patch(path, "{'name': 'n'}").body()).doesNotContain(SECRET);
            assertThat(api.patch(path, "{'auth_config': " + auth + "}").body())
                    .doesNotContain(SECRET);
        }
        assertThat(api.get("/api/v1/destinations").body()).doesNotContain(SECRET);
    }

    @Test
    void no_answer_that_needs_a_key_may_be_cached() {
        var anyone =
                Set.of(
                        "GET /api/v1/plans",
                        "GET /api/v1/status",
                        "GET /api/openapi.json",
                        "GET /healthz/live",
                        "GET /healthz/ready",
                        "POST /api/v1/auth/password-reset",
                        "POST /api/v1/auth/password-reset/confirm",
                        "POST /api/v1/auth/login",
                        "POST /api/v1/mailbox-confirmations",
                        "POST /api/v1/auth/register");
        var routes = sluice.routes().stream().filter(route -> !anyone.contains(route)).toList();
        assertThat(routes).hasSizeGreaterThan(20);
        for (String route : routes) {
            // a stream answered to GET has no end
            String method = route.equals("GET /api/v1/stream") ? "HEAD" : route.split(" ", 2)[0];
            String path =
                    route.split(" ", 2)[1].replaceAll("\\{\\w+}", UUID.randomUUID().toString());
            for (var request : List.of(api.request(path), api.anonymous(path))) {
                var answer =
                        api.send(request.method(method, HttpRequest.BodyPublishers.ofString("{}")));
                assertThat(answer.header("Cache-Control")).as(route).hasValue("no-store");
            }
        }
    }

    @Test
    void no_refusal_repeats_a_secret() {
        for (String auth : AUTH_CONFIGS) {
            String more = auth.replace("}", ", 'more': 1}");

            var refused = create(more);

            assertThat(refused.status()).isEqualTo(422);
            assertThat(refused.body()).doesNotContain(SECRET);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {'type': 'hmac', 'secret': '***'}                                   | auth_config.secret
                    {'type': 'hmac', 'secret': 'new', 'previous_secret': '***'}         | auth_config.previous_secret
                    {'type': 'standard_webhooks', 'secret': '***'}                      | auth_config.secret
                    {'type': 'api_key', 'header': 'X-Key', 'key': '***'}                | auth_config.key
                    {'type': 'basic_auth', 'username': 'u', 'password': '***'}          | auth_config.password
                    """)
    void the_mask_is_refused_where_a_secret_belongs(String auth, String field) {
        var destination = create(AUTH_CONFIGS.getFirst());

        var created = create(auth);
        var patched =
                api.patch(
                        "/api/v1/destinations/" + destination.text("id"),
                        "{'auth_config': " + auth + "}");

        for (var refused : List.of(created, patched)) {
            assertThat(refused.status()).isEqualTo(422);
            assertThat(refused.errorMessage())
                    .isEqualTo(
                            field
                                    + " is masked: re-enter the secret, or leave auth_config out to"
                                    + " keep it.");
        }
    }

    @Test
    void the_database_has_no_secret_in_plain_text() {
        for (String auth : AUTH_CONFIGS) {
            assertThat(create(auth).status()).isEqualTo(201);
        }
        api.destination("https://example.com/", ", 'custom_headers': {'X-Key': 'hunter2-hunter2'}");

        try (var db = sluice.db()) {
            var rows =
                    db.call(tx ->
                            tx.query(
                                    """
                                    select destination::text || encode(auth, 'escape')
                                               || coalesce(encode(sealed_headers, 'escape'), '') as everything
                                      from destination
                                    union all
                                    select destination_revision::text from destination_revision
                                    union all
                                    select api_key::text || encode(hash, 'escape') from api_key
                                    union all
                                    select account::text from account
                                    """,
                                    row -> row.text("everything")));

            assertThat(rows)
                    .hasSizeGreaterThan(8)
                    .noneMatch(row -> row.contains(SECRET) || row.contains(RunningSluice.API_KEY));
        }
    }

    @Test
    void equal_secrets_are_sealed_to_different_bytes() {
        String one = create(AUTH_CONFIGS.getFirst()).text("id");
        String other = create(AUTH_CONFIGS.getFirst()).text("id");

        try (var db = sluice.db()) {
            var sealed =
                    db.call(tx ->
                            tx.query(
                                    """
                                    select encode(auth, 'hex') as auth
                                      from destination
                                     where id::text in (?, ?)
                                    """,
                                    row -> row.text("auth"),
                                    one,
                                    other));

            assertThat(sealed).hasSize(2).doesNotHaveDuplicates();
        }
    }

    @Test
    void the_log_has_no_secret() throws IOException {
        var root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        var ours = (Logger) LoggerFactory.getLogger("dev.sluice");
        var list = new ListAppender<ILoggingEvent>();
        list.start();
        root.addAppender(list);
        ours.setLevel(Level.TRACE);
        try (var receiver = Receiver.start()) {
            receiver.willAnswer(400, 503, 200);
            for (String auth : AUTH_CONFIGS) {
                var source = api.source("s");
                String headers =
                        ", 'custom_headers': {'X-More': '"
                                + SECRET
                                + "'}, 'secret_headers': ['X-More']";
                api.connect(
                        source,
                        api.destination(receiver.url(), ", 'auth_config': " + auth + headers));
                var event =
                        api.send(
                                api.anonymous(source.text("ingest_path"))
                                        .header("Authorization", "Bearer " + SECRET)
                                        .POST(
                                                java.net.http.HttpRequest.BodyPublishers.ofString(
                                                        SECRET)));
                EventReader.deliveryAfter(1, api, event);
                create(auth.replace("}", ", 'more': 1}"));
            }
        } finally {
            root.detachAppender(list);
            ours.setLevel(null);
        }

        assertThat(list.list).as("attempts are logged").isNotEmpty();
        assertThat(List.copyOf(list.list))
                .map(line -> line.getFormattedMessage() + " " + line.getKeyValuePairs())
                .noneMatch(line ->
                        line.contains(SECRET)
                                || line.contains(RunningSluice.API_KEY)
                                || line.contains("aHVudGVyMi1odW50ZXIy"));
    }

    private static ApiClient.ApiResponse create(String auth) {
        return api.post(
                "/api/v1/destinations",
                "{'name': 'd', 'url': 'https://example.com/', 'auth_config': " + auth + "}");
    }
}
