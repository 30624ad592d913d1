package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.gateway.connection.ReplacedConnectionStore;
import dev.sluice.gateway.destination.ReplacedDestinationStore;
import dev.sluice.gateway.source.ReplacedSourceStore;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// Tests that the API shows what an attempt sent, however the configuration changed since.
class SentRequestTest {

    private static final String AUTH =
            ", 'auth_config': {'type': 'hmac', 'secret': 'signing-secret'}, 'custom_headers':"
                    + " {'X-Team': 'orders', 'X-Key': 'header-secret'}, 'secret_headers':"
                    + " ['X-Key'], 'retry_policy': {'intervals_seconds': [30, 30]}";

    private static final String TRANSFORMATION =
            "{'transformation': {'set_headers': [{'name': 'X-Source', 'value':"
                    + " '{{source.name}} at {{timestamp}}'}], 'rename_headers': [{'from':"
                    + " 'X-Topic', 'to': 'X-Kind'}], 'merge_body_fields': {'shop': 7}}}";

    private static final ManualClock clock = ManualClock.ofNow();

    @AutoClose private static final RunningSluice sluice = RunningSluice.start(clock);
    private static final ApiClient api = sluice.api();

    private Receiver receiver;
    private Receiver moved;
    private ApiResponse source;
    private ApiResponse destination;
    private ApiResponse connection;

    @BeforeEach
    void connect() {
        receiver = Receiver.start();
        moved = Receiver.start();
        source = api.source("Shop");
        destination = api.destination(receiver.url(), AUTH);
        connection = api.connect(source, destination);
        patch("connections", connection, TRANSFORMATION);
    }

    @AfterEach
    void close() throws IOException {
        receiver.close();
        moved.close();
    }

    @Test
    void it_is_what_the_receiver_got_with_its_secrets_masked() {
        var delivery = EventReader.delivery(api, ingest("{\"n\":1}"), "succeeded");

        var sent = sent(delivery, 1);

        var got = receiver.requests().getFirst();
        assertThat(sent.status()).isEqualTo(200);
        assertThat(sent.text("method")).isEqualTo("POST");
        assertThat(sent.text("url")).isEqualTo(receiver.url());
        assertThat(sent.text("body")).isEqualTo(got.body()).isEqualTo("{\"n\":1,\"shop\":7}");
        assertThat(sent.json().path("was_sent").asBoolean()).isTrue();
        assertThat(sent.text("attempted_at"))
                .isEqualTo(delivery.path("attempts").path(0).path("attempted_at").asString());
        assertThat(lines(sent)).containsExactlyElementsOf(masked(got.headers()));
        assertThat(got.values("X-Key")).containsExactly("header-secret");
        assertThat(sent.body()).doesNotContain("signing-secret").doesNotContain("header-secret");
    }

    @Test
    void each_attempt_shows_the_configuration_that_it_was_made_with() {
        receiver.willAnswer(503, 503);
        var event = ingest("{\"n\":1}");
        EventReader.deliveryAfter(1, api, event);
        changeAll();
        clock.advance(Duration.ofMinutes(1));
        var delivery = EventReader.delivery(api, event, "succeeded");
        patch(
                "destinations",
                destination,
                "{'url': 'https://example.com/third', 'auth_config': {'type': 'none'},"
                        + " 'custom_headers': {}}");
        api.delete("/api/v1/connections/" + connection.text("id"));
        api.delete("/api/v1/destinations/" + destination.text("id"));

        var first = sent(delivery, 1);
        var second = sent(delivery, 2);

        assertThat(first.text("url")).isEqualTo(receiver.url());
        assertThat(lines(first))
                .containsExactlyElementsOf(masked(receiver.requests().getFirst().headers()))
                .contains("X-Team: orders", "X-Service-Attempt: 1")
                .anyMatch(line -> line.startsWith("X-Source: Shop at "));
        assertThat(second.text("url")).isEqualTo(moved.url());
        assertThat(lines(second))
                .containsExactlyElementsOf(masked(moved.requests().getFirst().headers()))
                .contains("Authorization: ***", "X-Service-Attempt: 2", "X-From: Market")
                .noneMatch(line -> line.startsWith("X-Topic") || line.startsWith("X-Team"));
    }

    /// The value may still be in use.
    @Test
    void a_header_that_was_marked_as_secret_later_is_masked_in_earlier_attempts() {
        var delivery = EventReader.delivery(api, ingest("{}"), "succeeded");
        assertThat(lines(sent(delivery, 1))).contains("X-Team: orders");

        patch("destinations", destination, "{'secret_headers': ['x-team', 'X-Key']}");

        assertThat(lines(sent(delivery, 1))).contains("X-Team: ***");
    }

    private void changeAll() {
        patch(
                "destinations",
                destination,
                "{'url': '%s', 'auth_config': {'type': 'basic_auth', 'username': 'u', 'password': 'p'},"
                                .formatted(moved.url())
                        + " 'custom_headers': {}, 'secret_headers': []}");
        patch(
                "connections",
                connection,
                "{'transformation': {'set_headers': [{'name': 'X-From', 'value':"
                        + " '{{source.name}}'}]}}");
        // From now on the header counts as the sender's credential, which is not forwarded.
        patch(
                "sources",
                source,
                "{'name': 'Market', 'verification_config': {'provider': 'api_key', 'header':"
                        + " 'X-Topic', 'key': 'k'}}");
    }

    @Test
    void what_did_not_reach_the_receiver_was_not_sent() throws IOException {
        receiver.close();
        var delivery = EventReader.deliveryAfter(1, api, ingest("{}"));

        var sent = sent(delivery, 1);

        assertThat(sent.json().path("was_sent").asBoolean(true)).isFalse();
        assertThat(sent.text("url")).isEqualTo(receiver.url());
    }

    @Test
    void whether_a_request_without_a_response_was_sent_is_not_known() {
        receiver.willDo(new Receiver.AcceptBehaviour(Receiver.ConnectionAction.RESET));
        var delivery = EventReader.deliveryAfter(1, api, ingest("{}"));

        var sent = sent(delivery, 1);

        assertThat(sent.json().path("was_sent").isNull()).isTrue();
    }

    @Test
    void an_attempt_whose_transformation_failed_sent_nothing() {
        sluice.saveSourceName(source.text("id"), "two\nlines");
        api.source("another, whose creation loads the name");
        var delivery = EventReader.deliveryAfter(1, api, ingest("{}"));

        var sent = sent(delivery, 1);

        assertThat(sent.status()).isEqualTo(409);
        assertThat(sent.errorMessage())
                .startsWith("Nothing was sent. The transformation sets the header X-Source to");
    }

    @Test
    void another_workspaces_attempt_and_one_that_is_not_there_are_not_found() {
        var delivery = EventReader.delivery(api, ingest("{}"), "succeeded");
        var other = WorkspaceFixture.create(sluice, "team");

        assertThat(other.get(path(delivery, "1")).status()).isEqualTo(404);
        assertThat(sent(delivery, 2).status()).isEqualTo(404);
        api.delete("/api/v1/sources/" + source.text("id"));
        assertThat(sent(delivery, 1).status()).isEqualTo(404);
        api.post("/api/v1/sources/" + source.text("id") + "/restore", "{}");
        assertThat(sent(delivery, 1).status()).isEqualTo(200);
        assertThat(api.get("/api/v1/deliveries/" + UUID.randomUUID() + "/attempts/1/request"))
                .extracting(ApiResponse::status)
                .isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "01", "x", "1.0", "99999999999999999999"})
    void a_wrong_number_is_not_found(String number) {
        var delivery = EventReader.delivery(api, ingest("{}"), "succeeded");

        assertThat(api.get(path(delivery, number)).status()).isEqualTo(404);
    }

    @Test
    void what_no_attempt_names_any_more_leaves_the_tables() {
        changeAll();
        assertThat(kept()).isEqualTo(4); // connect() changed the transformation, too

        var later = clock.instant().plus(Duration.ofDays(1));
        sluice.db()
                .run(tx -> {
                    assertThat(ReplacedDestinationStore.removeBefore(tx, later, 1_000))
                            .isPositive();
                    assertThat(ReplacedConnectionStore.removeBefore(tx, later, 1_000)).isPositive();
                    assertThat(ReplacedSourceStore.removeBefore(tx, later, 1_000)).isPositive();
                });

        assertThat(kept()).isZero();
    }

    @Test
    void what_is_kept_has_the_time_of_the_database() {
        clock.advance(Duration.ofHours(1));
        changeAll();

        long later =
                sluice.db()
                        .<Long>call(tx ->
                                tx.single(
                                        """
                                        select (select count(*) from replaced_destination where replaced_at > now())
                                             + (select count(*) from replaced_connection where replaced_at > now())
                                             + (select count(*) from replaced_source where replaced_at > now()) as n
                                        """,
                                        row -> row.number("n")));
        assertThat(later).isZero();
    }

    @Test
    void what_shapes_no_request_is_not_kept() {
        long before = kept();

        patch(
                "destinations",
                destination,
                "{'name': 'other', 'timeout_ms': 5, 'status': 'paused'}");
        patch("connections", connection, "{'enabled': false}");
        patch("sources", source, "{'status': 'paused'}");

        assertThat(kept()).isEqualTo(before);
    }

    private long kept() {
        return sluice.db()
                .<Long>call(tx ->
                        tx.single(
                                """
                                select (select count(*) from replaced_destination where destination_id = ?)
                                     + (select count(*) from replaced_connection where connection_id = ?)
                                     + (select count(*) from replaced_source where source_id = ?) as n
                                """,
                                row -> row.number("n"),
                                UUID.fromString(destination.text("id")),
                                UUID.fromString(connection.text("id")),
                                UUID.fromString(source.text("id"))));
    }

    private ApiResponse ingest(String body) {
        return api.send(
                api.anonymous(source.text("ingest_path"))
                        .header("Content-Type", "application/json")
                        .header("X-Topic", "order")
                        .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private static void patch(String kind, ApiResponse thing, String json) {
        var patched = api.patch("/api/v1/" + kind + "/" + thing.text("id"), json);
        assertThat(patched.status()).as(patched.body()).isEqualTo(200);
    }

    private static ApiResponse sent(JsonNode delivery, int attempt) {
        return api.get(path(delivery, Integer.toString(attempt)));
    }

    private static String path(JsonNode delivery, String attempt) {
        return "/api/v1/deliveries/" + id(delivery) + "/attempts/" + attempt + "/request";
    }

    private static UUID id(JsonNode delivery) {
        return UUID.fromString(delivery.path("id").asString());
    }

    private static List<String> lines(ApiResponse sent) {
        var lines = new ArrayList<String>();
        for (var header : sent.json().path("headers")) {
            lines.add(header.path("name").asString() + ": " + header.path("value").asString());
        }
        return lines;
    }

    /// Masks what is secret of the lines that the receiver got.
    private static List<String> masked(List<String> lines) {
        return lines.stream()
                .map(line ->
                        line.replaceFirst(
                                "(?i)^(X-Service-Signature|X-Key|Authorization): .*", "$1: ***"))
                .toList();
    }
}
