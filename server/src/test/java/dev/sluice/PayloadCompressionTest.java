package dev.sluice;

import static dev.sluice.DataTransferRun.exporting;
import static dev.sluice.DataTransferRun.importing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.SseClient;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// Tests that nobody who reads events sees how they are stored: as they arrived, compressed, or
/// compressed with a dictionary, side by side.
class PayloadCompressionTest {

    private static final Duration TRAINING_TIMEOUT = Duration.ofSeconds(60);

    private static final Map<String, String> ON = Map.of("SLUICE_PAYLOAD_COMPRESSION", "on");

    @TempDir private Path folder;

    /// The bodies of the events that are checked, by id.
    private final Map<String, String> bodies = new LinkedHashMap<>();

    private static Map<String, String> settings(Database database) {
        var settings = new HashMap<>(DataTransferRun.settings(database));
        settings.putAll(ON);
        return settings;
    }

    private static String order(int number) {
        var id = UUID.nameUUIDFromBytes(("order " + number).getBytes(UTF_8));
        return """
        {"type":"order.created","number":%d,"order_id":"%s","currency":"eur","status":"paid","customer":\
        {"name":"Zoe","segment":"retail","phone":null},"description":"An order of the web shop"}\
        """
                .formatted(number, id);
    }

    private void ingest(ApiClient api, ApiResponse source, String body) {
        var accepted = api.ingest(source.text("ingest_path"), body);
        assertThat(accepted.status()).isEqualTo(200);
        bodies.put(accepted.text("request_id"), body);
    }

    private static int encoding(Db db, String event) {
        return db.call(tx ->
                tx.single(
                                "select encoding from event where id = ?",
                                row -> row.integerOrNone("encoding"),
                                UUID.fromString(event))
                        .orElse(-1));
    }

    /// Sends events until one of them is stored with a dictionary.
    private void ingestUntilThereIsADictionary(ApiClient api, ApiResponse source, Db db) {
        for (int i = 0; i < 220; i++) {
            api.ingest(source.text("ingest_path"), order(i));
        }
        await().atMost(TRAINING_TIMEOUT)
                .until(() -> {
                    ingest(api, source, order(1_000 + bodies.size()));
                    return encoding(db, List.copyOf(bodies.keySet()).getLast()) > 0;
                });
        var last = List.copyOf(bodies.entrySet()).getLast();
        bodies.clear();
        bodies.put(last.getKey(), last.getValue());
    }

    private void assertReadable(RunningSluice sluice) {
        var api = sluice.api();
        var listed = api.get("/api/v1/events?limit=100").json().path("items");
        bodies.forEach((id, body) -> {
            var detail = api.get("/api/v1/events/" + id).json();
            assertThat(detail.path("body").asString()).isEqualTo(body);
            assertThat(detail.path("headers").toString()).contains("Content-Length");
            String type = body.contains("order.created") ? "order.created" : "";
            assertThat(listed)
                    .filteredOn(event -> event.path("id").asString().equals(id))
                    .singleElement()
                    .satisfies(event ->
                            assertThat(event.path("event_type").asString("")).isEqualTo(type));
        });
    }

    @Test
    void all_who_read_events_get_them_as_they_arrived() throws IOException {
        try (var receiver = Receiver.start();
                var sluice = RunningSluice.start(ON);
                var db = sluice.db()) {
            var api = sluice.api();
            var source = api.source("Shop");
            ingestUntilThereIsADictionary(api, source, db);
            var target = api.destination(receiver.url(), ",'status':'paused'");
            var connection = api.connect(source, target);
            assertThat(connection.status()).isEqualTo(201);
            ingest(api, source, order(1)); // with the dictionary
            String orders = String.join(",", Collections.nCopies(200, order(2)));
            ingest(
                    api,
                    source,
                    "{\"type\":\"order.created\",\"orders\":[" + orders + "]}"); // without
            ingest(api, source, "short");
            ingest(api, source, "");
            var kinds = bodies.keySet().stream().map(id -> encoding(db, id)).toList();
            assertThat(kinds).filteredOn(kind -> kind > 0).hasSize(4);
            assertThat(kinds.get(2)).isZero();

            assertReadable(sluice);

            // Deliveries that waited read their payloads back.
            var delivered = List.copyOf(bodies.values()).subList(1, 5);
            api.patch("/api/v1/destinations/" + target.text("id"), "{'status':'active'}");
            await().untilAsserted(() ->
                    assertThat(receiver.requests())
                            .extracting(Receiver.ReceivedRequest::body)
                            .containsExactlyInAnyOrderElementsOf(delivered));

            var resent = new ArrayList<>(delivered);
            for (String id : List.copyOf(bodies.keySet()).subList(1, 5)) {
                var deliveries = api.get("/api/v1/events/" + id).json().path("deliveries");
                String path =
                        "/api/v1/deliveries/"
                                + deliveries.get(0).path("id").asString()
                                + "/attempts/1/request";
                await().untilAsserted(() ->
                        assertThat(api.get(path).json().path("body").asString())
                                .isEqualTo(bodies.get(id)));
                assertThat(api.post("/api/v1/events/" + id + "/resend", "{}").status())
                        .isEqualTo(202);
                resent.add(bodies.get(id));
            }
            await().untilAsserted(() ->
                    assertThat(receiver.requests())
                            .extracting(Receiver.ReceivedRequest::body)
                            .containsExactlyInAnyOrderElementsOf(resent));
            assertStreamed(sluice);
            assertExported(sluice);
        }
    }

    /// A stream that continues after the first of the events gets the others.
    private void assertStreamed(RunningSluice sluice) {
        var ids = List.copyOf(bodies.keySet());
        try (var stream =
                SseClient.open(
                        sluice.port(),
                        "/api/v1/stream?detail=full",
                        RunningSluice.API_KEY,
                        ids.getFirst())) {
            await().untilAsserted(() ->
                    assertThat(stream.messages("event"))
                            .filteredOn(
                                    message -> ids.contains(message.data().path("id").asString()))
                            .extracting(message -> message.data().path("body").asString())
                            .containsExactlyElementsOf(
                                    List.copyOf(bodies.values()).subList(1, bodies.size())));
        }
    }

    /// Dictionaries travel with the rows and keep their numbers.
    private void assertExported(RunningSluice sluice) {
        var file = folder.resolve("all.sluice").toString();
        var run = exporting(settings(sluice.database()), file);
        assertThat(run.status()).as(run.err()).isZero();
        var other = bareDatabase();
        var read = importing(settings(other), file);
        assertThat(read.status()).as(read.err()).isZero();
        try (var elsewhere = RunningSluice.start(settings(other));
                var db = TestPostgres.open(other)) {
            assertReadable(elsewhere);
            var source = elsewhere.api().source("Another");
            ingestUntilThereIsADictionary(elsewhere.api(), source, db);
            long numbers =
                    db.call(tx ->
                            tx.single(
                                    "select count(distinct number) as n from payload_dictionary",
                                    row -> row.number("n")));
            assertThat(numbers).isEqualTo(2);
            assertReadable(elsewhere);
        }
    }

    private static Database bareDatabase() {
        var database = TestPostgres.newDatabase();
        try (var db = TestPostgres.open(database)) {
            db.run(tx -> tx.update("drop schema sluice cascade"));
        }
        return database;
    }

    @Test
    void what_was_stored_before_it_was_switched_off_is_read_and_nothing_new_is_compressed() {
        var database = TestPostgres.newDatabase();
        try (var sluice = RunningSluice.start(settings(database))) {
            ingest(sluice.api(), sluice.api().source("Shop"), order(1).repeat(20));
        }
        var off = DataTransferRun.settings(database);
        try (var later = RunningSluice.start(off);
                var db = TestPostgres.open(database)) {
            ingest(later.api(), later.api().source("Other shop"), order(2).repeat(20));
            var ids = List.copyOf(bodies.keySet());
            assertThat(encoding(db, ids.get(0))).isZero();
            assertThat(encoding(db, ids.get(1))).isEqualTo(-1);
            assertReadable(later);
        }
    }

    @Test
    void a_damaged_payload_is_shown_as_unreadable_and_ends_no_stream() {
        try (var sluice = RunningSluice.start(ON);
                var db = sluice.db()) {
            var api = sluice.api();
            var source = api.source("Shop");
            for (int i = 0; i < 4; i++) {
                ingest(api, source, order(i).repeat(20));
            }
            var ids = List.copyOf(bodies.keySet());
            db.run(tx ->
                    tx.update(
                            "update event set body = substring(body from 1 for 50) where id = ?",
                            UUID.fromString(ids.get(1))));
            bodies.remove(ids.get(1));

            var detail = api.get("/api/v1/events/" + ids.get(1));
            assertThat(detail.status()).as(detail.body()).isEqualTo(200);
            assertThat(detail.json().path("payload_unreadable").asBoolean()).isTrue();
            assertThat(detail.json().has("body")).isFalse();
            assertReadable(sluice);
            assertStreamed(sluice);
        }
    }

    @Test
    void plain_rows_are_read_and_resent_after_compression_is_switched_on() throws IOException {
        var database = TestPostgres.newDatabase();
        var off = DataTransferRun.settings(database);
        try (var receiver = Receiver.start()) {
            ApiResponse source;
            try (var before = RunningSluice.start(off)) {
                var api = before.api();
                source = api.source("Shop");
                api.connect(source, api.destination(receiver.url(), ""));
                ingest(api, source, order(1));
                await().until(() -> receiver.requests().size() == 1);
            }
            try (var sluice = RunningSluice.start(settings(database));
                    var db = TestPostgres.open(database)) {
                var api = sluice.api();
                assertReadable(sluice);
                ingest(api, source, order(2).repeat(20));
                var ids = List.copyOf(bodies.keySet());
                assertThat(encoding(db, ids.get(0))).isEqualTo(-1);
                assertThat(encoding(db, ids.get(1))).isZero();
                assertReadable(sluice);
                String path = "/api/v1/events/" + ids.getFirst() + "/resend";
                assertThat(api.post(path, "{}").status()).isEqualTo(202);
                await().untilAsserted(() ->
                        assertThat(receiver.requests())
                                .extracting(Receiver.ReceivedRequest::body)
                                .containsExactlyInAnyOrder(
                                        order(1), order(1), order(2).repeat(20)));
            }
        }
    }
}
