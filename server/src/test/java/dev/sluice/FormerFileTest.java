package dev.sluice;

import static dev.sluice.DataTransferRun.importing;
import static dev.sluice.DataTransferRun.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.features.audit.DatabaseAuditor;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.SchemaMigrator;
import dev.sluice.platform.secret.Sha256;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.Person;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Tests the import of a file that the last version with 38 migrations wrote.
///
/// The file stays as it is: a backup must be readable for years. Its secrets are sealed with
/// [RunningSluice#MASTER_KEY].
class FormerFileTest {

    static final Path FILE = Path.of("src/test/resources/transfer/schema-38.sluice");

    private static final String SENDER_SECRET = "shop-sender-secret";
    private static final String SECOND_API_KEY = "slk_tLcYDnW6ZL9dj2UHJpuaOlLSvkvrio16qdxt";

    /// The hash of a body of 300 random bytes.
    private static final String RANDOM_BODY_HASH =
            "a387721ebc7a817469dc7ee2e5467c8e1dd9407f02dd2772c7493ff19e14027c";

    /// Creates a database in which nobody has made a schema.
    private static Database bareDatabase() {
        var database = TestPostgres.newDatabase();
        try (var db = TestPostgres.open(database)) {
            db.run(tx -> tx.update("drop schema sluice cascade"));
        }
        return database;
    }

    private static Database imported() {
        var database = bareDatabase();
        var run = importing(settings(database), FILE.toString());
        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.err()).contains("Imported 177 rows, 10 events.");
        return database;
    }

    private static long count(Db db, String rows) {
        return db.call(
                tx -> tx.single("select count(*) as n from " + rows, row -> row.number("n")));
    }

    @Test
    void file_of_the_version_before_is_imported_and_brought_up_to_date() {
        var database = imported();

        var version = SchemaMigrator.version(database);
        assertThat(version.applied()).isEqualTo(version.newest());
        try (var db = TestPostgres.open(database)) {
            var report = DatabaseAuditor.check(db);
            assertThat(report.isClean()).as(report.toString()).isTrue();
        }
    }

    @Test
    void events_arrive_byte_for_byte() {
        List<String> bodies;
        try (var db = TestPostgres.open(imported())) {
            bodies =
                    db.call(tx ->
                            tx.query(
                                    "select method, body from event order by id",
                                    row ->
                                            row.text("method")
                                                    + " "
                                                    + HexFormat.of().formatHex(row.bytes("body"))));
        }

        byte[] allBytes = new byte[256];
        for (int i = 0; i < allBytes.length; i++) {
            allBytes[i] = (byte) i;
        }
        var others = new ArrayList<>(bodies);
        String random = others.remove(5);
        assertThat(random).startsWith("PUT ");
        byte[] randomBody = HexFormat.of().parseHex(random.substring("PUT ".length()));
        assertThat(HexFormat.of().formatHex(Sha256.hash(randomBody))).isEqualTo(RANDOM_BODY_HASH);
        assertThat(others)
                .containsExactly(
                        post("{\"kind\":\"order\",\"n\":1,\"text\":\"Straße\"}"),
                        post("{\"kind\":\"refund\",\"n\":2}"),
                        post("{\"kind\":\"noise\",\"n\":3}"),
                        post(
                                "{\"kind\":\"order\",\"n\":4,\"pad\":\""
                                        + "again and ".repeat(60)
                                        + "\"}"),
                        "POST " + HexFormat.of().formatHex(allBytes),
                        "POST ",
                        post("{}"),
                        post("{\"kind\":\"order\",\"n\":5}"),
                        post("{\"kind\":\"noise\",\"n\":6}"));
    }

    private static String post(String body) {
        return "POST " + HexFormat.of().formatHex(body.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void deliveries_and_counts_arrive_as_they_were() {
        try (var db = TestPostgres.open(imported())) {
            assertThat(count(db, "delivery where status = 3")).as("succeeded").isEqualTo(6);
            assertThat(count(db, "delivery where status = 4")).as("failed").isEqualTo(3);
            assertThat(count(db, "delivery where status = 5")).as("exhausted").isEqualTo(3);
            assertThat(count(db, "delivery_work where next_at is not null")).isEqualTo(2);
            assertThat(count(db, "event where filtered is not null")).isEqualTo(2);
            assertThat(count(db, "attempt")).isEqualTo(5);
            assertThat(count(db, "dismissal")).isEqualTo(2);
            assertThat(count(db, "alert_message")).isEqualTo(2);
            assertThat(count(db, "audit_log")).isEqualTo(24);
            assertThat(sum(db, UsageKind.EVENTS)).isEqualTo(10);
            assertThat(sum(db, UsageKind.OUTCOMES)).as("with those filtered").isEqualTo(14);
            assertThat(sum(db, UsageKind.DELIVERIES)).isEqualTo(14);
            assertThat(sum(db, UsageKind.REFUSALS)).isZero();
        }
    }

    private static long sum(Db db, UsageKind kind) {
        return db.call(tx ->
                tx.single(
                        "select coalesce(sum(n), 0)::bigint as n from total where kind = ?",
                        row -> row.number("n"),
                        kind.number()));
    }

    @Test
    void configuration_keys_and_secrets_go_on_working() throws IOException {
        var database = imported();
        try (var receiver = Receiver.start()) {
            // Not by the API, which wants the secrets again for another address.
            try (var db = TestPostgres.open(database)) {
                db.run(tx ->
                        tx.update(
                                "update destination set url = ?, status = 'active' where name ="
                                        + " 'Good'",
                                receiver.url()));
            }
            assertSecretsWork(database, receiver);
        }
    }

    private static void assertSecretsWork(Database database, Receiver receiver) throws IOException {
        try (var sluice = RunningSluice.start(settings(database))) {
            var api = new ApiClient(sluice.port(), SECOND_API_KEY);
            Person.signIn(api, FullInstallation.PERSON);
            assertThat(api.get("/api/v1/connections").json().path("items")).hasSize(5);
            assertThat(api.get("/api/v1/alert-configs").json().path("items")).hasSize(2);
            assertThat(named(api, "/api/v1/sources", "Forms").path("response_config"))
                    .hasToString("{\"status\":202,\"content_type\":\"text\",\"body\":\"Danke ✓\"}");
            String path = named(api, "/api/v1/sources", "The shop").path("ingest_path").asString();
            String body = "{\"kind\":\"order\",\"n\":7}";
            assertThat(api.ingest(path, body).status()).as("unsigned").isEqualTo(401);
            String event = sendSigned(api, path, body).text("request_id");

            await().until(() -> !requests(receiver, event).isEmpty());
            var request = requests(receiver, event).getFirst();
            assertThat(request.values("X-Own")).containsExactly("header-that-is-a-secret");
            assertThat(request.values("X-A")).as("transformed").containsExactly("1");
            assertThat(request.values("X-Service-Signature")).hasSize(1);
            assertThat(request.body())
                    .isEqualTo("{\"kind\":\"order\",\"n\":1.5,\"via\":\"sluice\"}");
        }
    }

    private static JsonNode named(ApiClient api, String path, String name) {
        for (var item : api.get(path).json().path("items")) {
            if (item.path("name").asString().equals(name)) {
                return item;
            }
        }
        throw new AssertionError(path + " has no " + name);
    }

    private static ApiResponse sendSigned(ApiClient api, String path, String body) {
        return api.send(
                api.anonymous(path)
                        .header("X-Signature", signature(body))
                        .POST(BodyPublishers.ofString(body)));
    }

    private static String signature(String body) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(
                    new SecretKeySpec(
                            SENDER_SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return HexFormat.of().formatHex(mac.doFinal(body.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<Receiver.ReceivedRequest> requests(Receiver receiver, String event) {
        return receiver.requests().stream()
                .filter(request -> request.values("X-Service-Event-Id").contains(event))
                .toList();
    }

    @Test
    void file_with_compressed_payloads_is_refused(@TempDir Path folder) throws IOException {
        // The column that is dropped trades places with one that has values.
        var file = folder.resolve("altered.sluice");
        byte[] altered =
                DataTransferTest.altered(
                        Files.readAllBytes(FILE),
                        "\"verification_reason\",\"encoding\"",
                        "\"encoding\",\"verification_reason\"");
        Files.write(file, altered);

        var run = importing(settings(bareDatabase()), file.toString());

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err())
                .contains("The file has values in event.encoding, which this version does not have")
                .contains("with SLUICE_PAYLOAD_COMPRESSION=off until they have expired")
                .endsWith(" Nothing was imported.\n");
    }

    @Test
    void file_with_headers_that_were_never_sealed_is_refused(@TempDir Path folder)
            throws IOException {
        // The column that is dropped trades places with one that has values.
        var file = folder.resolve("altered.sluice");
        byte[] altered =
                DataTransferTest.altered(
                        Files.readAllBytes(FILE),
                        "\"auth\",\"custom_headers\"",
                        "\"custom_headers\",\"auth\"");
        Files.write(file, altered);
        var database = bareDatabase();

        var run = importing(settings(database), file.toString());

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err())
                .contains("The file has values in destination.custom_headers, which this version")
                .endsWith(" Nothing was imported.\n");
        try (var db = TestPostgres.open(database)) {
            assertThat(count(db, "pg_class where relname = 'workspace'")).isZero();
        }
    }
}
