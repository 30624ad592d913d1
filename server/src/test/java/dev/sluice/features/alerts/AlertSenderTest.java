package dev.sluice.features.alerts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.engine.JsonPoster;
import dev.sluice.engine.send.HttpSender;
import dev.sluice.features.alerts.AlertMeter.Fate;
import dev.sluice.gateway.alertconfig.AlertChannel;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.loop.Wake;
import dev.sluice.platform.mail.MailSender;
import dev.sluice.platform.mail.MailServer;
import dev.sluice.platform.mail.MailSettings;
import dev.sluice.platform.net.AddressPolicy;
import dev.sluice.platform.net.Cidr;
import dev.sluice.testkit.LogRecorder;
import dev.sluice.testkit.Mailbox;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.Receiver.ConnectionAction;
import dev.sluice.testkit.Receiver.GatedBehaviour;
import dev.sluice.testkit.Receiver.ScriptedResponse;
import dev.sluice.testkit.RowRefusal;
import dev.sluice.testkit.TestPostgres;

import jakarta.mail.MessagingException;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/// Tests how messages are sent: over real connections, once, and again when that fails.
class AlertSenderTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private static final Database DATABASE = TestPostgres.newDatabase();

    @AutoClose private final AlertFixture alerts = new AlertFixture(DATABASE);
    @AutoClose private final Mailbox mailbox = Mailbox.start();
    @AutoClose private final Receiver receiver = Receiver.start();

    @AutoClose
    private final HttpSender loopback =
            HttpSender.open(
                    AddressPolicy.allowing(List.of(Cidr.parse("127.0.0.0/8"))),
                    alerts.clock,
                    "X-Service",
                    8);

    private ChannelClient client(HttpSender webhooks) {
        return client(webhooks, receiver);
    }

    private ChannelClient client(HttpSender webhooks, Receiver chats) {
        var settings = mailbox.settings();
        var mail =
                new MailSender(
                        new MailSettings(
                                MailServer.parse(settings.getOrDefault("SLUICE_SMTP_URL", "")),
                                settings.getOrDefault("SLUICE_MAIL_FROM", "")),
                        alerts.clock);
        return new ChannelClient(
                Optional.of(mail), webhooks, loopback, "http://127.0.0.1:" + chats.port());
    }

    private AlertSender node(Executor threads) {
        return node(client(loopback), threads);
    }

    private AlertSender node(ChannelClient client, Executor threads) {
        return new AlertSender(
                alerts.db, alerts.configs, client, threads, alerts.clock, alerts.meter, new Wake());
    }

    /// A node that sends in its rounds.
    private AlertSender node() {
        return node(Runnable::run);
    }

    private UUID message(UUID config) {
        return message(config, alerts.workspace());
    }

    private UUID message(UUID config, UUID workspace) {
        UUID id = alerts.ids.next();
        var now = alerts.clock.instant();
        alerts.db.run(tx -> {
            record ChannelTarget(UUID target, AlertChannel channel) {}
            var to =
                    tx.single(
                            "select target, channel from alert_config where id = ?",
                            row ->
                                    new ChannelTarget(
                                            row.uuid("target"),
                                            AlertChannel.fromText(row.text("channel"))),
                            config);
            AlertMessageStore.insert(
                    tx,
                    new AlertKey(workspace, to.target(), alerts.destination.value()),
                    to.channel(),
                    new AlertMessage(id, "Subject", "Text\n", "{\"n\":1}"),
                    "{}",
                    now);
        });
        return id;
    }

    private UUID webhook() {
        return alerts.channel("webhook", "{'url':'" + receiver.url() + "'}", null);
    }

    private String lastError(UUID config) {
        return alerts.db.call(tx ->
                tx.single(
                        "select coalesce(last_error, '') as error from alert_config where id = ?",
                        row -> row.text("error"),
                        config));
    }

    @Test
    void a_mail_is_sent_once_by_two_nodes() {
        var id = message(alerts.emailChannel());

        node().run();
        node().run();

        var mails = mailbox.messages("ann@example.com");
        assertThat(mails).hasSize(1);
        assertThat(messageIds()).containsExactly("<" + id + "@relay.example>");
        assertThat(alerts.subjects()).isEmpty();
        assertThat(alerts.meter.counts(Fate.SENT))
                .isEqualTo(Map.of("email", 1L, "messenger", 0L, "webhook", 0L));
    }

    private List<String> messageIds() {
        return mailbox.messages("ann@example.com").stream()
                .map(mail -> {
                    try {
                        return mail.getMessageID();
                    } catch (MessagingException e) {
                        throw new IllegalStateException(e);
                    }
                })
                .toList();
    }

    /// A node dies with the message on the wire: after the mail server took it, and before that is
    /// recorded.
    @Test
    void what_a_dead_node_had_on_the_wire_is_sent_again_as_the_same_message() {
        var id = message(alerts.emailChannel());
        var dead = node(_ -> {});
        dead.run(); // claims the message
        client(loopback)
                .send(
                        alerts.db
                                .call(tx -> alerts.configs.findByTarget(tx, target()))
                                .orElseThrow(),
                        new AlertMessage(id, "Subject", "Text\n", "{}"));

        node().run();
        assertThat(messageIds()).as("while the claim lasts").hasSize(1);
        alerts.clock.advance(AlertSender.CLAIM_DURATION);
        node().run();
        node().run();

        String name = "<" + id + "@relay.example>";
        assertThat(messageIds()).containsExactly(name, name);
        assertThat(alerts.subjects()).isEmpty();
    }

    private UUID target() {
        return alerts.db.call(
                tx -> tx.single("select target from alert_config", row -> row.uuid("target")));
    }

    @Test
    void a_clock_that_is_set_back_keeps_no_message_waiting() {
        alerts.clock.advance(Duration.ofDays(10));
        message(webhook());
        receiver.willAnswer(500, 200);
        node().run();

        alerts.clock.advance(Duration.ofDays(-10));
        node().run();

        assertThat(receiver.requests()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 500, 503, 408})
    void what_the_channel_refuses_for_now_is_tried_again(int status) {
        var config = webhook();
        message(config);
        receiver.willAnswer(status, 200);

        node().run();
        assertThat(lastError(config)).isEqualTo("The webhook answered " + status + ".");
        alerts.clock.advance(Duration.ofSeconds(59));
        node().run();
        assertThat(receiver.requests()).hasSize(1);
        alerts.clock.advance(Duration.ofSeconds(1));
        node().run();

        assertThat(receiver.requests()).hasSize(2);
        assertThat(receiver.requests().get(1).body()).isEqualTo("{\"n\":1}");
        assertThat(lastError(config)).isEmpty();
        assertThat(alerts.subjects()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 400, 401, 403, 404})
    void what_the_channel_refuses_for_good_is_shown_and_given_up(int status) {
        var config = webhook();
        message(config);
        receiver.willAnswer(status);

        node().run();

        assertThat(lastError(config)).isEqualTo("The webhook answered " + status + ".");
        assertThat(alerts.subjects()).isEmpty();
    }

    @Test
    void a_channel_that_fails_on_is_given_up_after_five_tries() {
        message(webhook());
        receiver.willAnswer(503);

        for (int i = 0; i < 10; i++) {
            node().run();
            alerts.clock.advance(Duration.ofHours(2));
        }

        assertThat(receiver.requests()).hasSize(5);
        assertThat(alerts.subjects()).isEmpty();
        assertThat(alerts.meter.counts(Fate.FAILED)).containsEntry("webhook", 5L);
        assertThat(alerts.meter.counts(Fate.DROPPED)).containsEntry("webhook", 1L);
    }

    @ParameterizedTest
    @CsvSource({"'', 300", "'{\"ok\":false,\"parameters\":{\"retry_after\":600}}', 600"})
    void the_messengers_wait_is_respected(String body, long seconds) {
        var config = alerts.channel("messenger", "{'token':'1:a','chat_id':'-7'}", null);
        message(config);
        receiver.willDo(
                body.isEmpty()
                        ? Receiver.answer(429, body, "Retry-After: 300")
                        : Receiver.answer(429, body),
                Receiver.answer(200, ""));

        node().run();
        alerts.clock.advance(Duration.ofSeconds(seconds - 1));
        node().run();
        assertThat(receiver.requests()).hasSize(1);
        alerts.clock.advance(Duration.ofSeconds(1));
        node().run();

        assertThat(receiver.requests()).hasSize(2);
        assertThat(receiver.requests().get(1).line())
                .isEqualTo("POST /bot1:a/sendMessage HTTP/1.1");
    }

    @Test
    void no_error_and_no_log_line_has_the_messengers_token() {
        var config = alerts.channel("messenger", "{'token':'12:hunter2','chat_id':'@ops'}", null);
        message(config);
        receiver.willDo(
                Receiver.answer(404, "{\"description\":\"no /bot12:hunter2/sendMessage\"}"));
        try (var log = LogRecorder.of(AlertSender.class)) {
            node().run();

            assertThat(log.values("alert.failed", "reason"))
                    .containsExactly("The messenger answered 404: no /bot***/sendMessage.");
        }
        assertThat(lastError(config)).doesNotContain("hunter2");
    }

    /// The token's place is where the reason is cut.
    @Test
    void no_part_of_the_messengers_token_is_shown() {
        var config = alerts.channel("messenger", "{'token':'12:hunter2','chat_id':'@ops'}", null);
        message(config);
        String before = "x".repeat(299 - "The messenger answered 404: ".length() - 6);
        receiver.willDo(Receiver.answer(404, "{\"description\":\"" + before + "12:hunter2\"}"));

        node().run();

        assertThat(lastError(config)).contains(before).doesNotContain("12:h");
    }

    /// What the operator has to mend is in the log. Other people see neither the mail server nor
    /// the settings, and nothing is lost while it is mended.
    @Test
    void a_wrong_password_of_the_mail_server_is_for_the_operator_and_loses_no_alert() {
        mailbox.addUser("relay", "right");
        var config = alerts.emailChannel();
        message(config);
        String url = mailbox.settings().getOrDefault("SLUICE_SMTP_URL", "");
        var wrong =
                new MailSender(
                        new MailSettings(
                                MailServer.parse(url.replace("//", "//relay:hunter2@")),
                                "sluice@relay.example"),
                        alerts.clock);
        var client = new ChannelClient(Optional.of(wrong), loopback, loopback, "http://x.example");
        try (var log = LogRecorder.of(ChannelClient.class)) {
            node(client, Runnable::run).run();

            assertThat(log.values("alert.mail_refused", "reason"))
                    .first()
                    .asString()
                    .contains("refused the user and password of SLUICE_SMTP_URL");
        }
        assertThat(lastError(config))
                .isEqualTo("The mail server of this installation did not take the message.");
        alerts.clock.advance(Duration.ofMinutes(1));
        node().run();

        assertThat(mailbox.messages("ann@example.com")).hasSize(1);
    }

    @Test
    void a_message_that_a_bug_keeps_from_being_sent_is_given_up_after_five_tries() {
        var config = webhook();
        message(config);
        var tries = new AtomicInteger();
        JsonPoster broken =
                (_, _, _, _) -> {
                    tries.incrementAndGet();
                    throw new IllegalStateException("a bug");
                };
        var client = new ChannelClient(Optional.empty(), broken, broken, "http://x.example");
        var node = node(client, Runnable::run);

        for (int i = 0; i < 10; i++) {
            node.run();
            alerts.clock.advance(Duration.ofHours(2));
        }

        assertThat(tries).hasValue(5);
        assertThat(alerts.subjects()).isEmpty();
        assertThat(lastError(config)).isEqualTo("This server could not send the message.");
    }

    @Test
    void a_webhook_at_a_private_address_is_not_dialled() throws IOException {
        var config = webhook();
        message(config);
        try (var guarded =
                HttpSender.open(AddressPolicy.allowing(List.of()), alerts.clock, "X-Service", 8)) {
            node(client(guarded), Runnable::run).run();
        }

        assertThat(receiver.connections()).isZero();
        assertThat(lastError(config)).contains("private or internal address");
    }

    @Test
    void a_channel_that_hangs_delays_no_other_workspace() throws IOException {
        var gate = new CountDownLatch(1);
        try (var hanging = Receiver.start()) {
            hanging.willDo(
                    new GatedBehaviour(gate, new ScriptedResponse("", ConnectionAction.CLOSE)));
            var stuck = alerts.channel("webhook", "{'url':'" + hanging.url() + "'}", null);
            for (int i = 0; i < 100; i++) {
                message(stuck);
            }
            UUID other = alerts.otherWorkspace();
            var working =
                    alerts.channel(other, "webhook", "{'url':'" + receiver.url() + "'}", null);
            var node = node(Thread::startVirtualThread);
            node.run();

            message(working, other);
            await().atMost(TIMEOUT)
                    .until(() -> {
                        node.run();
                        return !receiver.requests().isEmpty();
                    });

            assertThat(hanging.requests().size())
                    .isLessThanOrEqualTo(AlertSender.MAX_SENDING_PER_WORKSPACE);
            gate.countDown();
            node.awaitSent();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Their waiting messages are more than a node reads in one round.
    @Test
    void two_chats_that_hang_delay_no_other_workspace() throws IOException, InterruptedException {
        var gate = new CountDownLatch(1);
        try (var hanging = Receiver.start()) {
            hanging.willDo(
                    new GatedBehaviour(gate, new ScriptedResponse("", ConnectionAction.CLOSE)));
            for (String chat : List.of("-1", "-2")) {
                var stuck =
                        alerts.channel(
                                "messenger",
                                "{'token':'1:a','chat_id':'%s'}".formatted(chat),
                                null);
                for (int i = 0; i < AlertComposer.MAX_WAITING; i++) {
                    message(stuck);
                }
            }
            var node = node(client(loopback, hanging), Thread::startVirtualThread);
            node.run();
            await().atMost(TIMEOUT).until(() -> hanging.requests().size() == 2);
            alerts.clock.advance(AlertMessageStore.CHAT_INTERVAL);
            UUID other = alerts.otherWorkspace();
            message(
                    alerts.channel(other, "webhook", "{'url':'" + receiver.url() + "'}", null),
                    other);

            node.run();

            await().atMost(TIMEOUT).until(() -> receiver.requests().size() == 1);
            gate.countDown();
            node.awaitSent();
        }
    }

    /// The claim of a slow node expires while the channel answers, and another node claims the
    /// message.
    @Test
    void a_node_whose_claim_has_expired_gives_up_nothing_that_another_has_claimed() {
        message(webhook());
        receiver.willAnswer(404);
        node(
                        slow -> {
                            alerts.clock.advance(AlertSender.CLAIM_DURATION);
                            node(_ -> {}).run(); // claims the message and dies
                            slow.run();
                        })
                .run();

        assertThat(alerts.subjects()).hasSize(1);
        assertThat(alerts.meter.counts(Fate.DROPPED)).containsEntry("webhook", 0L);
        alerts.clock.advance(AlertSender.CLAIM_DURATION);
        receiver.willAnswer(200);
        node().run();
        assertThat(receiver.requests()).hasSize(2);
    }

    @Test
    void what_a_message_counted_that_is_given_up_is_reported_once_the_channel_works() {
        var config = webhook();
        var watcher = alerts.watcher();
        receiver.willAnswer(404);
        alerts.fail(alerts.connection, 3);
        watcher.run();
        node().run();
        assertThat(lastError(config)).isEqualTo("The webhook answered 404.");
        watcher.run();
        alerts.clock.advance(Duration.ofHours(9));
        watcher.run();
        assertThat(alerts.subjects()).as("nothing new").isEmpty();

        receiver.willAnswer(200);
        message(config); // any other one
        node().run();
        watcher.run();

        assertThat(lastError(config)).isEmpty();
        assertThat(alerts.subjects())
                .containsExactly("Sluice: 3 deliveries to \"destination\" failed");
    }

    /// A failure after the message was sent must not send it again.
    @Test
    void what_was_sent_is_sent_once_although_lost_counts_cannot_be_reported_then() {
        var config = webhook();
        var watcher = alerts.watcher();
        receiver.willAnswer(404, 200);
        alerts.fail(alerts.connection, 3);
        watcher.run();
        node().run();
        message(config); // any other one
        try (var _ = RowRefusal.of(alerts.db, "alert_news", "new.lost = 0", "40001");
                var log = LogRecorder.of(AlertSender.class)) {
            node().run();

            assertThat(log.count("alert.report_postponed")).isEqualTo(1);
        }
        assertThat(receiver.requests()).hasSize(2);
        assertThat(alerts.subjects()).isEmpty();
        assertThat(lastError(config)).isEmpty();

        message(config);
        node().run();
        alerts.clock.advance(Duration.ofMinutes(10));
        watcher.run();

        assertThat(receiver.requests()).as("nothing twice").hasSize(3);
        assertThat(alerts.subjects())
                .containsExactly("Sluice: 3 deliveries to \"destination\" failed");
    }

    @Test
    void what_a_message_counted_that_is_given_up_is_folded_into_the_next_one() {
        webhook();
        var watcher = alerts.watcher();
        receiver.willAnswer(403, 200);
        alerts.fail(alerts.connection, 3);
        watcher.run();
        node().run();

        alerts.fail(alerts.connection, 2);
        alerts.clock.advance(Duration.ofMinutes(10));
        watcher.run();

        assertThat(alerts.subjects())
                .containsExactly("Sluice: 5 deliveries to \"destination\" failed");
        node().run();
        watcher.run();
        assertThat(alerts.subjects()).as("nothing twice").isEmpty();
    }

    @Test
    void a_chat_gets_one_message_a_second_over_all_nodes() {
        var config = alerts.channel("messenger", "{'token':'1:a','chat_id':'-7'}", null);
        for (int i = 0; i < 3; i++) {
            message(config);
        }

        for (int second = 1; second <= 3; second++) {
            node().run();
            node().run();
            assertThat(receiver.requests()).hasSize(second);
            alerts.clock.advance(AlertMessageStore.CHAT_INTERVAL);
        }
    }

    @Test
    void while_a_channel_asks_for_a_pause_its_other_messages_wait_too() {
        var config = alerts.channel("messenger", "{'token':'1:a','chat_id':'-7'}", null);
        message(config);
        message(config);
        receiver.willDo(
                Receiver.answer(429, "{\"ok\":false,\"parameters\":{\"retry_after\":600}}"));

        node().run();
        alerts.clock.advance(Duration.ofSeconds(599));
        node().run();
        assertThat(receiver.requests()).hasSize(1);
        alerts.clock.advance(Duration.ofSeconds(1));
        node().run();

        assertThat(receiver.requests()).hasSize(2);
    }

    @Test
    void a_chat_that_has_moved_is_told_with_its_new_id() {
        var config = alerts.channel("messenger", "{'token':'1:a','chat_id':'-7'}", null);
        message(config);
        receiver.willDo(
                Receiver.answer(
                        400,
                        "{\"ok\":false,\"description\":\"Bad Request: group chat was upgraded\","
                                + "\"parameters\":{\"migrate_to_chat_id\":-1001234567890}}"));

        node().run();

        assertThat(lastError(config))
                .isEqualTo(
                        "The messenger answered 400: Bad Request: group chat was upgraded. The chat"
                                + " has a new id. Enter -1001234567890 as chat_id.");
    }

    @Test
    void a_message_whose_channel_was_disabled_is_not_sent() {
        message(webhook());
        alerts.db.run(tx -> tx.update("update alert_config set enabled = false"));

        node().run();

        assertThat(receiver.requests()).isEmpty();
        assertThat(alerts.subjects()).isEmpty();
    }

    @Test
    void a_message_of_a_suspended_workspace_waits_until_it_is_resumed() {
        message(webhook());
        suspend("now()");

        node().run();

        assertThat(receiver.requests()).isEmpty();

        suspend("null");
        node().run();

        assertThat(receiver.requests()).hasSize(1);
    }

    private void suspend(String since) {
        alerts.db.run(tx -> tx.update("update workspace set suspended_at = " + since));
    }

    @Test
    void a_channel_that_cannot_be_read_is_said_so() {
        var config = webhook();
        message(config);
        alerts.db.run(tx -> tx.update("update alert_config set config = '\\x01'"));

        node().run();

        assertThat(lastError(config))
                .isEqualTo("This server cannot read the channel's config. Enter it again.");
    }
}
