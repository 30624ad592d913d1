package dev.sluice.relay.retention;

import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;
import dev.sluice.relay.store.Partitions;
import dev.sluice.relay.store.Settled;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestCluster;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/// A database with events of some age, written as the relay writes them, and what sees to their
/// retention.
final class Archive implements AutoCloseable {

    /// Told of, in order.
    final List<Expiring> told = new ArrayList<>();

    /// Deliveries that were ended, in order.
    final List<Settled> ended = new ArrayList<>();

    final Db db;
    final ManualClock clock = new ManualClock(Some.NOON);
    final Partitions partitions;
    final PlanCatalog plans;

    private final Random random = new Random(5);

    Archive(Database database, Path directory, String plans) throws IOException {
        db = TestCluster.open(database);
        Given.nothing(db);
        db.run(tx -> {
            tx.update("delete from retention_notice");
            for (String table :
                    tx.query(
                            """
                            select relname as name from pg_class
                             where relnamespace = current_schema()::regnamespace and relkind = 'r'
                               and relname ~ '_[0-9]{8}$'
                            """,
                            row -> row.text("name"))) {
                tx.update("drop table " + table);
            }
        });
        partitions = new Partitions(db);
        partitions.makeAhead(Some.NOON);
        this.plans = PlanCatalog.read(Files.writeString(directory.resolve("plans.json"), plans));
    }

    /// One node's, at the beginning of its first round.
    Retaining node() {
        return nodeOnHost(clock);
    }

    /// The same on a machine with this clock.
    Retaining nodeOnHost(InstantSource host) {
        return new Retaining(
                db,
                plans,
                partitions,
                new Uuid7(clock, new Random()),
                (_, effective) -> {
                    synchronized (ended) {
                        ended.addAll(effective);
                    }
                },
                soon -> {
                    synchronized (told) {
                        told.addAll(soon);
                    }
                },
                clock,
                host);
    }

    /// A round of a node that was just started.
    void round() {
        node().run();
    }

    /// A source in a workspace of its own.
    SourceId source(String plan) {
        var source = new Given(db).source();
        plan(source, plan, Some.NOON);
        return source;
    }

    void plan(SourceId source, String plan, Instant changedAt) {
        db.run(tx ->
                tx.update(
                        """
                        update workspace set plan = ?, updated_at = ?
                         where id = (select workspace_id from source where id = ?)
                        """,
                        plan,
                        changedAt,
                        source.value()));
    }

    /// An event with one delivery that waits.
    DeliveryId waiting(SourceId source, ConnectionId connection, Instant at) {
        return event(source, connection, at, null);
    }

    /// So many at once, each a millisecond after the other.
    void waiting(SourceId source, ConnectionId connection, Instant from, int events) {
        db.run(tx -> {
            for (int i = 0; i < events; i++) {
                event(tx, source, connection, from.plusMillis(i), null);
            }
        });
    }

    /// An event with one delivery in the memory of a node.
    DeliveryId owned(SourceId source, ConnectionId connection, Instant at) {
        return event(source, connection, at, 77L);
    }

    private DeliveryId event(
            SourceId source, ConnectionId connection, Instant at, @Nullable Long owner) {
        return db.call(tx -> event(tx, source, connection, at, owner));
    }

    private DeliveryId event(
            Tx tx, SourceId source, ConnectionId connection, Instant at, @Nullable Long owner) {
        var event = new EventId(new Uuid7(() -> at, random).next(12));
        tx.update(
                """
                insert into event (id, source_id, method, verification, fanout, body_size, headers, body)
                values (?, ?, 'POST', 3, 1, 2, '', '{}')
                """,
                event.value(),
                source.value());
        count(tx, 1, source.value(), event, 3, 2);
        return work(tx, DeliveryId.of(event, 1), source, connection, at, owner);
    }

    /// A resend of an event, made now.
    DeliveryId resent(SourceId source, ConnectionId connection, EventId event) {
        var id = DeliveryId.of(event, DeliveryId.FIRST_RESEND);
        return db.call(tx -> {
            work(tx, id, source, connection, clock.instant(), null);
            tx.update(
                    "update delivery_work set created_at = ? where id = ?",
                    clock.instant(),
                    id.value());
            return id;
        });
    }

    private static DeliveryId work(
            Tx tx,
            DeliveryId id,
            SourceId source,
            ConnectionId connection,
            Instant nextAt,
            @Nullable Long owner) {
        boolean isResend = id.ordinal() >= DeliveryId.FIRST_RESEND;
        tx.update(
                """
                insert into delivery_work (id, source_id, connection_id, owner, next_at, trigger)
                values (?, ?, ?, ?, ?, ?)
                """,
                id.value(),
                source.value(),
                connection.value(),
                owner,
                owner == null ? nextAt : null,
                isResend ? 2 : 1);
        count(tx, 3, connection.value(), id.event(), isResend ? 2 : 1, 0);
        return id;
    }

    private static void count(Tx tx, int kind, UUID key, EventId event, int dim, int size) {
        tx.update(
                """
                insert into rollup_hour (kind, key, hour, dim, n, size) values (?, ?, ?, ?, 1, ?)
                on conflict (kind, key, hour, dim)
                   do update set n = rollup_hour.n + 1, size = rollup_hour.size + excluded.size
                """,
                kind,
                key,
                (int) (Uuid7.timeOf(event.value()).getEpochSecond() / 3_600),
                dim,
                size);
    }

    /// `status error_code` of what is finished, `owned` or `waiting` for what is not, `gone` for
    /// what is nowhere.
    String standing(DeliveryId delivery) {
        return db
                .call(tx ->
                        tx.query(
                                """
                                select status || ' ' || error_code as standing from delivery where id = ?
                                union all
                                select case when owner is null then 'waiting' else 'owned' end
                                  from delivery_work
                                 where id = ?
                                """,
                                row -> row.text("standing"),
                                delivery.value(),
                                delivery.value()))
                .stream()
                .reduce((one, other) -> one + " and " + other)
                .orElse("gone");
    }

    long count(String table) {
        return db.call(
                tx -> tx.single("select count(*) as n from " + table, row -> row.number("n")));
    }

    /// Tables of days, attached or not, those that are being detached with a `?`.
    List<String> days(String table) {
        return db.call(tx ->
                tx.query(
                        """
                        select relname || case when inhrelid is null then ' apart'
                                               when inhdetachpending then '?' else '' end as name
                          from pg_class left join pg_inherits on inhrelid = pg_class.oid
                         where relnamespace = current_schema()::regnamespace and relkind = 'r'
                           and relname ~ ('^' || ? || '_[0-9]{8}$')
                         order by 1
                        """,
                        row -> row.text("name"), table));
    }

    @Override
    public void close() {
        db.close();
    }
}
