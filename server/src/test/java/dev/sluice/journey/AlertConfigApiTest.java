package dev.sluice.journey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RunningSluice;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.ApiClient.ApiResponse;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Person;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.Team;
import dev.sluice.testkit.Team.Asker;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

/// Tests the alert channels: what they take, what they show, and the test message.
class AlertConfigApiTest {

    private static final String TOKEN = "123456:Aa-Bb_Cc";

    @AutoClose private static final Receiver messenger = Receiver.start();

    @AutoClose
    private static final RunningSluice sluice =
            RunningSluice.start(
                    Map.of(
                            "SLUICE_MESSENGER_API_URL",
                            "http://127.0.0.1:" + messenger.port() + "/api/",
                            "SLUICE_ALERT_MAIL_DOMAINS",
                            "example.com"));

    @AutoClose private static final Db db = sluice.db();
    private static final ApiClient api = sluice.api();

    private static ApiResponse create(String json) {
        return api.post("/api/v1/alert-configs", json);
    }

    private static String path(ApiResponse config) {
        return "/api/v1/alert-configs/" + config.text("id");
    }

    private static ApiResponse email() {
        return create("{'channel': 'email', 'config': {'to': 'ann@example.com'}}");
    }

    private static ApiResponse messenger() {
        return create(
                "{'channel': 'messenger', 'config': {'token': '%s', 'chat_id': -100123}}"
                        .formatted(TOKEN));
    }

    private static ApiResponse webhook(String url) {
        return create("{'channel': 'webhook', 'config': {'url': '%s'}}".formatted(url));
    }

    @Test
    void a_new_channel_is_for_the_whole_workspace_and_enabled() {
        var config = email();

        assertThat(config.status()).isEqualTo(201);
        assertThat(config.json().path("config").path("to").asString()).isEqualTo("ann@example.com");
        assertThat(config.json().path("source_id").isNull()).isTrue();
        assertThat(config.json().path("enabled").asBoolean()).isTrue();
        assertThat(config.json().path("last_sent_at").isNull()).isTrue();
        assertThat(api.get(path(config)).body()).isEqualTo(config.body());
        assertThat(api.get("/api/v1/alert-configs").body()).contains(config.text("id"));
    }

    @Test
    void create_takes_a_source_and_enabled() {
        var source = api.source("s");

        var config =
                create(
                        "{'channel': 'webhook', 'config': {'url': 'https://example.com/'},"
                                + " 'source_id': '"
                                + source.text("id")
                                + "', 'enabled': false}");

        assertThat(config.text("source_id")).isEqualTo(source.text("id"));
        assertThat(config.json().path("enabled").asBoolean()).isFalse();
    }

    @Test
    void the_list_has_the_newest_first_and_pages_when_asked() {
        email();
        var newest = email();

        var page = api.get("/api/v1/alert-configs?page=1&limit=1");

        assertThat(page.json().path("items").size()).isEqualTo(1);
        assertThat(page.json().path("items").path(0).path("id").asString())
                .isEqualTo(newest.text("id"));
        assertThat(page.json().path("total").asInt()).isGreaterThan(1);
    }

    @Test
    void a_token_is_masked_and_the_mask_is_refused() {
        var config = messenger();

        assertThat(config.status()).isEqualTo(201);
        assertThat(config.json().path("config").path("token").asString()).isEqualTo("***");
        assertThat(config.json().path("config").path("chat_id").asString()).isEqualTo("-100123");
        assertThat(config.body() + api.get(path(config)).body()).doesNotContain(TOKEN);
        var refused = api.patch(path(config), "{'config': {'token': '***', 'chat_id': '@ops'}}");
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorMessage())
                .isEqualTo(
                        "config.token is masked: re-enter the secret, or leave config out to keep"
                                + " it.");
    }

    @Test
    void telegram_is_a_messenger_and_is_shown_as_it_was_written() {
        var config =
                create(
                        "{'channel': 'telegram', 'config': {'token': '%s', 'chat_id': -100123}}"
                                .formatted(TOKEN));

        assertThat(config.text("channel")).isEqualTo("telegram");
        assertThat(config.json().path("config").propertyNames())
                .containsExactly("token", "chat_id");
        var patched = api.patch(path(config), "{'config': {'chat_id': '@ops'}}");
        assertThat(patched.text("channel")).isEqualTo("telegram");
        messenger.willAnswer(200);
        assertThat(api.post(path(config) + "/test", "{}").json().path("sent").asBoolean()).isTrue();
        assertThat(messenger.requests().getLast().line())
                .isEqualTo("POST /api/bot" + TOKEN + "/sendMessage HTTP/1.1");
        assertThat(
                        create(
                                        "{'channel': 'telegram', 'config': {'token': '1:a',"
                                                + " 'channel': 'x', 'chat_id': 1}}")
                                .errorMessage())
                .contains("config.channel is not a known field");
    }

    @Test
    void a_token_that_is_left_out_stays() {
        var config = messenger();

        var patched = api.patch(path(config), "{'config': {'chat_id': '@ops'}}");

        assertThat(patched.status()).isEqualTo(200);
        assertThat(patched.json().path("config").path("chat_id").asString()).isEqualTo("@ops");
        messenger.willAnswer(200);
        assertThat(api.post(path(config) + "/test", "{}").json().path("sent").asBoolean()).isTrue();
        var request = messenger.requests().getLast();
        assertThat(request.line()).isEqualTo("POST /api/bot" + TOKEN + "/sendMessage HTTP/1.1");
        assertThat(request.body()).contains("\"chat_id\":\"@ops\"");
    }

    @Test
    void patch_changes_what_it_names() {
        var config = email();

        var disabled = api.patch(path(config), "{'enabled': false}");
        var moved = api.patch(path(config), "{'config': {'to': 'bob@example.com'}}");

        assertThat(disabled.json().path("config").path("to").asString())
                .isEqualTo("ann@example.com");
        assertThat(disabled.json().path("enabled").asBoolean()).isFalse();
        assertThat(moved.json().path("config").path("to").asString()).isEqualTo("bob@example.com");
        assertThat(moved.json().path("enabled").asBoolean()).isFalse();
    }

    @Test
    void a_deleted_channel_is_gone() {
        var config = email();

        assertThat(api.delete(path(config)).status()).isEqualTo(204);

        assertThat(api.get(path(config)).status()).isEqualTo(404);
        assertThat(api.delete(path(config)).status()).isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    {}                                                                                     | channel is required. (and 1 more)
                    {'channel': 'pigeon', 'config': {}}                                                    | channel must be one of email, messenger, telegram, webhook.
                    {'channel': 'email', 'config': {}}                                                     | config.to is required.
                    {'channel': 'email', 'config': {'to': 'ann'}}                                          | config.to must be an e-mail address, not 'ann'
                    {'channel': 'email', 'config': {'to': 'a@b.c, d@e.f'}}                                 | config.to must be an e-mail address, not 'a@b.c, d@e.f'
                    {'channel': 'email', 'config': {'to': 'a@b.c', 'chat_id': '1'}}                        | config.chat_id is not a known field.
                    {'channel': 'messenger', 'config': {'token': '1:a'}}                                   | config.chat_id is required.
                    {'channel': 'messenger', 'config': {'chat_id': 1}}                                     | config.token is required.
                    {'channel': 'messenger', 'config': {'token': '../x', 'chat_id': 1}}                    | config.token must have 1 to 128 characters, only A-Z a-z 0-9 : _ -, as the bot's own token has.
                    {'channel': 'messenger', 'config': {'token': '1:a', 'chat_id': 1.5}}                   | config.chat_id must be a whole number.
                    {'channel': 'messenger', 'config': {'token': '1:a', 'chat_id': 'ops'}}                 | config.chat_id must be the number of a chat, or @ and the name of a channel.
                    {'channel': 'messenger', 'config': {'token': '1:a', 'chat_id': '9223372036854775808'}} | config.chat_id must be the number of a chat, or @ and the name of a channel.
                    {'channel': 'webhook', 'config': {'url': 'ftp://example.com'}}                         | config.url must be absolute and start with http:// or https://.
                    {'channel': 'webhook', 'config': {'url': 'http://10.0.0.1/'}}                          | config.url must not point to a private or internal address; the operator of this server can allow it with SLUICE_ALLOW_PRIVATE_DESTINATIONS.
                    {'channel': 'email', 'config': {'to': 'a@b.c'}, 'last_error': 'x'}                     | last_error is not a known field.
                    {'channel': 'email', 'config': {'to': 'a@b.c'}, 'source_id': 'x'}                      | source_id must be a UUID.
                    {'channel': 'email', 'config': {'to': 'a@b.c'}, 'enabled': 'yes'}                      | enabled must be true or false.
                    """)
    void a_wrong_field_is_named(String json, String message) {
        var refused = create(json);

        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.errorCode()).isEqualTo("validation_failed");
        assertThat(refused.errorMessage()).isEqualTo(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'config': null}",
                "{'enabled': null}",
                "{'channel': 'webhook'}",
                "{'config': {'url': 'https://example.com/'}}"
            })
    void patch_refuses_what_does_not_fit(String json) {
        assertThat(api.patch(path(email()), json).status()).isEqualTo(422);
    }

    @Test
    void an_unknown_source_is_404() {
        var refused =
                create(
                        "{'channel': 'email', 'config': {'to': 'a@b.c'}, 'source_id': '"
                                + UUID.randomUUID()
                                + "'}");

        assertThat(refused.status()).isEqualTo(404);
    }

    @Test
    void the_channels_of_a_source_in_the_trash_are_hidden_and_come_back_with_it() {
        var source = api.source("s");
        var config =
                create(
                        "{'channel': 'email', 'config': {'to': 'a@b.c'}, 'source_id': '"
                                + source.text("id")
                                + "'}");

        api.delete("/api/v1/sources/" + source.text("id"));

        assertThat(api.get(path(config)).status()).isEqualTo(404);
        assertThat(api.get("/api/v1/alert-configs").body()).doesNotContain(config.text("id"));
        api.post("/api/v1/sources/" + source.text("id") + "/restore", "{}");
        assertThat(api.get(path(config)).status()).isEqualTo(200);
    }

    @Test
    void the_channels_of_a_purged_source_and_of_a_deleted_workspace_are_erased() {
        var clock = ManualClock.ofNow();
        try (var aged = RunningSluice.start(clock, Map.of("SLUICE_REGISTRATION", "open"));
                var rows = aged.db()) {
            var source = aged.api().source("s");
            var ofSource =
                    aged.api()
                            .post(
                                    "/api/v1/alert-configs",
                                    "{'channel': 'email', 'config': {'to': 'a@b.c'}, 'source_id': '"
                                            + source.text("id")
                                            + "'}");
            var team = Team.create(rows, aged.api());
            var ofTeam =
                    team.send(
                            Person.withBody(
                                    team.request(Asker.OWNER, "/api/v1/alert-configs"),
                                    "{'channel': 'email', 'config': {'to': 'a@b.c'}}"));
            assertThat(ofSource.status()).isEqualTo(201);
            assertThat(ofTeam.status()).isEqualTo(201);

            team.send(team.request(Asker.OWNER, "/api/v1/workspaces/" + team.workspace()).DELETE());
            assertThat(count(rows)).isEqualTo(1);
            aged.api().delete("/api/v1/sources/" + source.text("id"));
            clock.advance(Duration.ofDays(8));
            aged.restart(); // the purge runs at the start, then every minute
            await().until(() -> count(rows) == 0);
        }
    }

    private static long count(Db rows) {
        return rows.call(
                tx -> tx.single("select count(*) as n from alert_config", row -> row.number("n")));
    }

    @Test
    void a_workspace_has_fifty_channels_at_most() {
        var team = Team.create(db, api);
        for (int i = 0; i < 50; i++) {
            assertThat(createBy(team).status()).isEqualTo(201);
        }

        assertThat(createBy(team).status()).isEqualTo(409);
    }

    /// Those of a source in the trash come back with it.
    @Test
    void the_trash_gives_no_room_for_more_channels() {
        var team = Team.create(db, api);
        var source =
                team.send(
                                Person.withBody(
                                        team.request(Asker.OWNER, "/api/v1/sources"),
                                        "{'name': 's'}"))
                        .text("id");
        assertThat(createBy(team, source).status()).isEqualTo(201);
        for (int i = 0; i < 49; i++) {
            createBy(team);
        }

        team.send(team.request(Asker.OWNER, "/api/v1/sources/" + source).DELETE());

        assertThat(createBy(team).status()).isEqualTo(409);
    }

    private static ApiResponse createBy(Team team, String source) {
        return team.send(
                Person.withBody(
                        team.request(Asker.OWNER, "/api/v1/alert-configs"),
                        "{'channel': 'email', 'config': {'to': 'a@b.c'}, 'source_id': '%s'}"
                                .formatted(source)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1234567890123456789",
                "-9223372036854775808",
                "'9223372036854775807'",
                "'-100123'",
                "'@ops'"
            })
    void a_chat_id_that_is_taken_can_be_read_again(String chatId) {
        var config =
                create(
                        "{'channel': 'messenger', 'config': {'token': '1:a', 'chat_id': %s}}"
                                .formatted(chatId));

        assertThat(config.status()).isEqualTo(201);
        var shown = api.get(path(config)).json();
        assertThat(shown.has("unreadable_fields")).isFalse();
        assertThat(shown.path("config").path("chat_id").asString())
                .isEqualTo(chatId.replace("'", ""));
    }

    /// What was told before is over, however short the channel was disabled.
    @Test
    void a_channel_that_is_enabled_again_begins_anew() {
        var config = create("{'channel': 'webhook', 'config': {'url': 'https://a.example/anew'}}");
        db.run(tx ->
                tx.update(
                        """
                        insert into alert_incident (target, destination_id, workspace_id, is_unreadable)
                        select target, workspace_id, workspace_id, false from alert_config
                         where id::text = ?
                        """,
                        config.text("id")));
        db.run(tx ->
                tx.update(
                        "update alert_incident set is_open = true, last_at = now(), messages = 2"));

        api.patch(path(config), "{'enabled': false}");
        api.patch(path(config), "{'enabled': true}");

        await().until(() -> incidents() == 0);
    }

    private static long incidents() {
        return db.call(tx ->
                tx.single("select count(*) as n from alert_incident", row -> row.number("n")));
    }

    private static ApiResponse createBy(Team team) {
        return team.send(
                Person.withBody(
                        team.request(Asker.OWNER, "/api/v1/alert-configs"),
                        "{'channel': 'email', 'config': {'to': 'a@b.c'}}"));
    }

    @Test
    void a_workspace_has_ten_tests_a_minute() {
        var clock = ManualClock.ofNow();
        try (var still = RunningSluice.start(clock)) {
            var config =
                    still.api()
                            .post(
                                    "/api/v1/alert-configs",
                                    "{'channel': 'email', 'config': {'to': 'a@b.c'}}");
            for (int i = 0; i < 10; i++) {
                assertThat(still.api().post(path(config) + "/test", "{}").status()).isEqualTo(200);
            }

            var refused = still.api().post(path(config) + "/test", "{}");

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("Retry-After")).isPresent();
            clock.advance(Duration.ofMinutes(1));
            assertThat(still.api().post(path(config) + "/test", "{}").status()).isEqualTo(200);
        }
    }

    @Test
    void the_database_has_no_token_in_plain_text() {
        var config = messenger();

        var rows =
                db.call(tx ->
                        tx.query(
                                """
                                select alert_config::text || encode(config, 'escape') as everything
                                  from alert_config
                                 where id::text = ?
                                """,
                                row -> row.text("everything"),
                                config.text("id")));

        assertThat(rows).hasSize(1).noneMatch(row -> row.contains(TOKEN));
    }

    @Test
    void a_config_that_cannot_be_read_is_shown_so_and_can_be_entered_again() {
        var config = messenger();
        db.run(tx ->
                tx.update(
                        "update alert_config set config = '\\x01' where id::text = ?",
                        config.text("id")));

        var shown = api.get(path(config));
        var test = api.post(path(config) + "/test", "{}");

        assertThat(shown.json().path("unreadable_fields").path(0).asString()).isEqualTo("config");
        assertThat(test.text("error"))
                .isEqualTo("This server cannot read the channel's config. Enter it again.");
        assertThat(api.get(path(config)).text("last_error")).isEqualTo(test.text("error"));
        var entered = api.patch(path(config), "{'config': {'token': '1:a', 'chat_id': 1}}");
        assertThat(entered.json().has("unreadable_fields")).isFalse();
    }

    @Test
    void a_test_says_how_it_went_and_the_channel_shows_it() throws IOException {
        try (var receiver = Receiver.start()) {
            var config = webhook(receiver.url());
            receiver.willAnswer(500, 200);

            var failed = api.post(path(config) + "/test", "{}");
            var afterFailure = api.get(path(config));
            var sent = api.post(path(config) + "/test", "{}");

            assertThat(failed.status()).isEqualTo(200);
            assertThat(failed.json().path("sent").asBoolean()).isFalse();
            assertThat(failed.text("error")).isEqualTo("The webhook answered 500.");
            assertThat(afterFailure.text("last_error")).isEqualTo("The webhook answered 500.");
            assertThat(sent.json().path("sent").asBoolean()).isTrue();
            assertThat(sent.json().path("error").isNull()).isTrue();
            var now = api.get(path(config)).json();
            assertThat(now.path("last_error").isNull()).isTrue();
            assertThat(now.path("last_sent_at").isNull()).isFalse();
            var request = receiver.requests().getLast();
            assertThat(request.line()).isEqualTo("POST /hook HTTP/1.1");
            assertThat(request.values("Content-Type")).containsExactly("application/json");
            assertThat(request.body()).contains("\"kind\":\"test\"");
        }
    }

    @Test
    void the_messenger_says_what_is_wrong_and_its_token_is_not_shown() {
        var config = messenger();
        messenger.willDo(
                Receiver.answer(401, "{\"ok\":false,\"description\":\"no bot " + TOKEN + "\"}"));

        var failed = api.post(path(config) + "/test", "{}");

        assertThat(failed.text("error")).isEqualTo("The messenger answered 401: no bot ***.");
        messenger.willAnswer(200);
    }

    @Test
    void mail_that_is_not_configured_is_said_so() {
        assertThat(api.post(path(email()) + "/test", "{}").text("error"))
                .isEqualTo(
                        "Mail is not configured; the operator of this server can set"
                                + " SLUICE_SMTP_URL.");
    }
}
