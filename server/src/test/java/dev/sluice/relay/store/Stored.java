package dev.sluice.relay.store;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.routing.Route;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.relay.Attempt;
import dev.sluice.relay.Checked;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.EventId;
import dev.sluice.relay.Payload;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestCluster;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/// A database with the partitions around noon and nothing in it, what tests put there, and what
/// they look at.
final class Stored implements AutoCloseable {

    static final Instant NOON = Some.NOON;

    /// How a row of unfinished work stands.
    record Standing(Optional<Long> owner, Optional<Instant> nextAt, int attempts, int recoveries) {

        static Standing ownedBy(long epoch) {
            return new Standing(Optional.of(epoch), Optional.empty(), 0, 0);
        }

        static Standing waiting(Instant nextAt, int attempts) {
            return new Standing(Optional.empty(), Optional.of(nextAt), attempts, 0);
        }
    }

    /// What a test that uses this locks: they come one after the other.
    static final String ROOM = "relay.store";

    /// One for all tests of this room.
    private static final Database DATABASE = TestCluster.newDatabase();

    final Database database = DATABASE;
    final Db db = TestCluster.open(database);
    final Partitions partitions = new Partitions(db);

    Stored() {
        Given.nothing(db);
        partitions.makeAhead(NOON);
    }

    /// An event with a delivery on each route.
    static Accepted event(boolean isFresh, Route... routes) {
        return event(Some.eventId(), Some.payload("{}"), soon(), isFresh, routes);
    }

    static Accepted event(
            EventId id, Payload payload, Receipt receipt, boolean isFresh, Route... routes) {
        var planned = new ArrayList<Accepted.Planned>();
        for (var route : routes) {
            planned.add(
                    new Accepted.Planned(DeliveryId.of(id, planned.size() + 1), route, isFresh));
        }
        return new Accepted(
                id,
                routes[0].source().id(),
                "POST",
                Optional.of("application/json"),
                Checked.SKIPPED,
                payload,
                planned,
                List.<ConnectionId>of(),
                receipt);
    }

    /// For a sender that has ten seconds.
    static Receipt soon() {
        return within(Duration.ofSeconds(10));
    }

    static Receipt within(Duration patience) {
        return new Receipt(System.nanoTime() + patience.toNanos());
    }

    /// Writes the events as the journal does.
    void put(long epoch, Accepted... events) {
        db.run(tx -> new EventStore().write(tx, List.of(events), Some.id(), epoch, NOON));
    }

    /// Writes one delivery that a node has in memory.
    Work owned(long epoch) {
        return owned(epoch, Some.route(Some.sourceId()));
    }

    Work owned(long epoch, Route route) {
        var event = event(true, route);
        put(epoch, event);
        return work(event, 1, 0);
    }

    Work waiting(Route route) {
        var event = event(false, route);
        put(0, event);
        return work(event, 1, 0);
    }

    static Work work(Accepted event, int ordinal, int attempts) {
        return new Work(
                DeliveryId.of(event.id(), ordinal),
                event.source(),
                event.planned().get(ordinal - 1).connection(),
                Trigger.INGEST,
                attempts,
                Optional.empty());
    }

    static Work at(Work work, int attempts) {
        return new Work(
                work.id(),
                work.source(),
                work.connection(),
                work.trigger(),
                attempts,
                work.createdAt());
    }

    static Attempt attempt(int number, int status) {
        return new Attempt(
                number,
                NOON,
                Some.id(),
                Duration.ofMillis(7),
                Optional.of(status),
                status == 200 ? Optional.empty() : Optional.of(ErrorCode.HTTP_STATUS),
                status == 200 ? Optional.empty() : Optional.of("Destination answered " + status),
                Optional.of("ok"));
    }

    static Settled finished(Work work, DeliveryStatus status) {
        int answer = status == DeliveryStatus.SUCCEEDED ? 200 : 500;
        return new Settled.Finished(
                work,
                status,
                Optional.of(attempt(work.attempts() + 1, answer)),
                Optional.empty(),
                NOON);
    }

    static Settled retried(Work work, Instant nextAt) {
        return new Settled.Retried(work, attempt(work.attempts() + 1, 500), nextAt);
    }

    static Settled released(Work work, Instant nextAt) {
        return new Settled.Released(work, nextAt);
    }

    List<Settled> write(long epoch, Settled... batch) {
        return db.call(tx -> ResultStore.write(tx, List.of(batch), Some.id(), epoch));
    }

    /// Empty when the delivery is finished, or there is none.
    Optional<Standing> standing(Work work) {
        return db.call(tx ->
                tx.one(
                        "select * from delivery_work where id = ?",
                        row ->
                                new Standing(
                                        row.isNull("owner")
                                                ? Optional.empty()
                                                : Optional.of(row.number("owner")),
                                        row.instantOrNone("next_at"),
                                        row.integer("attempts"),
                                        row.integer("recoveries")),
                        work.id().value()));
    }

    /// Of a finished delivery.
    Optional<DeliveryStatus> status(Work work) {
        return db.call(tx ->
                tx.one(
                        "select status from delivery where id = ?",
                        row -> DeliveryStatus.numbered(row.integer("status")),
                        work.id().value()));
    }

    /// Numbers of the attempts in history, its delivery's last one excepted.
    List<Integer> attempts(Work work) {
        return db.call(tx ->
                tx.query(
                        "select number from attempt where delivery_id = ? order by number",
                        row -> row.integer("number"),
                        work.id().value()));
    }

    long count(String table) {
        return db.call(
                tx -> tx.single("select count(*) as n from " + table, row -> row.number("n")));
    }

    long count(Accepted event) {
        return db.call(tx ->
                tx.single(
                        "select count(*) as n from event where id = ?",
                        row -> row.number("n"),
                        event.id().value()));
    }

    /// What the ledger holds for `key`, by kind and dimension: `kind/dim` to count.
    Map<String, Integer> ledger(UUID key) {
        var sums = new TreeMap<String, Integer>();
        db.call(tx ->
                        tx.query(
                                """
                                select kind || '/' || dim as name, sum(n)::int as n
                                  from ledger, unnest(kinds, keys, dims, counts) as e (kind, key, dim, n)
                                 where key = ?
                                 group by 1
                                """,
                                row -> Map.entry(row.text("name"), row.integer("n")),
                                key))
                .forEach(entry -> sums.put(entry.getKey(), entry.getValue()));
        return sums;
    }

    @Override
    public void close() {
        db.close();
    }
}
