package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.engine.EventId;
import dev.sluice.engine.ledger.LedgerRow;
import dev.sluice.engine.ledger.LedgerStore;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Damage;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.GivenRows.EventRow;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.SseClient;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/// Tests live streams over two nodes of one relay, read by a client library.
class LiveStreamTest {

    @AutoClose private static final RunningSluice first = RunningSluice.start();
    private static final RunningSluice second = first.second();
    private static final ApiClient api = first.api();

    private ApiClient.ApiResponse source;

    @BeforeEach
    void makeSource() {
        source = api.source("s");
        // The other node knows a new source half a second later.
        await().until(() ->
                api.onPort(second.port()).get(source.text("ingest_path")).status() == 200);
    }

    private String path(String kind) {
        return "/api/v1/sources/" + source.text("id") + "/" + kind;
    }

    private static SseClient open(RunningSluice node, String path) {
        var client = SseClient.open(node.port(), path, RunningSluice.API_KEY);
        client.awaitReady();
        return client;
    }

    /// Sends an event to a node and returns its id.
    private String send(RunningSluice node, String body) {
        var answer = api.onPort(node.port()).ingest(source.text("ingest_path"), body);
        assertThat(answer.status()).isEqualTo(200);
        return answer.text("request_id");
    }

    private static void awaitIds(SseClient client, List<String> ids) {
        await().untilAsserted(() ->
                assertThat(client.eventIds()).containsExactlyInAnyOrderElementsOf(ids));
    }

    @Test
    void a_tail_shows_the_metadata_of_every_nodes_events() {
        try (var client = open(second, path("tail"))) {
            var ids = List.of(send(first, "{\"n\": 1}"), send(second, "{\"n\": 2}"));
            awaitIds(client, ids);
            var item = client.messages("event").getFirst().data();
            assertThat(item.path("source_id").asString()).isEqualTo(source.text("id"));
            assertThat(item.path("method").asString()).isEqualTo("POST");
            assertThat(item.path("content_type").asString()).isEqualTo("application/json");
            assertThat(item.path("body_size").asInt()).isEqualTo(8);
            assertThat(item.path("verification_status").asString()).isEqualTo("skipped");
            assertThat(item.has("body")).isFalse();
        }
    }

    @Test
    void an_event_has_what_its_sender_calls_it() {
        try (var tail = open(second, path("tail"));
                var stream = open(second, path("stream"))) {
            var named = send(first, "{\"type\": \"order.created\"}");
            var nameless = send(first, "{}");
            for (var client : List.of(tail, stream)) {
                awaitIds(client, List.of(named, nameless));
                for (var message : client.messages("event")) {
                    var item = message.data();
                    var type = item.path("event_type");
                    if (item.path("id").asString().equals(named)) {
                        assertThat(type.asString()).isEqualTo("order.created");
                    } else {
                        assertThat(type.isNull()).isTrue();
                    }
                }
            }
        }
    }

    @Test
    void streams_of_one_source_each_get_the_form_that_they_asked_for() {
        String filter =
                "{\"operator\":\"and\",\"rules\":[{\"path\":\"body.n\",\"op\":\"eq\",\"value\":2}]}";
        try (var tail = open(second, path("tail"));
                var sameTail = open(second, path("tail"));
                var stream = open(second, path("stream"));
                var filtered = open(second, path("tail") + "?filter=" + encoded(filter));
                var withOutcomes = open(second, path("tail") + "?include=deliveries")) {
            var ids = List.of(send(first, "{\"n\": 1}"), send(first, "{\"n\": 2}"));

            for (var client : List.of(tail, sameTail, stream, withOutcomes)) {
                awaitIds(client, ids);
            }
            awaitIds(filtered, List.of(ids.getLast()));
            assertThat(sameTail.messages("event")).isEqualTo(tail.messages("event"));
            assertThat(stream.messages("event").getFirst().data().has("body")).isTrue();
            for (var client : List.of(tail, filtered, withOutcomes)) {
                assertThat(client.messages("event").getFirst().data().has("body")).isFalse();
            }
        }
    }

    @Test
    void a_stream_carries_headers_and_body() {
        try (var client = open(first, path("stream"))) {
            send(second, "{\"text\": \"a\\nb\"}");
            await().until(() -> client.eventIds().size() == 1);
            var item = client.messages("event").getFirst().data();
            assertThat(item.path("body").asString()).isEqualTo("{\"text\": \"a\\nb\"}");
            assertThat(item.path("headers").path("Content-Type").asString())
                    .isEqualTo("application/json");
            assertThat(item.path("header_list").isEmpty()).isFalse();
            assertThat(item.has("body_base64")).isFalse();
        }
    }

    @Test
    void a_stream_has_each_header_and_each_byte() {
        byte[] body = {'{', (byte) 0xff, 0, '}'};
        try (var client = open(first, path("stream"))) {
            api.send(
                    api.anonymous(source.text("ingest_path"))
                            .header("X-Twice", "1")
                            .header("X-Twice", "2")
                            .POST(HttpRequest.BodyPublishers.ofByteArray(body)));
            await().until(() -> client.eventIds().size() == 1);
            var item = client.messages("event").getFirst().data();
            assertThat(item.path("body_base64").asString())
                    .isEqualTo(Base64.getEncoder().encodeToString(body));
            assertThat(item.path("headers").path("X-Twice").asString()).isEqualTo("1, 2");
            assertThat(
                            item.path("header_list")
                                    .valueStream()
                                    .filter(header ->
                                            header.path("name").asString().equals("X-Twice"))
                                    .map(header -> header.path("value").asString()))
                    .containsExactly("1", "2");
        }
    }

    @Test
    void outcomes_continue_after_any_message_without_loss_and_without_doubles() throws IOException {
        try (var receiver = Receiver.start()) {
            api.connect(source, api.destination(receiver.url(), ""));
            String query = path("tail") + "?include=deliveries";
            List<SseClient.Message> all;
            try (var client = open(first, query);
                    var whole = open(second, query)) {
                for (int i = 0; i < 5; i++) {
                    send(first, "1"); // the other node may not know the connection yet
                }
                await().until(() -> client.messages("delivery").size() >= 2);
                var cut = client.messages("delivery").get(1);
                var before = client.messages();
                var seen = named(before.subList(0, before.indexOf(cut) + 1));
                send(first, "2");
                await().until(() -> whole.messages("delivery").size() == 6);
                all = whole.messages();
                try (var resumed =
                        SseClient.open(second.port(), query, RunningSluice.API_KEY, cut.id())) {
                    await().until(() ->
                            seen.size() + named(resumed.messages()).size() >= named(all).size());
                    var together = new ArrayList<>(seen);
                    together.addAll(named(resumed.messages()));
                    assertThat(together).containsExactlyInAnyOrderElementsOf(named(all));
                    assertThat(resumed.messages("gap")).isEmpty();
                }
            }
        }
    }

    /// An event or an outcome.
    private record NamedItem(String name, String id) {}

    private static List<NamedItem> named(List<SseClient.Message> messages) {
        return messages.stream()
                .filter(message -> List.of("event", "delivery").contains(message.name()))
                .map(message -> new NamedItem(message.name(), message.data().path("id").asString()))
                .toList();
    }

    @Test
    void a_stream_continues_on_another_node_without_loss_and_without_doubles() {
        var ids = new ArrayList<String>();
        var seen = new ArrayList<String>();
        String lastId;
        try (var client = open(first, path("tail"))) {
            for (int i = 0; i < 5; i++) {
                ids.add(send(first, "1"));
                ids.add(send(second, "2"));
            }
            await().until(() -> client.eventIds().size() >= 7);
            // Wherever the client was when its connection broke, even within a round.
            var some = client.messages("event").subList(0, 7);
            some.forEach(message -> seen.add(message.data().path("id").asString()));
            lastId = some.getLast().id();
        }
        for (int i = 0; i < 5; i++) {
            ids.add(send(second, "3"));
        }
        try (var client =
                SseClient.open(second.port(), path("tail"), RunningSluice.API_KEY, lastId)) {
            client.awaitReady();
            ids.add(send(first, "4"));
            await().untilAsserted(() -> {
                var all = new ArrayList<>(seen);
                all.addAll(client.eventIds());
                assertThat(all).containsExactlyInAnyOrderElementsOf(ids);
            });
            assertThat(client.messages("gap")).isEmpty();
        }
    }

    @Test
    void an_event_that_is_committed_late_is_neither_lost_nor_doubled() {
        var ids = new ArrayList<String>();
        var late = Some.eventId(Instant.now().minusSeconds(90));
        try (var client = open(second, path("tail"));
                var db = first.db()) {
            ids.add(send(first, "1"));
            awaitIds(client, ids);
            String before = client.lastId();
            db.run(tx -> {
                insertEvent(tx, late);
                // Others are committed and sent meanwhile, with higher ids and later transactions.
                ids.add(send(first, "2"));
                ids.add(send(second, "3"));
                awaitIds(client, ids);
            });
            String after = client.lastId();
            ids.add(late.toString());
            awaitIds(client, ids);
            assertResumed(before, ids.subList(1, 4));
            assertResumed(after, ids.subList(3, 4));
        }
    }

    /// Stores an event as another node would.
    private void insertEvent(Tx tx, EventId event) {
        var id = new SourceId(UUID.fromString(source.text("id")));
        var usage = new LedgerRow();
        usage.addEvent(id, event, VerificationStatus.SKIPPED, 1);
        LedgerStore.write(tx, usage, Some.id(), id);
        var row = new EventRow(event, id, VerificationStatus.SKIPPED, 0, List.of(), "1");
        GivenRows.insertEvents(tx, List.of(row));
    }

    @Test
    void an_event_whose_payload_is_damaged_is_shown_and_hides_no_other() {
        String filter =
                "{\"operator\":\"and\",\"rules\":[{\"path\":\"body.n\",\"op\":\"eq\",\"value\":1}]}";
        String before = send(first, "{\"n\":1}");
        byte[] noise = new byte[Damage.TOASTED_BODY_BYTES]; // random, so that it is not compressed
        new Random(1).nextBytes(noise);
        String torn = send(first, Base64.getEncoder().encodeToString(noise));
        try (var db = first.db()) {
            Damage.remove(db, new EventId(UUID.fromString(torn)), "body");
        }
        String after = "?after=" + before;
        try (var tail = open(first, path("tail") + after);
                var stream = open(first, path("stream") + after);
                var filtered = open(second, path("tail") + after + "&filter=" + encoded(filter))) {
            awaitIds(stream, List.of(torn));
            var readable = send(first, "{\"n\":1}");
            var ids = List.of(torn, readable);

            awaitIds(tail, ids);
            awaitIds(stream, ids);
            awaitIds(filtered, List.of(readable));
            for (var message : stream.messages("event")) {
                boolean isDamaged = message.data().path("id").asString().equals(torn);
                assertThat(message.data().path("payload_unreadable").asBoolean(false))
                        .isEqualTo(isDamaged);
                assertThat(message.data().has("headers")).isNotEqualTo(isDamaged);
                assertThat(message.data().has("body")).isNotEqualTo(isDamaged);
            }
            assertThat(tail.messages("event"))
                    .noneMatch(message -> message.data().has("payload_unreadable"));
            assertThat(filtered.messages("filtered"))
                    .hasSize(1)
                    .allMatch(message ->
                            message.data().path("reason").asString().equals("payload_unreadable"));
        }
    }

    private void assertResumed(String lastId, List<String> ids) {
        try (var client =
                SseClient.open(first.port(), path("tail"), RunningSluice.API_KEY, lastId)) {
            awaitIds(client, ids);
        }
    }

    @Test
    void after_an_events_id_come_those_that_were_stored_later() {
        var ids = List.of(send(first, "1"), send(first, "2"), send(first, "3"));
        try (var client =
                SseClient.open(
                        second.port(),
                        path("tail") + "?after=" + ids.get(0),
                        RunningSluice.API_KEY)) {
            awaitIds(client, ids.subList(1, 3));
            assertThat(client.messages("ready").getFirst().data().path("resumed").asBoolean())
                    .isTrue();
        }
    }

    @Test
    void a_stream_that_was_cut_among_the_oldest_events_continues_after_them() {
        var ids = List.of(send(first, "1"), send(first, "2"), send(first, "3"));
        String place;
        try (var client =
                SseClient.open(
                        first.port(),
                        path("tail") + "?after=00000000-0000-7000-8000-000000000000",
                        RunningSluice.API_KEY)) {
            await().until(() -> client.eventIds().size() == 3);
            place = client.messages("event").get(1).id();
        }
        String last = ids.stream().sorted().toList().get(2);
        try (var client =
                SseClient.open(second.port(), path("tail"), RunningSluice.API_KEY, place)) {
            awaitIds(client, List.of(last));
            assertThat(client.messages("gap")).isEmpty();
        }
    }

    @Test
    void a_stream_of_the_workspace_shows_sources_that_are_made_later_and_only_those_asked_for() {
        var other = api.source("other");
        try (var all = open(first, "/api/v1/stream?detail=full");
                var one = open(first, "/api/v1/stream?source_ids=" + source.text("id"))) {
            var later = api.source("later");
            var ids =
                    List.of(
                            send(first, "1"),
                            api.ingest(other.text("ingest_path"), "2").text("request_id"),
                            api.ingest(later.text("ingest_path"), "3").text("request_id"));
            await().untilAsserted(() -> assertThat(all.eventIds()).containsAll(ids));
            awaitIds(one, ids.subList(0, 1));
        }
    }

    @Test
    void what_a_filter_drops_is_named() {
        String filter =
                "{\"operator\":\"and\",\"rules\":[{\"path\":\"body.n\",\"op\":\"eq\",\"value\":1}]}";
        try (var client = open(first, path("tail") + "?filter=" + encoded(filter))) {
            var dropped = send(first, "{\"n\": 2}");
            var shown = send(first, "{\"n\": 1}");
            awaitIds(client, List.of(shown));
            var item = client.messages("filtered").getFirst().data();
            assertThat(item.path("id").asString()).isEqualTo(dropped);
            assertThat(item.path("reason").asString()).isEqualTo("filter");
        }
    }

    @Test
    void events_are_shown_as_a_connection_would_send_them_and_their_outcomes_follow()
            throws IOException {
        try (var receiver = Receiver.start()) {
            var connection = api.connect(source, api.destination(receiver.url(), ""));
            var changed =
                    api.patch(
                            "/api/v1/connections/" + connection.text("id"),
                            """
                            {'filter_rules': {'operator': 'and', 'rules':
                               [{'path': 'body.n', 'op': 'eq', 'value': 1}]},
                             'transformation': {'set_headers': [{'name': 'X-Mine', 'value': 'yes'}],
                                                'merge_body_fields': {'m': 2}}}
                            """);
            assertThat(changed.status()).isEqualTo(200);
            String query = "?include=deliveries&connection_id=" + connection.text("id");
            try (var client = open(first, path("stream") + query)) {
                var dropped = send(first, "{\"n\":2}");
                var shown = send(first, "{\"n\":1}");
                awaitIds(client, List.of(shown));
                var item = client.messages("event").getFirst().data();
                assertThat(item.path("body").asString()).isEqualTo("{\"n\":1,\"m\":2}");
                assertThat(item.path("headers").path("X-Mine").asString()).isEqualTo("yes");
                var filtered = client.messages("filtered").getFirst().data();
                assertThat(filtered.path("id").asString()).isEqualTo(dropped);
                assertThat(filtered.path("reason").asString()).isEqualTo("connection_filter");
                await().untilAsserted(() -> assertThat(client.messages("delivery")).hasSize(1));
                var outcome = client.messages("delivery").getFirst().data();
                assertThat(outcome.path("event_id").asString()).isEqualTo(shown);
                assertThat(outcome.path("status").asString()).isEqualTo("succeeded");
                assertThat(outcome.path("response_status").asInt()).isEqualTo(200);
                assertThat(outcome.path("attempt_count").asInt()).isEqualTo(1);
            }
        }
    }

    @Test
    void an_event_that_cannot_be_transformed_is_filtered_and_says_why() {
        var lines = api.source("one line");
        first.saveSourceName(lines.text("id"), "two\nlines");
        var connection = api.connect(lines, api.destination("http://127.0.0.1:8000/", ""));
        var changed =
                api.patch(
                        "/api/v1/connections/" + connection.text("id"),
                        """
                        {'transformation':
                          {'set_headers': [{'name': 'X-From', 'value': '{{source.name}}'}]}}
                        """);
        assertThat(changed.status()).as(changed.body()).isEqualTo(200);
        try (var client = open(first, "/api/v1/stream?connection_id=" + connection.text("id"))) {
            var event = api.ingest(lines.text("ingest_path"), "1").text("request_id");
            await().until(() -> !client.messages("filtered").isEmpty());
            var item = client.messages("filtered").getFirst().data();
            assertThat(item.path("id").asString()).isEqualTo(event);
            assertThat(item.path("reason").asString()).isEqualTo("transformation_failed");
            assertThat(item.path("message").asString()).contains("X-From");
            assertThat(client.eventIds()).isEmpty();
        }
    }

    @Test
    void a_wrong_request_is_refused_and_says_what_to_send() {
        var other = Some.id();
        assertThat(api.get("/api/v1/sources/" + other + "/tail").status()).isEqualTo(404);
        assertThat(api.get("/api/v1/stream?source_ids=" + other).status()).isEqualTo(404);
        assertThat(api.get(path("tail") + "?connection_id=" + other).status()).isEqualTo(404);
        var cursor = api.get(path("tail") + "?after=wrong");
        assertThat(cursor.status()).isEqualTo(400);
        assertThat(cursor.errorMessage()).contains("Leave it out to start with the next event.");
        assertThat(api.send(api.request(path("tail")).header("Last-Event-ID", "x").GET()).status())
                .isEqualTo(400);
        assertThat(api.get(path("tail") + "?after=" + Uuid7.floor(Instant.now())).status())
                .isEqualTo(422);
        assertThat(api.get("/api/v1/stream?source_ids=1").status()).isEqualTo(400);
        assertThat(api.get("/api/v1/stream?detail=all").status()).isEqualTo(422);
        assertThat(api.get(path("tail") + "?include=all").status()).isEqualTo(422);
        assertThat(api.get(path("tail") + "?filter=x").status()).isEqualTo(400);
        var filter = api.get(path("tail") + "?filter=" + encoded("{\"operator\": \"xor\"}"));
        assertThat(filter.status()).isEqualTo(422);
        assertThat(filter.errorMessage()).startsWith("filter.");
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Test
    void a_place_in_another_database_is_a_gap() {
        String cursor;
        try (var client = open(first, path("tail"))) {
            cursor = client.lastId();
        }
        String plain = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
        String foreign =
                Base64.getUrlEncoder()
                        .encodeToString(
                                plain.replaceFirst(";[^;]*;", ";1-1;")
                                        .getBytes(StandardCharsets.UTF_8));
        try (var client =
                SseClient.open(first.port(), path("tail"), RunningSluice.API_KEY, foreign)) {
            await().until(() -> !client.messages("gap").isEmpty());
            assertThat(client.messages("gap").getFirst().data().path("reason").asString())
                    .isEqualTo("database_replaced");
            awaitIds(client, List.of(send(first, "1")));
        }
    }
}
