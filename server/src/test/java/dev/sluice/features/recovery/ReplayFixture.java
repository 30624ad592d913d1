package dev.sluice.features.recovery;

import dev.sluice.account.plan.Retention;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.EventId;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.engine.commit.ResendStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Wake;
import dev.sluice.testkit.FinishedEvents;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.PostgresProxy;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/// A test database with one connection, jobs inserted as the API does it, and workers that process
/// them.
final class ReplayFixture implements AutoCloseable {

    /// Held by one test class at a time.
    static final String RESOURCE_LOCK = "the database of the jobs";

    static final Retention RETENTION = Retention.ofDays(1);

    private static final Database SHARED_DATABASE = TestPostgres.newDatabase();

    final Database database = SHARED_DATABASE;
    final Db db = TestPostgres.open(database);
    final ManualClock clock = new ManualClock(Some.NOON);
    final Given given;

    /// As a node has it that runs since before any deletion.
    private final ConfigurationCache configuration;

    final SourceId source;
    final DestinationId destination;
    final ConnectionId connection;

    private final Uuid7 ids = new Uuid7(clock, new Random(4));
    private final WorkspaceId workspace = new WorkspaceId(Some.id());

    /// The monotonic clock for the workers' leases.
    final AtomicLong nanos = new AtomicLong();

    ReplayFixture() {
        Given.clearTables(db);
        db.run(tx -> tx.update("delete from replay_job"));
        new PartitionStore(db).makeAhead(Some.NOON);
        given = new Given(db);
        source = given.source();
        destination = given.destination("a.example", 4);
        connection = given.connection(source, destination);
        configuration =
                ConfigurationCache.open(
                        db,
                        new SourceStore(Given.SEALER),
                        new DestinationStore(Given.SEALER),
                        new Wake());
    }

    /// Inserts events with one delivery each, which ended with this status a minute ago.
    List<EventId> ended(DeliveryStatus status, int count) {
        return ended(status, clock.instant().minusSeconds(60), count);
    }

    List<EventId> ended(DeliveryStatus status, Instant at, int count) {
        return FinishedEvents.insert(db, source, connection, status, at, count);
    }

    /// Inserts a job over everything in the database.
    Replay job(int planned, DeliveryStatus... statuses) {
        return job(new ResendEstimate(planned, true, List.of()), clock.instant(), statuses);
    }

    Replay job(ResendEstimate estimate, Instant askedAt, DeliveryStatus... statuses) {
        return db.call(tx -> {
            UUID id = ids.next();
            var madeAt =
                    Replay.creationTime(
                            id,
                            ReplayStore.nextCreatedAt(tx, workspace, List.of(connection), askedAt));
            var replay =
                    Replay.started(
                            id,
                            workspace,
                            selection(statuses),
                            new BulkResendRequest.ArrivalPeriod(Optional.empty(), Optional.empty()),
                            estimate,
                            madeAt);
            ReplayStore.insert(tx, replay);
            return replay;
        });
    }

    /// Inserts a job over the dead letters of several connections that ended so far.
    Replay filteredJob(
            List<ConnectionId> connections,
            int planned,
            Optional<Long> maxCreated,
            Optional<Integer> perSecond) {
        var first = Uuid7.floorAfter(RETENTION.expiryCutoff(clock.instant()));
        var scope =
                new ReplayScope(
                        connections,
                        connections.stream()
                                .skip(1)
                                .map(one -> new ReplayScope.WaitingConnection(one, source, first))
                                .toList(),
                        maxCreated,
                        perSecond);
        var selection =
                new ResendSelection(
                        source,
                        connections.getFirst(),
                        Set.of(DeliveryStatus.FAILED, DeliveryStatus.EXHAUSTED),
                        first,
                        Uuid7.lowerBound(Uuid7.MAX_TIME),
                        Optional.of(
                                new FailureCondition(
                                        Optional.empty(), Optional.empty(), clock.instant())));
        return db.call(tx -> {
            UUID id = ids.next();
            var madeAt =
                    Replay.creationTime(
                            id,
                            ReplayStore.nextCreatedAt(tx, workspace, connections, clock.instant()));
            var replay =
                    Replay.started(
                            id,
                            workspace,
                            selection,
                            scope,
                            new BulkResendRequest.ArrivalPeriod(Optional.empty(), Optional.empty()),
                            new ResendEstimate(planned, true, List.of()),
                            madeAt);
            ReplayStore.insert(tx, replay);
            return replay;
        });
    }

    /// A job over everything in the database that is not inserted yet.
    Replay unstarted(DeliveryStatus... statuses) {
        UUID id = ids.next();
        return Replay.started(
                id,
                workspace,
                selection(statuses),
                new BulkResendRequest.ArrivalPeriod(Optional.empty(), Optional.empty()),
                new ResendEstimate(1, true, List.of()),
                Replay.creationTime(id, clock.instant().plusSeconds(1)));
    }

    void start(Replay replay) {
        db.run(tx -> ReplayStore.start(tx, replay));
    }

    /// Inserts copies of a job for a workspace, whatever the API would say to so many.
    void clone(Replay replay, int count, UUID of) {
        db.run(tx ->
                tx.update(
                        """
                        insert into replay_job
                        select (jsonb_populate_record(
                                  replay_job,
                                  jsonb_build_object('id', gen_random_uuid(), 'workspace_id', ?))).*
                          from replay_job, generate_series(1, ?)
                         where id = ?
                        """,
                        of,
                        count,
                        replay.id()));
    }

    void clone(Replay replay, int count, WorkspaceId of) {
        clone(replay, count, of.value());
    }

    /// A selection of everything in the database.
    ResendSelection selection(DeliveryStatus... statuses) {
        return new ResendSelection(
                source,
                connection,
                Set.of(statuses),
                Uuid7.floorAfter(RETENTION.expiryCutoff(clock.instant())),
                db.call(tx -> SelectionQueries.lastId(tx, source.value())).orElseThrow());
    }

    Replay reload(Replay replay) {
        return db.call(tx -> ReplayStore.find(tx, replay.workspace(), replay.id())).orElseThrow();
    }

    Optional<Replay> setPaused(Replay replay, boolean isPaused) {
        return db.call(tx ->
                ReplayStore.setPaused(
                        tx, replay.workspace(), replay.id(), isPaused, clock.instant()));
    }

    Optional<Replay> cancel(Replay replay) {
        return db.call(
                tx -> ReplayStore.cancel(tx, replay.workspace(), replay.id(), clock.instant()));
    }

    /// The worker of another process.
    ReplayWorker worker(ReplayWorker.ReplayLimits limits) {
        return worker(db, limits);
    }

    /// @param way connection to the database
    ReplayWorker worker(Db way, ReplayWorker.ReplayLimits limits) {
        return worker(way, limits, () -> {});
    }

    /// @param onChunk called when a round has leased the job and is about to make a chunk
    ReplayWorker worker(Db way, ReplayWorker.ReplayLimits limits, Runnable onChunk) {
        configuration.run();
        return new ReplayWorker(
                way,
                configuration,
                _ -> {
                    onChunk.run();
                    return RETENTION;
                },
                new Uuid7(clock, new Random()),
                new ReplayWorker.WorkerClocks(clock, clock, nanos::get),
                new Wake(),
                limits);
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

    /// Resends events one by one, as a user does.
    void resend(List<EventId> events) {
        db.run(tx -> {
            ResendStore.lockEvents(tx, source, events);
            ResendStore.add(
                    tx,
                    source,
                    events.stream()
                            .map(event -> new ResendStore.EventResend(event, connection))
                            .toList(),
                    clock.instant(),
                    clock.instant(),
                    ids.next());
        });
    }

    /// Deletes everything that waits, as if it had been delivered and its day dropped.
    void deliverAll() {
        db.run(tx -> tx.update("delete from delivery_work"));
    }

    @Override
    public void close() {
        db.close();
    }

    /// Opens the database of a worker that is killed by cutting its connections.
    static Db through(PostgresProxy proxy) {
        return Db.open(proxy.database(), "killed", 2, Duration.ofSeconds(20));
    }
}
