package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.testkit.ApiClient;
import dev.sluice.testkit.Person;
import dev.sluice.testkit.Receiver;
import dev.sluice.testkit.SseClient;
import dev.sluice.testkit.TestPostgres;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The database of a server that has stopped. Each table that an export writes has rows.
///
/// Two deliveries wait for a paused destination that signs with `hmac`. One of them is in the
/// memory of a node that no longer exists. The source verifies its senders by an API key.
final class FullInstallation {

    static final String PERSON = "ann@example.com";
    static final String SENDER_KEY = "sender-key-that-is-a-secret";
    static final String HEADER_SECRET = "header-that-is-a-secret";

    private final Database database;
    private final String ingestPath;
    private final String destination;
    private final String finishedEvent;
    private final List<String> waitingEvents = new ArrayList<>();
    private final String streamCursor;

    private FullInstallation(RunningSluice sluice, Receiver receiver) {
        database = sluice.database();
        var api = sluice.api();
        Person.register(api, PERSON);
        var source = api.source("Shop");
        ingestPath = source.text("ingest_path");
        String sourcePath = "/api/v1/sources/" + source.text("id");
        api.patch(
                sourcePath,
                "{'verification_config':{'provider':'api_key','header':'X-Key','key':'"
                        + SENDER_KEY
                        + "'}}");
        var target =
                api.destination(
                        receiver.url(),
                        ",'auth_config':{'type':'hmac','secret':'a-signing-secret'},"
                                + "'custom_headers':{'X-Own':'"
                                + HEADER_SECRET
                                + "'}");
        destination = target.text("id");
        var connection = api.connect(source, target);
        String channel = "{'channel':'webhook','config':{'url':'https://alerts.example.com/'}}";
        assertThat(api.post("/api/v1/alert-configs", channel).status()).isEqualTo(201);
        try (var stream = SseClient.open(sluice.port(), "/api/v1/stream", RunningSluice.API_KEY)) {
            stream.awaitReady();
            finishedEvent = send(sluice, 1);
            await().until(() -> !stream.eventIds().isEmpty());
            streamCursor = stream.lastId();
        }
        await().until(() -> receiver.requests().size() == 1);
        change(api, sourcePath, "{'name':'Other shop'}");
        change(
                api,
                destinationPath(),
                "{'status':'paused','auth_config':{'type':'hmac','secret':'another-secret'}}");
        change(
                api,
                "/api/v1/connections/" + connection.text("id"),
                "{'transformation':{'set_headers':[{'name':'X-A','value':'1'}]}}");
        waitingEvents.add(send(sluice, 2));
        waitingEvents.add(send(sluice, 3));
    }

    private static void change(ApiClient api, String path, String json) {
        assertThat(api.patch(path, json).status()).isEqualTo(200);
    }

    /// Makes an installation whose destination is this receiver, and stops its server.
    static FullInstallation make(Receiver receiver) {
        FullInstallation made;
        try (var sluice = RunningSluice.start(Map.of("SLUICE_REGISTRATION", "open"))) {
            made = new FullInstallation(sluice, receiver);
            try (var db = sluice.db()) {
                await().until(() -> isFolded(db));
            }
        }
        try (var db = TestPostgres.open(made.database)) {
            db.run(FullInstallation::insertRest);
        }
        return made;
    }

    /// Whether some of the ledger is in the sums.
    private static boolean isFolded(Db db) {
        return db.call(tx ->
                tx.single(
                        "select exists (select from total) as is_folded",
                        row -> row.bool("is_folded")));
    }

    private String send(RunningSluice sluice, int number) {
        return send(sluice.port(), number);
    }

    /// Sends a webhook that the source accepts, and returns the event's id.
    String send(int port, int number) {
        var api = new ApiClient(port, RunningSluice.API_KEY);
        var answer =
                api.send(
                        api.anonymous(ingestPath)
                                .header("X-Key", SENDER_KEY)
                                .POST(
                                        java.net.http.HttpRequest.BodyPublishers.ofString(
                                                "{\"n\":" + number + "}")));
        assertThat(answer.status()).isEqualTo(200);
        return answer.text("request_id");
    }

    /// Inserts rows into the tables that are still empty, and gives a waiting delivery to a node
    /// that no longer exists.
    private static void insertRest(Tx tx) {
        for (String sql :
                List.of(
                        """
                        update delivery_work set owner = 4711, next_at = null
                         where id = (select max(id::text)::uuid from delivery_work)
                        """,
                        """
                        insert into invite
                        select gen_random_uuid(), id, 'bea@example.com', 'member', decode(md5(id::text), 'hex'),
                               (select account.id from account limit 1), now(), now() + interval '7 days'
                          from workspace
                        """,
                        """
                        insert into attempt (delivery_id, attempted_at, source_id, revision, latency_ms, number,
                                             configuration, error_message, response_body)
                        select id, finished_at, source_id, revision, 7, 1, configuration, 'Zeile 1'||chr(10)||'„zwei“', '\\x00ff'
                          from delivery limit 1
                        """,
                        """
                        insert into circuit (destination_id, state, failures, cooldown_ms, generation,
                                             changed, version, last_error)
                        select id, 'closed', 2, 60000, 3, 99, 5, 'refused' from destination
                        """,
                        "insert into dismissal select source_id, id, now() from delivery",
                        """
                        insert into ledger (batch, source_id, kinds, keys, hours, minutes, dims, counts, sizes)
                        select gen_random_uuid(), id, '{1}', array[id], '{494000}', '{5}', '{3}', '{1}', '{10}'
                          from source
                        """,
                        "insert into quota select id, 202611, 42 from workspace",
                        """
                        insert into retired_token
                        select sha256(convert_to(id::text, 'UTF8')), id, now() from workspace
                        """,
                        """
                        insert into replay_job (id, workspace_id, source_id, connection_id, connections,
                                                statuses, status, planned, created_at, updated_at, finished_at, after_id, to_id)
                        select gen_random_uuid(), workspace_id, source_id, id, array[id], '{5}', 'completed', 9, now(), now(),
                               now(), id, id
                          from connection
                        """,
                        // A round of retention may have written it.
                        """
                        insert into retention_notice select id, 30, now(), now() from workspace
                            on conflict do nothing
                        """,
                        """
                        insert into alert_incident (target, destination_id, workspace_id, messages)
                        select target, gen_random_uuid(), workspace_id, 1 from alert_config
                        """,
                        """
                        insert into alert_news
                        select target, destination_id, gen_random_uuid(), 1, 3, null, now() from alert_incident
                        """,
                        """
                        insert into alert_message (id, workspace_id, target, destination_id, channel, subject, body,
                                                   details, news, try_at)
                        select gen_random_uuid(), workspace_id, target, gen_random_uuid(), 'webhook', 's', 'b', '{}', '{}',
                               now() + interval '1 day'
                          from alert_config
                        """,
                        "insert into alert_use select id, 'mail', 494000, 2 from workspace",
                        """
                        insert into mailbox_confirmation (target, workspace_id, mailbox, token_hash, asked_at)
                        select gen_random_uuid(), id, gen_random_uuid(), sha256('token'), now()
                          from workspace
                         limit 1
                        """,
                        "update clock set settled_at = now()",
                        "update audit set checked_to = now() - interval '1 hour', violations ="
                                + " 3")) {
            tx.update(sql);
        }
    }

    Database database() {
        return database;
    }

    String ingestPath() {
        return ingestPath;
    }

    String destinationPath() {
        return "/api/v1/destinations/" + destination;
    }

    /// An event whose delivery succeeded.
    String finishedEvent() {
        return finishedEvent;
    }

    /// Two events whose deliveries wait.
    List<String> waitingEvents() {
        return waitingEvents;
    }

    /// The place of a stream's client behind the first event.
    String streamCursor() {
        return streamCursor;
    }
}
