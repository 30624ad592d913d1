package dev.sluice.features.alerts;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.engine.ledger.LedgerRow;
import dev.sluice.engine.ledger.LedgerStore;
import dev.sluice.gateway.alertconfig.AlertConfigStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Wake;
import dev.sluice.platform.secret.SecretGenerator;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/// A database with a source that is connected to a destination, and channels that are told.
final class AlertFixture implements AutoCloseable {

    static final String BASE_URL = "https://relay.example";

    final Db db;
    final ManualClock clock = new ManualClock(Some.NOON);
    final Uuid7 ids = new Uuid7(clock, new Random(1));
    final Given given;
    final AlertConfigStore configs = new AlertConfigStore(Given.SEALER);
    final AlertMeter meter = new AlertMeter();
    final SourceId source;
    final DestinationId destination;
    final ConnectionId connection;
    final List<Destination> unreadable = new ArrayList<>();
    final List<Source> unreadableSources = new ArrayList<>();

    /// @param database of the test class, which is emptied
    AlertFixture(Database database) {
        db = TestPostgres.open(database);
        Given.clearTables(db);
        given = new Given(db);
        source = given.source();
        destination = given.destination("target.example", 1);
        connection = given.connection(source, destination);
        db.run(tx ->
                tx.update(
                        """
                        update alert_watch
                           set holder = null, lease_until = null, moved_at = ?,
                               seen = pg_current_snapshot()::text
                        """,
                        clock.instant()));
    }

    AlertWatcher watcher() {
        var composer =
                new AlertComposer(
                        db,
                        configs,
                        new MailboxConfirmation(BASE_URL, new SecretGenerator(), ids),
                        BASE_URL,
                        ids,
                        meter);
        return new AlertWatcher(
                db, composer, () -> unreadable, () -> unreadableSources, ids, clock, new Wake());
    }

    UUID workspace() {
        return db.call(tx ->
                tx.single(
                        "select workspace_id from source where id = ?",
                        row -> row.uuid("workspace_id"),
                        source.value()));
    }

    /// Lets no mailbox be confirmed, or all of them.
    void confirm(boolean isConfirmed) {
        db.run(tx ->
                tx.update(
                        "update mailbox_confirmation set confirmed_at = ?",
                        isConfirmed ? clock.instant() : null));
    }

    /// Creates a channel of the source's workspace. A mailbox is confirmed.
    ///
    /// @param config its JSON; channels with the same have the same target
    /// @param of the only source that it is about; null for all
    /// @return its id
    UUID channel(String channel, String config, @Nullable SourceId of) {
        return channel(workspace(), channel, config, of);
    }

    UUID channel(UUID workspace, String channel, String config, @Nullable SourceId of) {
        UUID id = ids.next();
        UUID target = UUID.nameUUIDFromBytes((workspace + config).getBytes(UTF_8));
        db.run(tx ->
                tx.update(
                        """
                        insert into mailbox_confirmation (target, workspace_id, mailbox, confirmed_at)
                        values (?, ?, ?, ?)
                        on conflict do nothing
                        """,
                        target,
                        workspace,
                        target,
                        clock.instant()));
        db.run(tx ->
                tx.update(
                        """
                        insert into alert_config (id, workspace_id, source_id, channel, config, target,
                                                  enabled, created_at, updated_at)
                        values (?, ?, ?, ?, ?, ?, true, ?, ?)
                        """,
                        id,
                        workspace,
                        of == null ? null : of.value(),
                        channel,
                        Given.SEALER.seal(config.replace('\'', '"'), "alert_config:config:" + id),
                        target,
                        clock.instant(),
                        clock.instant()));
        return id;
    }

    UUID emailChannel() {
        return channel("email", "{'to':'ann@example.com'}", null);
    }

    UUID otherWorkspace() {
        var other = new WorkspaceId(UUID.randomUUID());
        db.run(tx -> Given.insertWorkspace(tx, other, "Other", "business", clock.instant()));
        return other.value();
    }

    /// Lets deliveries fail in one commit.
    void fail(ConnectionId failing, int n) {
        var ledger = new LedgerRow();
        for (int i = 0; i < n; i++) {
            ledger.addOutcome(
                    failing,
                    DeliveryId.of(Some.eventId(clock.instant()), 1),
                    DeliveryStatus.EXHAUSTED);
        }
        db.run(tx -> LedgerStore.write(tx, ledger, ids.next(), source));
    }

    /// Lets a delivery end because its payload cannot be read, and stores it.
    void failUnreadable(ConnectionId failing) {
        var delivery = DeliveryId.of(Some.eventId(clock.instant()), 1);
        var ledger = new LedgerRow();
        ledger.addOutcome(failing, delivery, DeliveryStatus.FAILED);
        new PartitionStore(db).makeAhead(clock.instant());
        db.run(tx -> {
            tx.update(
                    """
                    insert into delivery (id, finished_at, source_id, connection_id, status, trigger,
                                          attempts, error_code)
                    values (?, ?, ?, ?, ?, 1, 0, ?)
                    """,
                    delivery.value(),
                    clock.instant(),
                    source.value(),
                    failing.value(),
                    (int) DeliveryStatus.FAILED.number(),
                    (int) ErrorCode.PAYLOAD_UNREADABLE.number());
            LedgerStore.write(tx, ledger, ids.next(), source);
        });
    }

    void succeed(ConnectionId working) {
        var ledger = new LedgerRow();
        ledger.addOutcome(
                working, DeliveryId.of(Some.eventId(clock.instant()), 1), DeliveryStatus.SUCCEEDED);
        db.run(tx -> LedgerStore.write(tx, ledger, ids.next(), source));
    }

    /// Lets the circuit of the destination have this state, as [dev.sluice.engine.settle] does.
    void circuit(String state) {
        db.run(tx ->
                tx.update(
                        """
                        insert into circuit (destination_id, state, failures, cooldown_ms, generation,
                                             last_error, changed)
                        values (?, ?, 5, 60000, 1, 'Connection refused', pg_current_xact_id()::text::bigint)
                        on conflict (destination_id)
                           do update set state = excluded.state, changed = excluded.changed
                        """,
                        destination.value(),
                        state));
    }

    /// The subjects of the messages that were composed and are not sent, in order.
    List<String> subjects() {
        return db.call(tx ->
                tx.query(
                        "select subject from alert_message order by id",
                        row -> row.text("subject")));
    }

    /// Removes the messages, as if they were sent. Returns the details of the last one.
    String takeMessages() {
        return db.call(tx -> {
            var details =
                    tx.query(
                            "select details from alert_message order by id",
                            row -> row.text("details"));
            tx.update("delete from alert_message");
            return details.isEmpty() ? "" : details.getLast();
        });
    }

    @Override
    public void close() {
        db.close();
    }
}
