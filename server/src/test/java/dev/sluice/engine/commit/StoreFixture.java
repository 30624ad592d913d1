package dev.sluice.engine.commit;

import dev.sluice.engine.Attempt;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.EventId;
import dev.sluice.engine.EventVerification;
import dev.sluice.engine.Payload;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/// A test database with the partitions around noon and no rows, with helpers to insert and read
/// them.
public final class StoreFixture implements AutoCloseable {

    public static final Instant NOON = Some.NOON;

    /// The state of a row of unfinished work.
    public record WorkRowState(
            Optional<Long> owner, Optional<Instant> nextAt, int attempts, int recoveries) {

        public static WorkRowState ownedBy(long epoch) {
            return new WorkRowState(Optional.of(epoch), Optional.empty(), 0, 0);
        }

        public static WorkRowState waiting(Instant nextAt, int attempts) {
            return new WorkRowState(Optional.empty(), Optional.of(nextAt), attempts, 0);
        }
    }

    /// The lock of all tests that use this fixture, so that they run one after the other.
    public static final String RESOURCE_LOCK = "engine.store";

    /// One for all tests of this package.
    private static final Database SHARED_DATABASE = TestPostgres.newDatabase();

    public final Database database = SHARED_DATABASE;
    public final Db db = TestPostgres.open(database);
    public final PartitionStore partitions = new PartitionStore(db);

    public StoreFixture() {
        Given.clearTables(db);
        partitions.makeAhead(NOON);
    }

    /// An event with a delivery on each route.
    public static AcceptedEvent event(boolean isFresh, Route... routes) {
        return event(Some.eventId(), Some.payload("{}"), receiptDueSoon(), isFresh, routes);
    }

    public static AcceptedEvent event(
            EventId id, Payload payload, Receipt receipt, boolean isFresh, Route... routes) {
        var planned = new ArrayList<AcceptedEvent.PlannedDelivery>();
        for (var route : routes) {
            planned.add(
                    new AcceptedEvent.PlannedDelivery(
                            DeliveryId.of(id, planned.size() + 1), route, isFresh));
        }
        return event(
                id,
                routes[0].source(),
                payload,
                new AcceptedEvent.DeliveryPlan(planned, List.of()),
                receipt);
    }

    public static AcceptedEvent event(Source source, AcceptedEvent.DeliveryPlan plan) {
        return event(Some.eventId(), source, Some.payload("{}"), plan, receiptDueSoon());
    }

    /// An event of this source without deliveries.
    public static AcceptedEvent event(Source source, Payload payload, Receipt receipt) {
        return event(Some.eventId(), source, payload, AcceptedEvent.DeliveryPlan.NONE, receipt);
    }

    private static AcceptedEvent event(
            EventId id,
            Source source,
            Payload payload,
            AcceptedEvent.DeliveryPlan plan,
            Receipt receipt) {
        return new AcceptedEvent(
                id,
                source,
                "POST",
                Optional.of("application/json"),
                EventVerification.SKIPPED,
                payload,
                plan,
                receipt);
    }

    /// A receipt with a deadline in ten seconds.
    public static Receipt receiptDueSoon() {
        return within(Duration.ofSeconds(10));
    }

    public static Receipt within(Duration patience) {
        return new Receipt(System.nanoTime() + patience.toNanos());
    }

    /// Writes the events as the journal does.
    public void put(long epoch, AcceptedEvent... events) {
        db.run(tx -> new EventStore().write(tx, List.of(events), Some.id(), epoch, NOON));
    }

    /// Writes one delivery that a node owns.
    public UnfinishedDelivery owned(long epoch) {
        return owned(epoch, Some.route(Some.sourceId()));
    }

    public UnfinishedDelivery owned(long epoch, Route route) {
        var event = event(true, route);
        put(epoch, event);
        return work(event, 1, 0);
    }

    public UnfinishedDelivery waiting(Route route) {
        var event = event(false, route);
        put(0, event);
        return work(event, 1, 0);
    }

    public static UnfinishedDelivery work(AcceptedEvent event, int ordinal, int attempts) {
        return new UnfinishedDelivery(
                DeliveryId.of(event.id(), ordinal),
                event.source(),
                event.deliveries().get(ordinal - 1).connection(),
                Trigger.INGEST,
                attempts,
                Optional.empty());
    }

    public static UnfinishedDelivery at(UnfinishedDelivery delivery, int attempts) {
        return new UnfinishedDelivery(
                delivery.id(),
                delivery.source(),
                delivery.connection(),
                delivery.trigger(),
                attempts,
                delivery.createdAt());
    }

    public static Attempt attempt(int number, int status) {
        return new Attempt(
                number,
                NOON,
                new Attempt.UsedSettings(Some.id(), 1),
                Duration.ofMillis(7),
                Optional.of(status),
                status == 200 ? Optional.empty() : Optional.of(ErrorCode.HTTP_STATUS),
                status == 200 ? Optional.empty() : Optional.of("Destination answered " + status),
                Optional.of("ok"));
    }

    public static DeliveryResult finished(UnfinishedDelivery delivery, DeliveryStatus status) {
        int answer = status == DeliveryStatus.SUCCEEDED ? 200 : 500;
        return new DeliveryResult.FinalResult(
                delivery,
                status,
                Optional.of(attempt(delivery.attempts() + 1, answer)),
                Optional.empty(),
                NOON);
    }

    public static DeliveryResult retried(UnfinishedDelivery delivery, Instant nextAt) {
        return new DeliveryResult.RetryResult(
                delivery, attempt(delivery.attempts() + 1, 500), nextAt);
    }

    public static DeliveryResult released(UnfinishedDelivery delivery, Instant nextAt) {
        return new DeliveryResult.ReleaseResult(delivery, nextAt);
    }

    public List<DeliveryResult> write(long epoch, DeliveryResult... batch) {
        return db.call(tx -> ResultStore.write(tx, List.of(batch), Some.id(), epoch));
    }

    /// Empty when the delivery is finished or does not exist.
    public Optional<WorkRowState> workState(UnfinishedDelivery delivery) {
        return db.call(tx ->
                tx.findOne(
                        "select * from delivery_work where id = ?",
                        row ->
                                new WorkRowState(
                                        row.isNull("owner")
                                                ? Optional.empty()
                                                : Optional.of(row.number("owner")),
                                        row.instantOrNone("next_at"),
                                        row.integer("attempts"),
                                        row.integer("recoveries")),
                        delivery.id().value()));
    }

    /// The status of a finished delivery.
    public Optional<DeliveryStatus> status(UnfinishedDelivery delivery) {
        return db.call(tx ->
                tx.findOne(
                        "select status from delivery where id = ?",
                        row -> DeliveryStatus.fromNumber(row.integer("status")),
                        delivery.id().value()));
    }

    /// Numbers of the delivery's attempts in the table `attempt`, which excludes the last one.
    public List<Integer> attempts(UnfinishedDelivery delivery) {
        return db.call(tx ->
                tx.query(
                        "select number from attempt where delivery_id = ? order by number",
                        row -> row.integer("number"),
                        delivery.id().value()));
    }

    /// Makes new sessions of this database read-only, or writable again. Open sessions stay as they
    /// are.
    public void readOnly(boolean isReadOnly) {
        db.run(tx -> {
            tx.update("set transaction read write");
            tx.update(
                    "alter database "
                            + database.name()
                            + (isReadOnly
                                    ? " set default_transaction_read_only = on"
                                    : " reset default_transaction_read_only"));
        });
    }

    /// Ends the sessions of this application, as an administrator does.
    public void endSessions(String application) {
        db.run(tx ->
                tx.query(
                        """
                        select pg_terminate_backend(pid) as is_ended
                          from pg_stat_activity
                         where datname = current_database() and application_name = ?
                        """,
                        row -> row.bool("is_ended"),
                        application));
    }

    public long count(String table) {
        return db.call(
                tx -> tx.single("select count(*) as n from " + table, row -> row.number("n")));
    }

    public long count(AcceptedEvent event) {
        return db.call(tx ->
                tx.single(
                        "select count(*) as n from event where id = ?",
                        row -> row.number("n"),
                        event.id().value()));
    }

    /// A kind of count that the ledger holds for one source or connection.
    public record UsageCount(int kind, int dim) {

        public static UsageCount events(VerificationStatus verification) {
            return new UsageCount(1, verification.number());
        }

        public static UsageCount outcomes(DeliveryStatus status) {
            return new UsageCount(2, status.number());
        }

        public static UsageCount deliveries(Trigger trigger) {
            return new UsageCount(3, trigger.number());
        }
    }

    /// The ledger's counts for `key`, a source or a connection.
    public Map<UsageCount, Integer> ledger(UUID key) {
        return db
                .call(tx ->
                        tx.query(
                                """
                                select kind, dim, sum(n)::int as n
                                  from ledger, unnest(kinds, keys, dims, counts) as e (kind, key, dim, n)
                                 where key = ?
                                 group by 1, 2
                                """,
                                row ->
                                        Map.entry(
                                                new UsageCount(
                                                        row.integer("kind"), row.integer("dim")),
                                                row.integer("n")),
                                key))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    @Override
    public void close() {
        db.close();
    }
}
