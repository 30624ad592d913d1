package dev.sluice.features.alerts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.account.plan.Retention;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ExpiringDeliveries;
import dev.sluice.engine.ledger.CommitLogCompactor;
import dev.sluice.features.alerts.AlertMeter.Fate;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Tx;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.LogRecorder;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.json.JsonMapper;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/// Tests which messages are composed of what happened.
class AlertWatcherTest {

    private static final Database DATABASE = TestPostgres.newDatabase();

    @AutoClose private final AlertFixture alerts = new AlertFixture(DATABASE);

    @Test
    void a_failure_is_told_at_once_and_what_works_is_not() {
        alerts.emailChannel();
        var watcher = alerts.watcher();
        alerts.succeed(alerts.connection);
        watcher.run();
        assertThat(alerts.subjects()).isEmpty();

        alerts.fail(alerts.connection, 3);
        watcher.run();
        watcher.run();

        assertThat(alerts.subjects())
                .containsExactly("Sluice: 3 deliveries to \"destination\" failed");
    }

    @Test
    void the_last_error_is_told_in_words() {
        alerts.emailChannel();
        alerts.failUnreadable(alerts.connection);

        alerts.watcher().run();

        assertThat(alerts.takeMessages()).contains("the stored payload is damaged");
    }

    @Test
    void further_failures_are_folded_with_their_number() {
        alerts.emailChannel();
        var watcher = alerts.watcher();
        alerts.fail(alerts.connection, 1);
        watcher.run();
        alerts.takeMessages();

        for (int i = 0; i < 5; i++) {
            alerts.fail(alerts.connection, 2);
            alerts.clock.advance(Duration.ofMinutes(1));
            watcher.run();
        }
        assertThat(alerts.subjects()).isEmpty();
        alerts.clock.advance(Duration.ofMinutes(5));
        watcher.run();

        assertThat(alerts.subjects())
                .containsExactly("Sluice: 10 deliveries to \"destination\" failed");
    }

    @Test
    void what_fails_in_a_suspended_workspace_is_reported_once_it_is_resumed() {
        alerts.emailChannel();
        var watcher = alerts.watcher();
        alerts.fail(alerts.connection, 2);
        alerts.db.run(tx -> tx.update("update workspace set suspended_at = now()"));

        watcher.run();

        assertThat(alerts.subjects()).isEmpty();

        alerts.db.run(tx -> tx.update("update workspace set suspended_at = null"));
        watcher.run();

        assertThat(alerts.subjects())
                .containsExactly("Sluice: 2 deliveries to \"destination\" failed");
    }

    @Test
    void without_a_channel_nothing_is_kept_and_the_position_moves_on() {
        var watcher = alerts.watcher();
        alerts.fail(alerts.connection, 1);
        String before = seen();
        watcher.run();
        assertThat(seen()).isEqualTo(before);

        alerts.clock.advance(Duration.ofMinutes(1));
        watcher.run();
        alerts.emailChannel();
        watcher.run();

        assertThat(seen()).isNotEqualTo(before);
        assertThat(alerts.subjects()).isEmpty();
    }

    private String seen() {
        return alerts.db.call(
                tx -> tx.single("select seen from alert_watch", row -> row.text("seen")));
    }

    @Test
    void what_fails_right_after_a_channel_was_made_is_told() {
        alerts.emailChannel();
        alerts.fail(alerts.connection, 1);

        alerts.watcher().run();

        assertThat(alerts.subjects()).hasSize(1);
    }

    /// The process dies after any step of a round. The next one goes on from what is stored.
    @Test
    void over_crashes_each_failure_is_counted_once() {
        alerts.emailChannel();
        alerts.fail(alerts.connection, 1);
        alerts.watcher().run();
        alerts.takeMessages();

        for (int i = 0; i < 10; i++) {
            alerts.fail(alerts.connection, 1);
            alerts.clock.advance(Duration.ofSeconds(1));
            alerts.watcher().run(); // does nothing while the dead one has the lease
            loseLease();
            alerts.watcher().run();
        }
        alerts.clock.advance(Duration.ofMinutes(10));
        loseLease();
        alerts.watcher().run();

        assertThat(alerts.subjects())
                .containsExactly("Sluice: 10 deliveries to \"destination\" failed");
    }

    private void loseLease() {
        alerts.db.run(tx -> tx.update("update alert_watch set lease_until = null"));
    }

    @Test
    void a_round_whose_transaction_is_lost_is_done_again() {
        alerts.emailChannel();
        alerts.fail(alerts.connection, 2);
        alerts.db.run(tx ->
                tx.update("alter table alert_news add constraint none check (n < 0) not valid"));
        var watcher = alerts.watcher();

        assertThatThrownBy(watcher::run).hasMessageContaining("none");
        alerts.db.run(tx -> tx.update("alter table alert_news drop constraint none"));
        watcher.run();

        assertThat(alerts.subjects())
                .containsExactly("Sluice: 2 deliveries to \"destination\" failed");
    }

    @Test
    void two_nodes_at_once_tell_each_failure_once() {
        alerts.emailChannel();
        alerts.fail(alerts.connection, 1);
        alerts.watcher().run();
        alerts.takeMessages();
        loseLease();
        var one = alerts.watcher();
        var other = alerts.watcher();

        for (int i = 0; i < 20; i++) {
            alerts.fail(alerts.connection, 1);
            alerts.db.run(tx -> tx.update("update alert_watch set lease_until = null"));
            var rounds =
                    List.of(
                            CompletableFuture.runAsync(one::run),
                            CompletableFuture.runAsync(other::run));
            rounds.forEach(CompletableFuture::join);
        }
        loseLease();
        one.run();
        alerts.clock.advance(Duration.ofMinutes(10));
        loseLease();
        other.run();

        assertThat(alerts.subjects())
                .containsExactly("Sluice: 20 deliveries to \"destination\" failed");
    }

    @Test
    void a_channel_of_a_source_is_told_of_that_source_only() {
        var otherSource = alerts.given.source();
        var otherConnection = alerts.given.connection(otherSource, alerts.destination);
        alerts.channel("webhook", "{'url':'https://a.example/'}", otherSource);
        var watcher = alerts.watcher();

        alerts.fail(alerts.connection, 1);
        watcher.run();
        assertThat(alerts.subjects()).isEmpty();
        alerts.fail(otherConnection, 1);
        watcher.run();

        assertThat(alerts.subjects()).hasSize(1);
        assertThat(alerts.takeMessages()).contains(otherSource.toString());
    }

    @Test
    void where_channels_coincide_one_message_is_sent() {
        alerts.emailChannel();
        alerts.channel("email", "{'to':'ann@example.com'}", alerts.source);
        alerts.channel("email", "{'to':'bob@example.com'}", null);

        alerts.fail(alerts.connection, 1);
        alerts.watcher().run();

        assertThat(alerts.subjects()).hasSize(2);
    }

    @Test
    void another_workspace_is_told_nothing() {
        alerts.channel(alerts.otherWorkspace(), "email", "{'to':'eve@example.com'}", null);

        alerts.fail(alerts.connection, 1);
        alerts.watcher().run();

        assertThat(alerts.subjects()).isEmpty();
    }

    @Test
    void the_ends_that_a_deletion_makes_are_not_told() {
        alerts.emailChannel();
        alerts.given.deleted(alerts.connection);

        alerts.fail(alerts.connection, 1);
        alerts.watcher().run();

        assertThat(alerts.subjects()).isEmpty();
    }

    @Test
    void a_source_in_the_trash_is_not_told_of() {
        alerts.emailChannel();
        alerts.given.trashed(alerts.source);

        alerts.fail(alerts.connection, 1);
        alerts.watcher().run();

        assertThat(alerts.subjects()).isEmpty();
    }

    @Test
    void an_open_circuit_and_its_recovery_are_told_once() {
        alerts.emailChannel();
        var watcher = alerts.watcher();

        alerts.circuit("open");
        watcher.run();
        watcher.run();
        assertThat(alerts.subjects()).containsExactly("Sluice: \"destination\" cannot be reached");
        assertThat(alerts.takeMessages()).contains("Connection refused");
        alerts.circuit("half_open");
        watcher.run();
        assertThat(alerts.subjects()).isEmpty();
        alerts.circuit("closed");
        watcher.run();
        watcher.run();

        assertThat(alerts.subjects())
                .containsExactly("Sluice: \"destination\" can be reached again");
    }

    @Test
    void a_circuit_that_stays_open_is_told_less_often() {
        alerts.emailChannel();
        var watcher = alerts.watcher();
        int messages = 0;
        for (int minute = 0; minute <= 12 * 60; minute += 10) {
            alerts.circuit("open"); // a probe failed
            watcher.run();
            messages += alerts.subjects().size();
            alerts.takeMessages();
            alerts.clock.advance(Duration.ofMinutes(10));
        }

        assertThat(messages).isEqualTo(4); // after 0 min, 10 min, 70 min and 430 min
    }

    @Test
    void a_circuit_that_closes_before_it_was_told_is_no_news() {
        alerts.emailChannel();
        var watcher = alerts.watcher();
        alerts.fail(alerts.connection, 1);
        watcher.run();
        alerts.takeMessages();

        alerts.circuit("open");
        watcher.run();
        alerts.circuit("closed");
        watcher.run();
        alerts.clock.advance(Duration.ofHours(1));
        watcher.run();

        assertThat(alerts.subjects()).isEmpty();
    }

    @Test
    void deliveries_that_will_expire_are_told() {
        alerts.emailChannel();
        var watcher = alerts.watcher();

        expiring(
                watcher,
                List.of(
                        new ExpiringDeliveries(
                                alerts.source,
                                alerts.connection,
                                7,
                                alerts.clock.instant().plus(Duration.ofDays(1)))));
        watcher.run();

        assertThat(alerts.subjects())
                .containsExactly("Sluice: 7 deliveries to \"destination\" will expire");
        assertThat(alerts.takeMessages()).contains("the first at 2026-03-02T12:00:00Z");
    }

    private void expiring(AlertWatcher watcher, List<ExpiringDeliveries> soon) {
        alerts.db.run(tx -> watcher.expiring(tx, soon));
    }

    /// The watch fails, or no node runs it, while the commit log is compacted.
    @Test
    void failures_that_the_watch_has_not_read_are_kept_for_a_day() {
        alerts.emailChannel();
        var watcher = alerts.watcher();
        watcher.run();
        alerts.succeed(alerts.connection);
        alerts.fail(alerts.connection, 3);
        try (var log = LogRecorder.of(CommitLogCompactor.class)) {
            compact(Duration.ofMinutes(1));
            assertThat(log.values("alert.watch_delayed", "batches")).containsExactly("1");
        }
        watcher.run();
        assertThat(alerts.subjects())
                .containsExactly("Sluice: 3 deliveries to \"destination\" failed");
        alerts.takeMessages();
        assertThat(batches()).isEqualTo(1);

        compact(Duration.ofMinutes(1));
        assertThat(batches()).as("after they were read").isZero();
        alerts.fail(alerts.connection, 1);
        compact(Duration.ofHours(2));
        assertThat(batches()).as("after a day").isZero();
    }

    private boolean isAllEnded() {
        return alerts.db.call(tx ->
                tx.single(
                        """
                        select max(xid) < pg_snapshot_xmin(pg_current_snapshot())::text::bigint as ended
                          from commit_log
                        """,
                        row -> row.bool("ended")));
    }

    private long batches() {
        return alerts.db.call(tx ->
                tx.single(
                        "select count(*) as n from commit_log where compacted_at is null",
                        row -> row.number("n")));
    }

    /// Compacts everything that was committed before.
    private void compact(Duration interval) {
        await().until(this::isAllEnded); // such as a round of autovacuum
        var compactor = new CommitLogCompactor(alerts.db, Retention.ofDays(30), alerts.clock);
        for (int round = 0; round < 16; round++) {
            alerts.clock.advance(interval);
            compactor.run();
        }
    }

    @Test
    void settings_that_cannot_be_read_are_told_once() {
        alerts.emailChannel();
        alerts.unreadable.add(destination());
        var watcher = alerts.watcher();
        for (int i = 0; i < 3; i++) {
            watcher.run();
            alerts.clock.advance(Duration.ofHours(7));
        }

        assertThat(alerts.subjects())
                .containsExactly("Sluice: settings of \"destination\" cannot be read");
        alerts.takeMessages();
        alerts.unreadable.clear();
        watcher.run();
        alerts.clock.advance(Duration.ofHours(7));
        alerts.unreadable.add(destination());
        watcher.run();
        assertThat(alerts.subjects()).hasSize(1);
    }

    @Test
    void a_source_whose_verification_cannot_be_read_is_told_once_with_its_name() {
        alerts.channel("email", "{'to':'shop@example.com'}", alerts.source);
        alerts.channel("email", "{'to':'other@example.com'}", alerts.given.source());
        alerts.unreadableSources.add(source());
        var watcher = alerts.watcher();
        watcher.run();

        assertThat(alerts.subjects())
                .containsExactly("Sluice: settings of \"source\" cannot be read");
        var details = JsonMapper.builder().build().readTree(alerts.takeMessages());
        assertThat(details.path("kind").asString()).isEqualTo("unreadable");
        assertThat(details.path("destination_id").isNull()).isTrue();
        assertThat(details.path("sources").path(0).path("source_id").asString())
                .isEqualTo(alerts.source.toString());
        assertThat(details.path("text").asString())
                .contains("every webhook to it is answered 401")
                .contains(
                        "Source: https://relay.example/w/"
                                + alerts.workspace()
                                + "/sources/"
                                + alerts.source)
                .doesNotContain("estination");

        alerts.clock.advance(Duration.ofHours(7));
        watcher.run();
        assertThat(alerts.subjects()).isEmpty();
        alerts.unreadableSources.clear();
        alerts.clock.advance(Duration.ofMinutes(1));
        watcher.run();
        alerts.clock.advance(Duration.ofHours(7));
        alerts.unreadableSources.add(source());
        watcher.run();
        assertThat(alerts.subjects()).hasSize(1);
    }

    private Source source() {
        return alerts.db.call(tx -> new SourceStore(Given.SEALER).changedAfter(tx, -1)).stream()
                .map(each -> each.source())
                .filter(each -> each.id().equals(alerts.source))
                .findFirst()
                .orElseThrow();
    }

    private Destination destination() {
        return destinations().stream()
                .filter(each -> each.id().equals(alerts.destination))
                .findFirst()
                .orElseThrow();
    }

    private List<Destination> otherDestinations() {
        return destinations().stream()
                .filter(each -> !each.id().equals(alerts.destination))
                .toList();
    }

    private List<Destination> destinations() {
        return alerts
                .db
                .call(tx -> new DestinationStore(Given.SEALER).changedAfter(tx, -1))
                .stream()
                .map(each -> each.destination())
                .toList();
    }

    @Test
    void a_workspace_has_sixty_mails_an_hour_and_the_rest_waits() {
        alerts.emailChannel();
        var watcher = alerts.watcher();
        for (var each : alerts.given.connectedDestinations(alerts.source, "other.example", 1, 61)) {
            alerts.fail(each.connection(), 1);
        }

        watcher.run();
        assertThat(alerts.subjects()).hasSize(60);
        assertThat(lastError()).startsWith("The workspace has used its 60 mails of this hour.");
        alerts.takeMessages();
        alerts.clock.advance(Duration.ofMinutes(59));
        watcher.run();
        assertThat(alerts.subjects()).isEmpty();
        alerts.clock.advance(Duration.ofMinutes(1));
        watcher.run();

        assertThat(alerts.subjects()).hasSize(1);
    }

    @Test
    void mailbox_that_is_not_confirmed_gets_one_request_and_the_alerts_after_its_confirmation() {
        UUID channel = alerts.emailChannel();
        alerts.confirm(false);
        var watcher = alerts.watcher();
        alerts.fail(alerts.connection, 1);

        watcher.run();
        alerts.clock.advance(Duration.ofMinutes(10));
        watcher.run();
        assertThat(alerts.subjects()).containsExactly("Sluice: confirm this mailbox for alerts");
        assertThat(lastError(channel))
                .isEqualTo(
                        "This mailbox is not confirmed: its owner must open the link in the mail"
                                + " that asks for it. The rest is reported together later.");
        assertThat(alerts.meter.counts(Fate.POSTPONED)).containsEntry("email", 2L);
        alerts.takeMessages();

        alerts.confirm(true);
        alerts.clock.advance(Duration.ofMinutes(10));
        watcher.run();
        assertThat(alerts.subjects())
                .containsExactly("Sluice: 1 delivery to \"destination\" failed");
    }

    private String lastError(UUID channel) {
        return alerts.db.call(tx ->
                tx.single(
                        "select last_error from alert_config where id = ?",
                        row -> row.text("last_error"),
                        channel));
    }

    private String lastError() {
        return alerts.db.call(tx ->
                tx.single("select last_error from alert_config", row -> row.text("last_error")));
    }

    @Test
    void a_message_that_cannot_be_composed_keeps_no_other() {
        alerts.emailChannel();
        var other =
                alerts.given.connectedDestinations(alerts.source, "other.example", 1, 1).getFirst();
        alerts.fail(alerts.connection, 1);
        alerts.fail(other.connection(), 1);
        alerts.db.run(tx ->
                tx.update(
                        "update destination set name = repeat('x', 70) where id = ?",
                        alerts.destination.value()));
        alerts.db.run(tx ->
                tx.update(
                        """
                        alter table alert_message add constraint short check (length(subject) < 60)
                        """));

        alerts.watcher().run();
        alerts.db.run(tx -> tx.update("alter table alert_message drop constraint short"));

        assertThat(alerts.subjects())
                .containsExactly("Sluice: 1 delivery to \"destination\" failed");
    }

    @Test
    void what_concerns_nobody_any_more_is_forgotten() {
        UUID channel = alerts.emailChannel();
        alerts.emailChannel();
        var watcher = alerts.watcher();
        alerts.fail(alerts.connection, 1);
        watcher.run();
        alerts.channel("webhook", "{'url':'https://a.example/'}", null);
        assertThat(incidents()).isEqualTo(1);

        alerts.db.run(tx -> tx.update("delete from alert_config where channel = 'email'"));
        alerts.clock.advance(Duration.ofMinutes(2));
        watcher.run();

        assertThat(channel).isNotNull();
        assertThat(incidents()).isZero();
    }

    @Test
    void a_channel_that_was_disabled_begins_anew() {
        alerts.emailChannel();
        alerts.channel("webhook", "{'url':'https://a.example/'}", alerts.given.source());
        var watcher = alerts.watcher();
        alerts.circuit("open");
        watcher.run();
        alerts.takeMessages();

        alerts.db.run(
                tx -> tx.update("update alert_config set enabled = false where channel = 'email'"));
        alerts.clock.advance(Duration.ofMinutes(1));
        watcher.run();
        alerts.circuit("closed");
        alerts.db.run(tx -> tx.update("update alert_config set enabled = true"));
        watcher.run();

        assertThat(alerts.subjects()).isEmpty();
        assertThat(incidents()).isZero();
    }

    /// Circuits that count a failure, and close again, are most of what changes.
    @Test
    void a_circuit_that_was_never_open_leaves_no_row() {
        alerts.emailChannel();

        alerts.circuit("closed");
        alerts.watcher().run();

        assertThat(incidents()).isZero();
    }

    /// The rows of commits in which nothing failed are not read.
    @Test
    void what_a_round_reads_does_not_grow_with_what_works() {
        alerts.emailChannel();
        alerts.db.run(tx -> tx.update("truncate commit_log"));
        for (int i = 0; i < 300; i++) {
            alerts.succeed(alerts.connection);
        }
        var plan =
                alerts.db.call(tx -> {
                    tx.update("analyze commit_log");
                    return tx.query(
                            """
                            explain select 1 from commit_log
                             where failed_connections is not null and xid >= 1
                            """,
                            row -> row.text("QUERY PLAN"));
                });

        assertThat(plan).anyMatch(line -> line.contains("commit_log_failed"));
    }

    @Test
    void after_six_quiet_hours_a_failure_is_a_new_incident() {
        alerts.emailChannel();
        var watcher = alerts.watcher();
        for (int i = 0; i < 3; i++) {
            alerts.fail(alerts.connection, 1);
            watcher.run();
            alerts.clock.advance(Duration.ofHours(2));
        }
        alerts.clock.advance(Duration.ofHours(6));
        watcher.run();

        assertThat(incidents()).isZero();
    }

    @Test
    void ten_quiet_minutes_after_a_recovery_nothing_is_left() {
        alerts.emailChannel();
        var watcher = alerts.watcher();
        alerts.circuit("open");
        watcher.run();
        alerts.circuit("closed");
        watcher.run();
        alerts.clock.advance(Duration.ofMinutes(9));
        watcher.run();
        assertThat(incidents()).isEqualTo(1);

        alerts.clock.advance(Duration.ofMinutes(1));
        watcher.run();

        assertThat(incidents()).isZero();
    }

    /// Incidents that stay are no reason for one behind them to stay.
    @Test
    void more_incidents_than_a_step_has_are_all_looked_at() {
        alerts.emailChannel();
        incidents(alerts.workspace(), 1_500, "is_open", "true");
        alerts.db.run(tx ->
                tx.update(
                        """
                        update alert_incident set is_open = false
                         where (target, destination_id) = (select target, destination_id
                                                             from alert_incident
                                                            order by target desc, destination_id desc
                                                            limit 1)
                        """));
        var watcher = alerts.watcher();

        watcher.run();
        alerts.clock.advance(Duration.ofMinutes(10));
        watcher.run();

        assertThat(incidents()).isEqualTo(1_499);
    }

    @Test
    void the_incident_of_a_deleted_destination_is_forgotten() {
        alerts.emailChannel();
        var watcher = alerts.watcher();
        alerts.circuit("open");
        watcher.run();
        assertThat(incidents()).isEqualTo(1);

        alerts.given.deleted(alerts.destination);
        alerts.clock.advance(Duration.ofMinutes(1));
        watcher.run();

        assertThat(incidents()).isZero();
    }

    @Test
    void without_any_channel_incidents_are_forgotten_too() {
        alerts.emailChannel();
        var watcher = alerts.watcher();
        alerts.circuit("open");
        watcher.run();

        alerts.db.run(tx -> tx.update("update alert_config set enabled = false"));
        alerts.clock.advance(Duration.ofMinutes(1));
        watcher.run();

        assertThat(incidents()).isZero();
    }

    @Test
    void a_channel_that_is_enabled_again_at_once_begins_anew() {
        alerts.emailChannel();
        var watcher = alerts.watcher();
        alerts.circuit("open");
        watcher.run();
        alerts.takeMessages();

        alerts.circuit("closed");
        alerts.db.run(tx -> tx.update("update alert_config set begins_anew = true"));
        watcher.run();

        assertThat(alerts.subjects()).isEmpty();
        assertThat(incidents()).isZero();
    }

    /// Gives a workspace incidents of destinations, whose channel is the oldest one.
    private void incidents(UUID workspace, int n, String column, String value) {
        alerts.db.run(tx -> {
            tx.update(
                    """
                    insert into destination
                    select (jsonb_populate_record(destination, jsonb_build_object('id', gen_random_uuid()))).*
                      from destination, generate_series(1, ?)
                     where id = ?
                    """,
                    n,
                    alerts.destination.value());
            tx.update(
                    """
                    insert into alert_incident (target, destination_id, workspace_id, last_at, %s)
                    select (select target from alert_config where workspace_id = ? order by id limit 1),
                           id, ?, ?, %s
                      from destination
                     where id <> ?
                    """
                            .formatted(column, value),
                    workspace,
                    workspace,
                    alerts.clock.instant(),
                    alerts.destination.value());
        });
    }

    /// A workspace with more failing destinations than it may have incidents: the rest is counted
    /// in one message for each target, and nothing is lost.
    @Test
    void what_a_workspace_has_no_room_for_is_counted_together() {
        alerts.emailChannel();
        alerts.channel("webhook", "{'url':'https://a.example/'}", null);
        incidents(alerts.workspace(), IncidentRoom.MAX_INCIDENTS - 1, "is_open", "true");
        var watcher = alerts.watcher();
        var failing = alerts.given.connectedDestinations(alerts.source, "other.example", 1, 5);
        failing.forEach(each -> alerts.fail(each.connection(), 2));

        watcher.run();

        assertThat(alerts.subjects())
                .containsExactlyInAnyOrder(
                        "Sluice: 2 deliveries to \"destination\" failed",
                        "Sluice: 8 deliveries to further destinations failed",
                        "Sluice: 10 deliveries to further destinations failed");
        assertThat(incidents()).isEqualTo(IncidentRoom.MAX_INCIDENTS + 2);
        List<String> rest =
                alerts.db.call(tx ->
                        tx.query(
                                """
                                select body from alert_message
                                 where details like '%"destination_id":null%'
                                """,
                                row -> row.text("body")));
        assertThat(rest)
                .hasSize(2)
                .allMatch(body -> body.startsWith("Further destinations of the workspace \""))
                .allMatch(body -> body.contains("reported together"))
                .allMatch(body ->
                        body.contains(
                                AlertFixture.BASE_URL
                                        + "/w/"
                                        + alerts.workspace()
                                        + "/destinations\n"))
                .allMatch(body ->
                        body.endsWith(
                                "Further failures will be reported in 10 minutes at the"
                                        + " earliest.\n"));
    }

    /// Fifty channels and six hundred destinations that fail in one commit make 30 000 pairs.
    @Test
    void a_flood_leaves_no_more_incidents_than_a_workspace_may_have() {
        for (int i = 0; i < 50; i++) {
            alerts.channel("webhook", "{'url':'https://a.example/" + i + "'}", null);
        }
        var failing =
                alerts.given.connectedDestinations(alerts.source, "other.example", 1, 600).stream()
                        .map(each -> each.connection().value())
                        .toList();
        alerts.db.run(tx ->
                tx.update(
                        """
                        insert into commit_log (xid, overlap, failed_connections, failed_statuses,
                                                failed_counts, failed_samples)
                        select pg_current_xact_id()::text::bigint, 0, array_agg(id),
                               array_agg(?::smallint), array_agg(1), array_agg(gen_random_uuid())
                          from unnest(?::uuid[]) as id
                        """,
                        (int) DeliveryStatus.EXHAUSTED.number(),
                        failing));

        alerts.watcher().run();

        assertThat(incidents()).isEqualTo(IncidentRoom.MAX_INCIDENTS + 50);
        long untold =
                alerts.db.call(tx ->
                        tx.single(
                                "select coalesce(sum(n), 0)::bigint as n from alert_news",
                                row -> row.number("n")));
        assertThat(untold + told()).isEqualTo(50 * 600);
    }

    @Test
    void open_circuits_and_unreadable_settings_without_room_are_told_once_for_all() {
        alerts.emailChannel();
        incidents(alerts.workspace(), IncidentRoom.MAX_INCIDENTS, "is_open", "true");
        alerts.unreadable.add(destination());
        alerts.circuit("open");
        var watcher = alerts.watcher();

        watcher.run();

        assertThat(alerts.subjects())
                .containsExactly("Sluice: settings of further destinations cannot be read");
        assertThat(alerts.takeMessages()).contains("Some of them cannot be reached");
        alerts.clock.advance(Duration.ofHours(1));
        watcher.run();
        alerts.circuit("closed");
        watcher.run();
        assertThat(alerts.subjects()).isEmpty();
    }

    @Test
    void
            unreadable_settings_of_one_destination_are_told_though_those_of_others_were_told_together() {
        alerts.emailChannel();
        incidents(alerts.workspace(), IncidentRoom.MAX_INCIDENTS, "is_open", "true");
        var withIncident = otherDestinations();
        var watcher = alerts.watcher();
        alerts.unreadable.add(destination());
        watcher.run();
        alerts.takeMessages();

        alerts.clock.advance(Duration.ofHours(1));
        alerts.unreadable.add(withIncident.get(0));
        watcher.run();
        assertThat(alerts.subjects())
                .containsExactly("Sluice: settings of \"destination\" cannot be read");
        alerts.takeMessages();

        // A destination without an incident is told by name when there is room for two.
        alerts.db.run(tx ->
                tx.update(
                        "delete from alert_incident where destination_id = any (?)",
                        List.of(
                                withIncident.get(1).id().value(),
                                withIncident.get(2).id().value())));
        alerts.clock.advance(Duration.ofHours(1));
        alerts.unreadable.add(withIncident.get(1));
        watcher.run();
        alerts.clock.advance(Duration.ofHours(1));
        watcher.run();
        assertThat(alerts.subjects())
                .containsExactly(
                        "Sluice: settings of \"destination\" cannot be read",
                        "Sluice: settings of \"destination\" cannot be read");
    }

    /// A transaction has taken the last room when another one asks for some.
    @Test
    void transactions_at_the_same_time_leave_no_more_incidents_than_a_workspace_may_have() {
        alerts.emailChannel();
        incidents(alerts.workspace(), IncidentRoom.MAX_INCIDENTS - 1, "is_open", "true");
        var other =
                alerts.given.connectedDestinations(alerts.source, "other.example", 1, 1).getFirst();
        var watcher = alerts.watcher();
        var soon =
                List.of(
                        new ExpiringDeliveries(
                                alerts.source, alerts.connection, 7, alerts.clock.instant()));

        var expiring =
                alerts.db.call(tx -> {
                    var keys =
                            AlertQueries.targets(tx, List.of(other.connection().value())).stream()
                                    .map(AlertQueries.ConnectionTarget::key)
                                    .toList();
                    assertThat(IncidentRoom.forKeys(tx, keys).has(keys.getFirst())).isTrue();
                    AlertStore.lock(tx, keys);
                    var begun = CompletableFuture.runAsync(() -> expiring(watcher, soon));
                    await().until(() -> begun.isDone() || isWaitedFor(tx));
                    return begun;
                });
        expiring.join();

        long single =
                alerts.db.call(tx ->
                        tx.single(
                                """
                                select count(*) as n from alert_incident
                                 where destination_id <> workspace_id
                                """,
                                row -> row.number("n")));
        assertThat(single).isEqualTo(IncidentRoom.MAX_INCIDENTS);
        assertThat(incidents()).as("with the one for the rest").isEqualTo(single + 1);
    }

    /// Whether another transaction waits for a lock of this one.
    private static boolean isWaitedFor(Tx tx) {
        return tx.single(
                """
                select count(*) > 0 as waited
                  from pg_locks
                 where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))
                """,
                row -> row.bool("waited"));
    }

    /// More than a page, in commits that end in another order than they began.
    @Test
    void failures_are_taken_over_page_by_page_and_each_once() {
        alerts.emailChannel();
        var watcher = alerts.watcher();
        for (int i = 0; i < 3; i++) {
            failInOneCommit(AlertWatcher.MAX_CHANGES_PER_PAGE - 1);
        }
        var open = new CompletableFuture<Void>();
        var begun = new CompletableFuture<Void>();
        var late =
                CompletableFuture.runAsync(() ->
                        alerts.db.run(tx -> {
                            failInOneCommit(tx, 1);
                            begun.complete(null);
                            open.join();
                        }));
        begun.join();
        failInOneCommit(1);
        String before = seen();

        watcher.run();
        open.complete(null);
        late.join();
        assertThat(seen()).isNotEqualTo(before);
        alerts.clock.advance(Duration.ofMinutes(10));
        watcher.run();

        assertThat(told()).isEqualTo(3 * (AlertWatcher.MAX_CHANGES_PER_PAGE - 1) + 2);
    }

    private void failInOneCommit(int times) {
        alerts.db.run(tx -> failInOneCommit(tx, times));
    }

    /// One row of the log that names a connection many times.
    private void failInOneCommit(Tx tx, int times) {
        tx.update(
                """
                insert into commit_log (xid, overlap, failed_connections, failed_statuses,
                                        failed_counts, failed_samples)
                select pg_current_xact_id()::text::bigint, 0, array_agg(?::uuid), array_agg(?::smallint),
                       array_agg(1), array_agg(gen_random_uuid())
                  from generate_series(1, ?)
                """,
                alerts.connection.value(),
                (int) DeliveryStatus.EXHAUSTED.number(),
                times);
    }

    /// How many failures all messages and news have.
    private long told() {
        return alerts.db.call(tx ->
                tx.single(
                        """
                        select coalesce(sum((details::json ->> 'exhausted')::bigint), 0) as n
                          from alert_message
                        """,
                        row -> row.number("n")));
    }

    @Test
    void a_round_has_a_number_of_pages_and_says_that_there_is_more() {
        alerts.emailChannel();
        var watcher = alerts.watcher();
        for (int i = 0; i < 12; i++) {
            failInOneCommit(AlertWatcher.MAX_CHANGES_PER_PAGE);
        }

        assertThat(watcher.run()).isTrue();
        assertThat(watcher.run()).isFalse();

        alerts.clock.advance(Duration.ofMinutes(10));
        watcher.run();
        assertThat(told()).isEqualTo(12 * AlertWatcher.MAX_CHANGES_PER_PAGE);
    }

    /// A workspace with hundreds of incidents that are due, all before those of the other one.
    @Test
    void workspaces_take_turns() {
        alerts.emailChannel();
        UUID other = alerts.otherWorkspace();
        alerts.channel(other, "webhook", "{'url':'https://a.example/'}", null);
        incidents(alerts.workspace(), 300, "due_at", "now() - interval '1 year'");
        alerts.db.run(tx -> {
            tx.update(
                    """
                    insert into alert_incident (target, destination_id, workspace_id, due_at)
                    select target, ?, ?, ? from alert_config where workspace_id = ?
                    """,
                    alerts.destination.value(),
                    other,
                    alerts.clock.instant(),
                    other);
            tx.update(
                    """
                    insert into alert_news (target, destination_id, source_id, kind, n, since)
                    select target, destination_id, destination_id, 4, 1, ? from alert_incident
                     where due_at is not null
                    """,
                    alerts.clock.instant());
        });

        alerts.watcher().run();

        List<UUID> told =
                alerts.db.call(tx ->
                        tx.query(
                                "select workspace_id from alert_message",
                                row -> row.uuid("workspace_id")));
        assertThat(told).hasSizeLessThanOrEqualTo(100).contains(other);
    }

    @Test
    void messages_that_wait_for_one_target_are_capped_and_the_rest_is_folded() {
        alerts.channel("webhook", "{'url':'https://a.example/'}", null);
        var watcher = alerts.watcher();
        alerts.fail(alerts.connection, 1);
        watcher.run();
        alerts.db.run(tx ->
                tx.update(
                        """
                        insert into alert_message
                        select (jsonb_populate_record(alert_message,
                                                      jsonb_build_object('id', gen_random_uuid()))).*
                          from alert_message, generate_series(2, ?)
                        """,
                        AlertComposer.MAX_WAITING));
        alerts.clock.advance(Duration.ofMinutes(10));

        alerts.fail(alerts.connection, 1);
        watcher.run();
        alerts.fail(alerts.connection, 1);
        watcher.run();
        assertThat(alerts.subjects()).hasSize(AlertComposer.MAX_WAITING);
        alerts.takeMessages();
        alerts.clock.advance(Duration.ofMinutes(9));
        watcher.run();
        assertThat(alerts.subjects()).isEmpty();
        alerts.clock.advance(Duration.ofMinutes(1));
        watcher.run();

        assertThat(alerts.subjects())
                .containsExactly("Sluice: 2 deliveries to \"destination\" failed");
    }

    @Test
    void a_workspace_has_six_hundred_webhooks_an_hour_and_the_rest_waits() {
        alerts.channel("webhook", "{'url':'https://a.example/'}", null);
        var watcher = alerts.watcher();
        alerts.db.run(tx ->
                tx.update(
                        "insert into alert_use (workspace_id, kind, period, n) values (?,"
                                + " 'webhook', ?, 599)",
                        alerts.workspace(),
                        alerts.clock.instant().getEpochSecond() / 3600));
        var other =
                alerts.given.connectedDestinations(alerts.source, "other.example", 1, 1).getFirst();

        alerts.fail(alerts.connection, 1);
        alerts.fail(other.connection(), 1);
        watcher.run();
        assertThat(alerts.subjects()).hasSize(1);
        assertThat(lastError()).startsWith("The workspace has used its 600 webhooks of this hour.");
        alerts.takeMessages();

        // neither further news nor a round makes it earlier
        alerts.fail(other.connection(), 1);
        alerts.fail(alerts.connection, 1);
        watcher.run();
        assertThat(dueBefore(Duration.ofMinutes(59))).isEqualTo(1); // the one that was told
        alerts.clock.advance(Duration.ofMinutes(61));
        watcher.run();

        assertThat(alerts.subjects()).hasSize(2);
    }

    private long dueBefore(Duration ahead) {
        return alerts.db.call(tx ->
                tx.single(
                        "select count(*) as n from alert_incident where due_at < ?",
                        row -> row.number("n"),
                        alerts.clock.instant().plus(ahead)));
    }

    /// What is noted is not locked and scheduled again by each round.
    @Test
    void settings_that_stay_unreadable_cost_no_writes() {
        alerts.emailChannel();
        alerts.unreadable.add(destination());
        var watcher = alerts.watcher();
        watcher.run();
        String before = incidentVersion();

        alerts.clock.advance(Duration.ofMinutes(1));
        watcher.run();

        assertThat(incidentVersion()).isEqualTo(before);
    }

    private String incidentVersion() {
        return alerts.db.call(tx ->
                tx.single("select xmin::text as v from alert_incident", row -> row.text("v")));
    }

    @Test
    void deliveries_that_are_announced_again_are_counted_once() {
        alerts.emailChannel();
        var soon =
                List.of(
                        new ExpiringDeliveries(
                                alerts.source,
                                alerts.connection,
                                7,
                                alerts.clock.instant().plus(Duration.ofDays(1))));

        expiring(alerts.watcher(), soon);
        expiring(alerts.watcher(), soon);
        alerts.watcher().run();

        assertThat(alerts.subjects())
                .containsExactly("Sluice: 7 deliveries to \"destination\" will expire");
    }

    @Test
    void a_message_names_a_hundred_sources_and_counts_the_others() {
        alerts.channel("webhook", "{'url':'https://a.example/'}", null);
        for (var connection : alerts.given.connections(alerts.destination, 103)) {
            alerts.fail(connection, 1);
        }

        alerts.watcher().run();

        var details = JsonMapper.builder().build().readTree(alerts.takeMessages());
        assertThat(details.path("exhausted").asInt()).isEqualTo(103);
        assertThat(details.path("sources").size()).isEqualTo(100);
        assertThat(details.path("more_sources").asInt()).isEqualTo(3);
        assertThat(details.path("text").asString()).contains("- and 93 more sources\n");
    }

    private long incidents() {
        return alerts.db.call(tx ->
                tx.single("select count(*) as n from alert_incident", row -> row.number("n")));
    }
}
