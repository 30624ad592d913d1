package dev.sluice.relay.replay;

import dev.sluice.account.plan.Retention;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.routing.Routing;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.EventId;
import dev.sluice.relay.store.Partitions;
import dev.sluice.relay.store.ResendStore;
import dev.sluice.testkit.Ended;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestCluster;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/// A database with one connection, jobs put there as the API does, and processes that work on them.
final class Jobs implements AutoCloseable {

    /// One class at a time uses it.
    static final String ROOM = "the database of the jobs";

    static final Retention RETENTION = Retention.ofDays(1);

    private static final Database DATABASE = TestCluster.newDatabase();

    final Database database = DATABASE;
    final Db db = TestCluster.open(database);
    final ManualClock clock = new ManualClock(Some.NOON);
    final Given given;
    final SourceId source;
    final DestinationId destination;
    final ConnectionId connection;

    private final Uuid7 ids = new Uuid7(clock, new Random(4));
    private final WorkspaceId workspace = new WorkspaceId(Some.id());

    /// For the leases of the processes.
    final AtomicLong nanos = new AtomicLong();

    Jobs() {
        Given.nothing(db);
        db.run(tx -> tx.update("delete from replay_job"));
        new Partitions(db).makeAhead(Some.NOON);
        given = new Given(db);
        source = given.source();
        destination = given.destination("a.example", 4);
        connection = given.connection(source, destination);
    }

    /// Events of which one delivery each ended so, a minute ago.
    List<EventId> ended(DeliveryStatus status, int count) {
        return ended(status, clock.instant().minusSeconds(60), count);
    }

    List<EventId> ended(DeliveryStatus status, Instant at, int count) {
        return Ended.events(db, source, connection, status, at, count);
    }

    /// A job over all that is there.
    Replay job(int planned, DeliveryStatus... statuses) {
        return job(new Plan(planned, true, List.of()), clock.instant(), statuses);
    }

    Replay job(Plan plan, Instant askedAt, DeliveryStatus... statuses) {
        return db.call(tx -> {
            UUID id = ids.next();
            var madeAt = Times.ofJob(id, ReplayStore.turn(tx, workspace, connection, askedAt));
            var replay =
                    new Replay(
                            id,
                            workspace,
                            selection(statuses),
                            Optional.empty(),
                            Optional.empty(),
                            Replay.Status.RUNNING,
                            plan.count(),
                            plan.isExact(),
                            0,
                            0,
                            Optional.empty(),
                            madeAt,
                            madeAt,
                            Optional.empty());
            ReplayStore.insert(tx, replay);
            return replay;
        });
    }

    /// All that is there.
    Selection selection(DeliveryStatus... statuses) {
        return new Selection(
                source,
                connection,
                Set.of(statuses),
                Times.keptAfter(clock.instant(), RETENTION),
                db.call(tx -> Scan.end(tx, source.value())).orElseThrow());
    }

    Replay now(Replay replay) {
        return db.call(tx -> ReplayStore.find(tx, replay.workspace(), replay.id())).orElseThrow();
    }

    Optional<Replay> cancel(Replay replay) {
        return db.call(
                tx -> ReplayStore.cancel(tx, replay.workspace(), replay.id(), clock.instant()));
    }

    /// Another process.
    Replaying process(Replaying.Sizes sizes) {
        return process(db, sizes);
    }

    /// @param way by which it reaches the database
    Replaying process(Db way, Replaying.Sizes sizes) {
        var routing =
                Routing.open(db, new SourceStore(Given.SEALER), new DestinationStore(Given.SEALER));
        return new Replaying(
                way,
                routing,
                _ -> RETENTION,
                new Uuid7(clock, new Random()),
                clock,
                nanos::get,
                sizes);
    }

    void endLeases() {
        db.run(tx -> tx.update("update replay_job set lease_until = now() - interval '1 second'"));
    }

    /// How many resends each event has, finished or not.
    Map<EventId, Long> resends() {
        return db
                .call(tx ->
                        tx.query(
                                "select id from delivery_work where trigger = 2 union all select id"
                                        + " from delivery where trigger = 2",
                                row -> new DeliveryId(row.uuid("id"))))
                .stream()
                .collect(Collectors.groupingBy(DeliveryId::event, Collectors.counting()));
    }

    /// As a user does, one by one.
    void resend(List<EventId> events) {
        db.run(tx -> {
            ResendStore.lock(tx, source, events);
            ResendStore.add(
                    tx,
                    source,
                    events.stream()
                            .map(event -> new ResendStore.Resend(event, connection))
                            .toList(),
                    clock.instant(),
                    clock.instant(),
                    ids.next());
        });
    }

    /// What waits is gone, as if it had been delivered and its day removed.
    void deliverAll() {
        db.run(tx -> tx.update("delete from delivery_work"));
    }

    @Override
    public void close() {
        db.close();
    }
}
