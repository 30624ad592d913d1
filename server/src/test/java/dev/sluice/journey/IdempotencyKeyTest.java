package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.RunningSluice;
import dev.sluice.account.idempotency.IdempotencyKeyPruner;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Person;
import dev.sluice.testkit.RawHttp;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;

/// Tests that a request with an `Idempotency-Key` is carried out once, on two nodes.
class IdempotencyKeyTest {

    private static final String SOURCES = "/api/v1/sources";
    private static final String REPLAYED = "Idempotent-Replayed";
    private static final String EMAIL = "owner@example.com";

    private static final ManualClock clock = ManualClock.ofNow();

    @AutoClose
    private static final RunningSluice first =
            RunningSluice.start(clock, Map.of("SLUICE_REGISTRATION", "open"));

    private static final RunningSluice second = first.second();
    @AutoClose private static final Db db = first.db();
    private static final ApiClient api = first.api();
    private static final Person owner = Person.register(api, EMAIL);
    private static final String workspace =
            owner.get("/api/v1/me").json().path("workspace").path("id").asString();

    /// An operation that takes a key, and what it makes.
    enum KeyedOperation {
        SOURCE("source where trashed_at is null") {
            @Override
            KeyedPost prepare() {
                return byKey(SOURCES, "{'name':'s'}");
            }
        },
        DESTINATION("destination") {
            @Override
            KeyedPost prepare() {
                return byKey(
                        "/api/v1/destinations", "{'name':'d','url':'https://example.com/hook'}");
            }
        },
        CONNECTION("connection") {
            @Override
            KeyedPost prepare() {
                return byKey(
                        "/api/v1/connections",
                        "{'source_id':'%s','destination_id':'%s'}"
                                .formatted(
                                        api.source("s").text("id"),
                                        api.destination("https://example.com/hook", "")
                                                .text("id")));
            }
        },
        ALERT_CONFIG("alert_config") {
            @Override
            KeyedPost prepare() {
                return byKey(
                        "/api/v1/alert-configs",
                        "{'channel':'email','config':{'to':'oncall@example.com'}}");
            }
        },
        WORKSPACE("workspace") {
            @Override
            KeyedPost prepare() {
                return byOwner("/api/v1/workspaces", "{'name':'Another'}");
            }
        },
        RESEND("delivery_work") {
            @Override
            KeyedPost prepare() {
                var source = api.source("s");
                connectPaused(source);
                String event = api.ingest(source.text("ingest_path"), "{}").text("request_id");
                return byKey("/api/v1/events/" + event + "/resend", "");
            }
        },
        RESEND_OF_NOTHING("delivery_work") {
            @Override
            KeyedPost prepare() {
                String event =
                        api.ingest(api.source("s").text("ingest_path"), "{}").text("request_id");
                return byKey("/api/v1/events/" + event + "/resend", "{}");
            }
        },
        BULK_RESEND("replay_job") {
            @Override
            KeyedPost prepare() {
                return byKey(
                        "/api/v1/deliveries/resend-bulk",
                        "{'connection_id':'" + connectPaused(api.source("s")).text("id") + "'}");
            }
        },
        DEAD_LETTER_RESEND("replay_job") {
            @Override
            KeyedPost prepare() {
                return byKey("/api/v1/dlq/resend", "{'limit':1}");
            }
        },
        TOKEN_ROTATION("audit_log where action = 'source.token_rotated'") {
            @Override
            KeyedPost prepare() {
                return byKey(SOURCES + "/" + api.source("s").text("id") + "/rotate-token", "");
            }
        },
        TEST_EVENT("event") {
            @Override
            KeyedPost prepare() {
                return byKey(SOURCES + "/" + api.source("s").text("id") + "/test-event", "{}");
            }
        };

        private final String rows;

        KeyedOperation(String rows) {
            this.rows = rows;
        }

        abstract KeyedPost prepare();

        long made() {
            return db.call(
                    tx -> tx.single("select count(*) as n from " + rows, row -> row.number("n")));
        }
    }

    /// A request that can be sent to each node, with any key.
    @FunctionalInterface
    interface KeyedPost {
        ApiResponse send(int port, String key);
    }

    private static KeyedPost byKey(String path, String json) {
        return (port, key) -> post(api.onPort(port), path, key, json);
    }

    private static KeyedPost byOwner(String path, String json) {
        return (port, key) ->
                owner.send(
                        Person.withBody(
                                new ApiClient(port, "")
                                        .anonymous(path)
                                        .header("Cookie", "sluice_session=" + owner.token())
                                        .header("Idempotency-Key", key),
                                json));
    }

    private static ApiResponse post(ApiClient client, String path, String key, String json) {
        return client.send(
                client.request(path)
                        .header("Content-Type", "application/json")
                        .header("Idempotency-Key", key)
                        .POST(HttpRequest.BodyPublishers.ofString(json.replace('\'', '"'))));
    }

    private static ApiResponse connectPaused(ApiResponse source) {
        return api.connect(
                source, api.destination("https://example.com/hook", ", 'status': 'paused'"));
    }

    private static String newKey() {
        return UUID.randomUUID().toString();
    }

    @ParameterizedTest
    @EnumSource
    void a_repeat_has_the_first_answer_and_makes_nothing(KeyedOperation operation) {
        var request = operation.prepare();
        String key = newKey();

        var made = request.send(first.port(), key);
        long rows = operation.made();
        var repeat = request.send(first.port(), key);

        assertThat(made.status()).isIn(200, 201, 202);
        assertThat(made.header(REPLAYED)).isEmpty();
        assertSameAnswer(repeat, made);
        assertThat(operation.made()).isEqualTo(rows);
    }

    private static void assertSameAnswer(ApiResponse repeat, ApiResponse made) {
        assertThat(repeat.status()).isEqualTo(made.status());
        assertThat(repeat.body()).isEqualTo(made.body());
        assertThat(repeat.header(REPLAYED)).hasValue("true");
        for (String name : new String[] {"Location", "ETag", "Content-Type", "Cache-Control"}) {
            assertThat(repeat.header(name)).as(name).isEqualTo(made.header(name));
        }
    }

    @ParameterizedTest
    @EnumSource
    void of_two_at_a_time_on_two_nodes_one_is_carried_out(KeyedOperation operation)
            throws Exception {
        var request = operation.prepare();
        String key = newKey();
        long rows = operation.made();

        var answers =
                atOnce(
                        key,
                        () -> request.send(first.port(), key),
                        () -> request.send(second.port(), key));

        var refused = answers.stream().filter(answer -> answer.status() == 409).toList();
        var made = answers.stream().filter(answer -> answer.status() / 100 == 2).toList();
        assertThat(made).hasSize(1);
        assertThat(refused).hasSize(1);
        assertThat(refused.getFirst().errorCode()).isEqualTo("request_in_progress");
        assertThat(operation.made()).isBetween(rows, rows + 1);
        assertSameAnswer(request.send(second.port(), key), made.getFirst());
    }

    @Test
    void another_body_is_422_even_while_the_first_request_is_under_way() throws Exception {
        String key = newKey();

        var answers =
                atOnce(
                        key,
                        () -> post(api, SOURCES, key, "{'name':'one'}"),
                        () -> post(api, SOURCES, key, "{'name':'other'}"));

        assertThat(answers).extracting(ApiResponse::status).containsExactlyInAnyOrder(201, 422);
        assertThat(answers).extracting(ApiResponse::errorCode).contains("idempotency_key_reused");
    }

    /// Sends both requests, and lets them go on when both are about to commit.
    private static List<ApiResponse> atOnce(
            String key, Callable<ApiResponse> one, Callable<ApiResponse> other) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                var holder = TestPostgres.open(first.database())) {
            var answers =
                    holder.call(tx -> {
                        // A row with the key that nobody sees makes both wait to insert theirs.
                        for (String id : ownerIds(tx)) {
                            tx.update(
                                    """
                                    insert into idempotency_key (owner_id, key, answer, created_at)
                                    values (?, ?, '', '2000-01-01T00:00:00Z')
                                    """,
                                    UUID.fromString(id),
                                    key);
                        }
                        var sent = List.of(threads.submit(one), threads.submit(other));
                        await().until(() -> TestPostgres.lockWaits(tx) >= 2);
                        tx.update("delete from idempotency_key where key = ?", key);
                        return sent;
                    });
            return List.of(answers.getFirst().get(), answers.getLast().get());
        }
    }

    private static List<String> ownerIds(Tx tx) {
        return tx.query(
                "select id from workspace union all select id from account",
                row -> row.uuid("id").toString());
    }

    @Test
    void a_repeat_is_known_on_another_node_and_after_a_restart() {
        String key = newKey();
        var made = post(api, SOURCES, key, "{'name':'s'}");

        assertSameAnswer(post(api.onPort(second.port()), SOURCES, key, "{'name':'s'}"), made);
        second.restart();
        assertSameAnswer(post(api.onPort(second.port()), SOURCES + "/", key, "{'name':'s'}"), made);
    }

    @Test
    void a_repeat_says_what_was_made_even_if_it_could_not_be_made_now() {
        var source = api.source("s");
        var destination = api.destination("https://example.com/hook", "");
        String body =
                "{'source_id':'%s','destination_id':'%s'}"
                        .formatted(source.text("id"), destination.text("id"));
        String key = newKey();
        var made = post(api, "/api/v1/connections", key, body);
        api.delete(made.header("Location").orElseThrow());
        api.delete(SOURCES + "/" + source.text("id"));

        assertSameAnswer(post(api, "/api/v1/connections", key, body), made);
    }

    @Test
    void a_repeated_resend_sends_nothing_again() {
        var source = api.source("s");
        connectPaused(source);
        String event = api.ingest(source.text("ingest_path"), "{}").text("request_id");
        String path = "/api/v1/events/" + event;
        String key = newKey();

        for (int i = 0; i < 3; i++) {
            assertThat(post(api, path + "/resend", key, "").status()).isEqualTo(202);
        }
        assertThat(api.get(path).json().path("deliveries")).hasSize(2);
        assertThat(post(api, path + "/resend", newKey(), "").status()).isEqualTo(202);
        assertThat(api.get(path).json().path("deliveries")).hasSize(3);
    }

    @Test
    void a_repeated_rotation_ends_no_token() {
        var source = api.source("s");
        String key = newKey();
        String path = SOURCES + "/" + source.text("id") + "/rotate-token";

        var rotated = post(api, path, key, "{}");
        var repeat = post(api, path, key, "{}");

        assertSameAnswer(repeat, rotated);
        assertThat(repeat.text("token")).isNotEqualTo(source.text("token"));
        assertThat(api.ingest(source.text("ingest_path"), "{}").status()).isEqualTo(200);
        assertThat(api.ingest(rotated.text("ingest_path"), "{}").status()).isEqualTo(200);
    }

    @Test
    void another_request_with_the_key_is_422() {
        String key = newKey();
        assertThat(post(api, SOURCES, key, "{'name':'s'}").status()).isEqualTo(201);

        var otherBody = post(api, SOURCES, key, "{'name':'t'}");
        var otherPath =
                post(api, "/api/v1/destinations", key, "{'name':'s'}"); // 422 for its body, too

        assertThat(otherBody.status()).isEqualTo(422);
        assertThat(otherBody.errorCode()).isEqualTo("idempotency_key_reused");
        assertThat(otherPath.errorCode()).isEqualTo("idempotency_key_reused");
        assertThat(post(api, SOURCES, key, "{'name': 's'}").status()).isEqualTo(422);
        assertThat(api.post(SOURCES, "{'name':'s'}").status()).isEqualTo(201);
    }

    @Test
    void the_repeat_of_a_creation_with_a_secret_is_409_with_its_path() {
        for (var request :
                List.of(
                        byOwner("/api/v1/api-keys", "{'name':'k'}"),
                        byOwner(
                                "/api/v1/workspaces/" + workspace + "/invites",
                                "{'email':'guest@example.com','role':'member'}"))) {
            String key = newKey();
            var made = request.send(first.port(), key);
            var repeat = request.send(second.port(), key);

            assertThat(made.status()).isEqualTo(201);
            assertThat(repeat.status()).isEqualTo(409);
            assertThat(repeat.errorCode()).isEqualTo("conflict");
            assertThat(repeat.header("Location")).isEqualTo(made.header("Location"));
            assertThat(repeat.header(REPLAYED)).hasValue("true");
            assertThat(repeat.errorMessage()).contains(made.text("id"));
            for (String secret : new String[] {"key", "token"}) {
                if (made.json().has(secret)) {
                    assertThat(repeat.body()).doesNotContain(made.text(secret));
                }
            }
            assertThat(owner.delete(made.header("Location").orElseThrow()).status()).isEqualTo(204);
        }
    }

    @Test
    void what_failed_keeps_nothing() {
        String key = newKey();

        assertThat(post(api, SOURCES, key, "{'name':''}").status()).isEqualTo(422);
        assertThat(post(api, SOURCES, key, "{").status()).isEqualTo(400);
        assertThat(post(new ApiClient(first.port(), "slk_no"), SOURCES, key, "{}").status())
                .isEqualTo(401);
        assertThat(post(api, SOURCES, key, "{'name':'s'}").status()).isEqualTo(201);
        String connection = connectPaused(api.source("s")).text("id");
        String bulk = "/api/v1/deliveries/resend-bulk";
        String bulkKey = newKey();
        assertThat(
                        post(
                                        api,
                                        bulk,
                                        bulkKey,
                                        "{'connection_id':'" + connection + "','dry_run':true}")
                                .status())
                .isEqualTo(200);
        assertThat(post(api, bulk, bulkKey, "{'connection_id':'" + connection + "'}").status())
                .isEqualTo(202);
    }

    @Test
    void a_repeat_needs_the_right_to_do_it() {
        String key = newKey();
        var request = byOwner("/api/v1/api-keys", "{'name':'k'}");
        assertThat(request.send(first.port(), key).status()).isEqualTo(201);

        assertThat(post(api, "/api/v1/api-keys", key, "{'name':'k'}").status()).isEqualTo(403);
    }

    @Test
    void workspaces_have_keys_of_their_own() {
        String key = newKey();
        var made = post(api, SOURCES, key, "{'name':'s'}");

        var elsewhere = byOwner(SOURCES, "{'name':'s'}").send(first.port(), key);

        assertThat(elsewhere.status()).isEqualTo(201);
        assertThat(elsewhere.header(REPLAYED)).isEmpty();
        assertThat(elsewhere.text("id")).isNotEqualTo(made.text("id"));
    }

    @Test
    void kept_answers_are_sealed() {
        String key = newKey();
        String password = "correct horse battery";
        var made =
                post(
                        api,
                        SOURCES,
                        key,
                        "{'name':'s','verification_config':{'provider':'basic_auth','username':'u','password':'"
                                + password
                                + "'}}");

        var stored =
                db.call(tx ->
                        tx.single(
                                "select answer from idempotency_key where key = ?",
                                row -> new String(row.bytes("answer"), ISO_8859_1),
                                key));

        assertThat(made.status()).isEqualTo(201);
        assertThat(stored).doesNotContain(made.text("token"), made.text("id"), password);
    }

    @Test
    void an_answer_that_cannot_be_read_is_409_and_nothing_is_done() {
        String key = newKey();
        var _ = post(api, SOURCES, key, "{'name':'s'}");
        db.run(tx -> tx.update("update idempotency_key set answer = '\\x00' where key = ?", key));
        long rows = KeyedOperation.SOURCE.made();

        var repeat = post(api, SOURCES, key, "{'name':'s'}");

        assertThat(repeat.status()).isEqualTo(409);
        assertThat(repeat.errorCode()).isEqualTo("conflict");
        assertThat(KeyedOperation.SOURCE.made()).isEqualTo(rows);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "\u00fc", "a\tb"})
    void a_key_that_cannot_be_is_400(String key) {
        assertThat(rawStatus("Idempotency-Key: " + key)).isEqualTo(400);
    }

    @Test
    void a_key_has_255_characters_at_most_and_comes_once() {
        assertThat(rawStatus("Idempotency-Key: " + "k".repeat(256))).isEqualTo(400);
        assertThat(rawStatus("Idempotency-Key: a\r\nIdempotency-Key: b")).isEqualTo(400);
        assertThat(rawStatus("Idempotency-Key: ~!" + "k".repeat(253))).isEqualTo(201);
    }

    private static int rawStatus(String header) {
        String body = "{\"name\":\"s\"}";
        return RawHttp.send(
                        first.port(),
                        ("POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%s\r\n"
                                        + "Content-Type: application/json\r\nContent-Length: %d\r\n"
                                        + "Connection: close\r\n\r\n%s")
                                .formatted(
                                        SOURCES,
                                        RunningSluice.API_KEY,
                                        header,
                                        body.length(),
                                        body))
                .status();
    }

    @Test
    void after_a_day_a_key_is_new_and_its_row_is_deleted() {
        String key = newKey();
        String untouched = newKey();
        var made = post(api, SOURCES, key, "{'name':'s'}");
        var _ = post(api, SOURCES, untouched, "{'name':'s'}");

        clock.advance(Duration.ofHours(24).minusMillis(1));
        assertSameAnswer(post(api, SOURCES, key, "{'name':'s'}"), made);
        clock.advance(Duration.ofMillis(1));
        var again = post(api, SOURCES, key, "{'name':'t'}");

        assertThat(again.status()).isEqualTo(201);
        assertThat(again.header(REPLAYED)).isEmpty();
        new IdempotencyKeyPruner(db, clock).run();
        assertThat(countOf(key)).isEqualTo(1);
        assertThat(countOf(untouched)).isZero();
    }

    private static long countOf(String key) {
        return db.call(tx ->
                tx.single(
                        "select count(*) as n from idempotency_key where key = ?",
                        row -> row.number("n"),
                        key));
    }

    @Test
    void thousands_of_keys_go_with_their_workspace() {
        var person = Person.register(api, "many@example.com");
        String id = person.get("/api/v1/me").json().path("workspace").path("id").asString();
        db.run(tx ->
                tx.update(
                        """
                        insert into idempotency_key (owner_id, key, answer, created_at)
                        select ?, 'key ' || n, '', ? from generate_series(1, 9000) as n
                        """,
                        UUID.fromString(id),
                        clock.instant().minus(Duration.ofHours(23))));

        var created =
                person.send(
                        Person.withBody(
                                person.request(SOURCES).header("Idempotency-Key", "new"),
                                "{'name':'s'}"));

        assertThat(created.status()).isEqualTo(201);
        person.delete("/api/v1/workspaces/" + id);
        long left =
                db.call(tx ->
                        tx.single(
                                "select count(*) as n from idempotency_key where owner_id = ?",
                                row -> row.number("n"),
                                UUID.fromString(id)));
        assertThat(left).isZero();
    }
}
