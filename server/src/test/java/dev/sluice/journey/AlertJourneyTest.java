package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RunningSluice;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.Mailbox;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.Receiver.ReceivedRequest;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;

/// Tests alerts from the webhook that comes in to the message that somebody reads.
class AlertJourneyTest {

    private static final Duration ARRIVAL_TIMEOUT = Duration.ofSeconds(30);

    private static List<ReceivedRequest> await(Receiver receiver, int number) {
        Awaitility.await()
                .atMost(ARRIVAL_TIMEOUT)
                .until(() -> receiver.requests().size() >= number);
        return receiver.requests();
    }

    private static void create(RunningSluice sluice, String channel, String config) {
        var created =
                sluice.api()
                        .post(
                                "/api/v1/alert-configs",
                                "{'channel': '%s', 'config': %s}".formatted(channel, config));
        assertThat(created.status()).isEqualTo(201);
    }

    @Test
    void a_failed_delivery_is_told_over_each_channel() throws IOException {
        try (var mailbox = Mailbox.start();
                var target = Receiver.start();
                var messenger = Receiver.start();
                var webhook = Receiver.start()) {
            var settings = new HashMap<>(mailbox.settings());
            settings.put("SLUICE_MESSENGER_API_URL", "http://127.0.0.1:" + messenger.port());
            settings.put("SLUICE_BASE_URL", "https://relay.example");
            settings.put("SLUICE_ALERT_MAIL_DOMAINS", "example.com");
            try (var sluice = RunningSluice.start(settings)) {
                var api = sluice.api();
                create(sluice, "email", "{'to': 'ann@example.com'}");
                create(sluice, "messenger", "{'token': '12:ab', 'chat_id': -7}");
                create(sluice, "webhook", "{'url': '" + webhook.url() + "'}");
                target.willAnswer(400);
                String workspace =
                        api.get("/api/v1/me").json().path("workspace").path("id").asString();
                var source = api.source("Shop");
                var destination = api.destination(target.url(), "");
                api.connect(source, destination);

                api.ingest(source.text("ingest_path"), "{}");

                var mail = mailbox.awaitMessages("ann@example.com", 1).getFirst();
                assertThat(subject(mail)).isEqualTo("Sluice: 1 delivery to \"d\" failed");
                assertThat(Mailbox.text(mail))
                        .contains("Destination \"d\" at 127.0.0.1:" + target.port())
                        .contains("- Source \"Shop\": 1 failed without a retry")
                        .contains("Last error: ")
                        .contains("400")
                        .contains(
                                "Dead letters: https://relay.example/w/"
                                        + workspace
                                        + "/failures?source="
                                        + source.text("id"))
                        .contains("in 10 minutes at the earliest");
                var chat = await(messenger, 1).getFirst();
                assertThat(chat.line()).isEqualTo("POST /bot12:ab/sendMessage HTTP/1.1");
                assertThat(chat.body())
                        .contains("\"chat_id\":-7")
                        .contains("Sluice: 1 delivery to \\\"d\\\" failed");
                var posted = await(webhook, 1).getFirst().body();
                assertThat(posted)
                        .contains("\"kind\":\"failing\"")
                        .contains("\"failed\":1")
                        .contains(destination.text("id"));
                Awaitility.await()
                        .atMost(ARRIVAL_TIMEOUT)
                        .until(() -> isSentOverAll(api.get("/api/v1/alert-configs")));
            }
        }
    }

    private static String subject(MimeMessage mail) {
        try {
            return mail.getSubject();
        } catch (MessagingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isSentOverAll(ApiResponse list) {
        return list.json()
                .path("items")
                .valueStream()
                .noneMatch(item -> item.path("last_sent_at").isNull());
    }

    @Test
    void a_destination_whose_auth_cannot_be_read_is_told() throws IOException {
        try (var webhook = Receiver.start();
                var sluice = RunningSluice.start()) {
            var api = sluice.api();
            var destination =
                    api.destination(
                            "https://example.com/",
                            ", 'auth_config': {'type': 'hmac', 'secret': 'topsecret'}");
            api.connect(api.source("Shop"), destination);
            StoredSettings.auth(sluice, destination, "{\"type\":\"of a later version\"}");
            Awaitility.await()
                    .atMost(ARRIVAL_TIMEOUT)
                    .until(() ->
                            api.get("/api/v1/destinations/" + destination.text("id"))
                                    .json()
                                    .has("unreadable_fields"));

            create(sluice, "webhook", "{'url': '" + webhook.url() + "'}");

            assertThat(await(webhook, 1).getFirst().body())
                    .contains("\"kind\":\"unreadable\"")
                    .contains("cannot read its settings");
        }
    }

    @Test
    void a_source_whose_verification_cannot_be_read_is_told() throws IOException {
        try (var webhook = Receiver.start();
                var sluice = RunningSluice.start()) {
            var source = sluice.api().source("Shop");
            StoredSettings.verification(sluice, source, "{\"provider\":\"of a later version\"}");
            Awaitility.await()
                    .atMost(ARRIVAL_TIMEOUT)
                    .until(() ->
                            sluice.api().ingest(source.text("ingest_path"), "{}").status() == 401);

            create(sluice, "webhook", "{'url': '" + webhook.url() + "'}");

            assertThat(await(webhook, 1).getFirst().body())
                    .contains("\"kind\":\"unreadable\"")
                    .contains("every webhook to it is answered 401")
                    .contains(source.text("id"));
        }
    }

    @Test
    void an_outage_and_its_end_are_told_and_what_is_between_is_folded() throws IOException {
        var clock = ManualClock.ofNow();
        try (var target = Receiver.start();
                var webhook = Receiver.start();
                var sluice = RunningSluice.start(clock)) {
            var api = sluice.api();
            create(sluice, "webhook", "{'url': '" + webhook.url() + "'}");
            target.willAnswer(503);
            var source = api.source("Shop");
            api.connect(source, api.destination(target.url(), ""));

            for (int i = 0; i < 5; i++) {
                api.ingest(source.text("ingest_path"), "{}");
            }
            var opened = await(webhook, 1).getFirst().body();
            target.willAnswer(200);
            clock.advance(Duration.ofMinutes(2)); // the probe
            var recovered = await(webhook, 2).get(1).body();

            assertThat(opened)
                    .contains("\"kind\":\"failing\"")
                    .contains("cannot be reached")
                    .contains("\"circuit_open\":true");
            assertThat(recovered)
                    .contains("\"kind\":\"recovered\"")
                    .contains("can be reached again")
                    .contains("\"circuit_open\":false");
        }
    }
}
