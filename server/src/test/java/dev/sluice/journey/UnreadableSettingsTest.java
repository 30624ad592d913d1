package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Receiver;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.List;

/// Tests rows of the configuration that this server cannot read: written by a later version, sealed
/// with another key, refused by today's rules, or damaged.
class UnreadableSettingsTest {

    private static final String DESTINATION_REASON =
            "Held: the server cannot read some of the destination's settings (see its"
                    + " unreadable_fields). It is sent when those are saved again.";
    private static final String CONNECTION_REASON =
            "Held: the server cannot read some of the connection's settings (see its"
                    + " unreadable_fields). It is sent when those are saved again.";

    @AutoClose private static final RunningSluice sluice = RunningSluice.start();
    private ApiClient api = sluice.api();

    private Receiver receiver;
    private ApiClient.ApiResponse source;
    private ApiClient.ApiResponse destination;
    private ApiClient.ApiResponse connection;

    @BeforeEach
    void open() {
        receiver = Receiver.start();
        source = api.source("s");
        destination =
                api.destination(
                        receiver.url(), ", 'auth_config': {'type': 'hmac', 'secret': 'topsecret'}");
        connection = api.connect(source, destination);
    }

    @AfterEach
    void shut() throws IOException {
        receiver.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'type':'mtls','certificate':'c'}",
                "{'type':'hmac'}",
                "{'type':'hmac','secret':''}",
                "{'type':'hmac','secret':'s','algorithm':'sha3'}",
                "{'type':'standard_webhooks','secret':'whsec_'}",
                "{'type':'api_key','header':'','key':'k'}",
                "{'type':'basic_auth','username':'u'}",
                "{}",
                "[",
            })
    void an_unreadable_auth_config_holds_until_it_is_saved_again(String stored) {
        StoredSettings.auth(sluice, destination, stored.replace('\'', '"'));
        showsUnreadable("destinations", destination, "auth_config");

        var event = api.ingest(source.text("ingest_path"), "{}");

        isHeld(event, DESTINATION_REASON);
        assertThat(read("destinations", destination).json().path("auth_config"))
                .hasToString("{\"type\":\"unreadable\"}");

        // Another setting may be changed, and what is stored is kept.
        assertThat(patch("destinations", destination, "{'name': 'n'}").status()).isEqualTo(200);
        isHeld(event, DESTINATION_REASON);

        var saved =
                patch(
                        "destinations",
                        destination,
                        "{'auth_config': {'type': 'api_key', 'header': 'X-Key', 'key': 'k'}}");
        assertThat(saved.json().has("unreadable_fields")).isFalse();
        EventReader.delivery(api, event, "succeeded");
        assertThat(receiver.requests()).hasSize(1);
        assertThat(receiver.requests().getFirst().values("X-Key")).containsExactly("k");
    }

    @Test
    void an_auth_config_sealed_with_another_key_holds() {
        StoredSettings.update(sluice, "destination", "auth", destination, new byte[60]);
        showsUnreadable("destinations", destination, "auth_config");

        isHeld(api.ingest(source.text("ingest_path"), "{}"), DESTINATION_REASON);
    }

    @Test
    void an_unreadable_url_holds() {
        StoredSettings.update(sluice, "destination", "url", destination, "https://h:6667/irc");
        showsUnreadable("destinations", destination, "url");
        var event = api.ingest(source.text("ingest_path"), "{}");
        isHeld(event, DESTINATION_REASON);

        var auth = ", 'auth_config': {'type': 'hmac', 'secret': 'topsecret'}";
        patch("destinations", destination, "{'url': '" + receiver.url() + "'" + auth + "}");

        EventReader.delivery(api, event, "succeeded");
    }

    /// An event that the filter might let pass must not be lost, so its delivery waits.
    @ParameterizedTest
    @ValueSource(
            strings = {"{\"operator\":\"nor\",\"rules\":[]}", "null", "{", "{\"a\":", "\"x\" y"})
    void an_unreadable_filter_holds_until_it_is_saved_again(String stored) {
        StoredSettings.update(sluice, "connection", "filter", connection, stored);
        showsUnreadable("connections", connection, "filter_rules");

        var event = api.ingest(source.text("ingest_path"), "{}");

        isHeld(event, CONNECTION_REASON);
        var unchanged = patch("connections", connection, "{'enabled': true}");
        assertThat(unchanged.json().path("filter_rules").isNull()).isTrue();
        isHeld(event, CONNECTION_REASON);

        patch("connections", connection, "{'filter_rules': null}");

        EventReader.delivery(api, event, "succeeded");
    }

    @Test
    void an_unreadable_transformation_holds_and_is_not_previewed_as_none() {
        StoredSettings.update(
                sluice, "connection", "transformation", connection, "{\"encrypt_body\":true}");
        showsUnreadable("connections", connection, "transformation");

        var event = api.ingest(source.text("ingest_path"), "{}");

        isHeld(event, CONNECTION_REASON);
        var preview =
                api.post(
                        "/api/v1/connections/preview",
                        "{'connection_id': '%s', 'sample': {'body': '{}'}}"
                                .formatted(connection.text("id")));
        assertThat(preview.json().path("request").isNull()).isTrue();
        assertThat(preview.text("transformation_error"))
                .isEqualTo("The connection's transformation cannot be read.");

        patch("connections", connection, "{'transformation': null}");

        EventReader.delivery(api, event, "succeeded");
    }

    @Test
    void an_unreadable_row_keeps_nobody_from_starting_or_working_and_is_logged_once() {
        var other = api.source("other");
        api.connect(other, api.destination(receiver.url(), ""));
        StoredSettings.auth(sluice, destination, "{\"type\":\"mtls\"}");
        StoredSettings.update(sluice, "connection", "filter", connection, "{");
        StoredSettings.verification(sluice, source, "{\"provider\":\"mtls\"}");
        showsUnreadable("destinations", destination, "auth_config");
        var logged = new ListAppender<ILoggingEvent>();
        var logger = (Logger) LoggerFactory.getLogger("dev.sluice.gateway.routing");
        logged.start();
        logger.addAppender(logged);

        try {
            sluice.restart();
            api = sluice.api();
            api.ingest(source.text("ingest_path"), "{}");
            api.ingest(source.text("ingest_path"), "{}");
            patch("destinations", destination, "{'name': 'n'}");
            var delivered = api.ingest(other.text("ingest_path"), "{}");
            EventReader.delivery(api, delivered, "succeeded");
        } finally {
            logger.detachAppender(logged);
        }

        assertThat(logged.list)
                .filteredOn(event -> event.getLevel() == Level.ERROR)
                .filteredOn(event -> isAbout(event, source, destination, connection))
                .extracting(ILoggingEvent::getMessage)
                .containsExactlyInAnyOrder(
                        "source.read_failed", "destination.read_failed", "connection.read_failed");
    }

    @Test
    void an_unreadable_source_is_logged_when_it_comes_back_from_the_trash() {
        String path = "/api/v1/sources/" + source.text("id");
        assertThat(api.delete(path).status()).isEqualTo(204);
        StoredSettings.verification(sluice, source, "{\"provider\":\"mtls\"}");
        var logged = new ListAppender<ILoggingEvent>();
        var logger = (Logger) LoggerFactory.getLogger("dev.sluice.gateway.routing");
        logged.start();
        logger.addAppender(logged);

        try {
            sluice.restart(); // the node has read the row before the source is restored
            api = sluice.api();
            assertThat(api.post(path + "/restore", "{}").status()).isEqualTo(200);
            await().until(() -> api.ingest(source.text("ingest_path"), "{}").status() == 401);
        } finally {
            logger.detachAppender(logged);
        }

        assertThat(logged.list)
                .filteredOn(event -> isAbout(event, source))
                .extracting(ILoggingEvent::getMessage)
                .containsExactly("source.read_failed");
    }

    private static boolean isAbout(ILoggingEvent event, ApiClient.ApiResponse... records) {
        String fields = String.valueOf(event.getKeyValuePairs());
        return List.of(records).stream().anyMatch(record -> fields.contains(record.text("id")));
    }

    private ApiClient.ApiResponse read(String kind, ApiClient.ApiResponse record) {
        return api.get("/api/v1/" + kind + "/" + record.text("id"));
    }

    private ApiClient.ApiResponse patch(String kind, ApiClient.ApiResponse record, String json) {
        return api.patch("/api/v1/" + kind + "/" + record.text("id"), json);
    }

    /// Checks that the API says so, and makes the server refresh its memory, as a preview does.
    private void showsUnreadable(String kind, ApiClient.ApiResponse record, String field) {
        assertThat(read(kind, record).json().path("unreadable_fields"))
                .hasToString("[\"" + field + "\"]");
        var _ =
                api.post(
                        "/api/v1/connections/preview",
                        "{'connection_id': '%s', 'sample': {'body': '{}'}}"
                                .formatted(connection.text("id")));
    }

    private void isHeld(ApiClient.ApiResponse event, String reason) {
        await().untilAsserted(() -> {
            var delivery = EventReader.delivery(api, event);
            assertThat(delivery.path("status").asString()).isEqualTo("pending");
            assertThat(delivery.path("reason").asString()).isEqualTo(reason);
            assertThat(delivery.path("attempts")).isEmpty();
        });
        assertThat(receiver.requests()).isEmpty();
    }
}
