package dev.sluice.relay.store;

import static dev.sluice.relay.store.Receipt.State.REFUSED;
import static dev.sluice.relay.store.Receipt.State.STORED;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import dev.sluice.gateway.routing.Route;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Line;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.Checked;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.Payload;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TcpProxy;
import dev.sluice.testkit.TestCluster;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

@Isolated
class JournalTest {

    private static final long EPOCH = 7;
    private static final int ROUNDS = Integer.getInteger("sluice.rounds", 8);

    private final Stored stored = new Stored();
    private final TcpProxy proxy = TcpProxy.to(stored.database.host(), stored.database.port());
    private final ManualClock clock = new ManualClock(Stored.NOON);
    private final RecordingJournalListener listener = new RecordingJournalListener();
    private final Journal journal = journal(stored.partitions);
    private final Route route = Some.route(Some.sourceId());
    private boolean isStarted;

    private Journal journal(Partitions partitions) {
        var database = stored.database;
        var proxied =
                new Database(
                        "127.0.0.1",
                        proxy.port(),
                        database.name(),
                        database.user(),
                        database.password(),
                        "");
        return new Journal(
                new Line(proxied, "journal"),
                partitions,
                () -> EPOCH,
                new Uuid7(clock, new Random(5)),
                clock);
    }

    private void start() {
        journal.start(listener);
        isStarted = true;
    }

    @AfterEach
    void close() {
        proxy.comeBack();
        if (isStarted) {
            journal.close();
        }
        proxy.close();
        stored.close();
    }

    private static Receipt.State storedBy(Journal journal, Accepted event) {
        assertThat(journal.offer(event)).isTrue();
        return event.receipt().await();
    }

    @Test
    void it_rests_after_a_batch_that_had_company_unless_enough_waits_already() {
        assertThat(Journal.isRestWorthIt(1, 0, 0)).as("came alone").isFalse();
        assertThat(Journal.isRestWorthIt(7, 0, 0)).isFalse();
        assertThat(Journal.isRestWorthIt(8, 0, 0)).as("had company").isTrue();
        assertThat(Journal.isRestWorthIt(512, 63, 63_000)).isTrue();
        assertThat(Journal.isRestWorthIt(512, 64, 64_000)).as("enough events").isFalse();
        assertThat(Journal.isRestWorthIt(9, 2, 2 << 20)).as("enough bytes").isFalse();
    }

    @Test
    void an_event_is_stored_with_its_work_and_its_usage() {
        var fresh = Some.route(route.source().id());
        var filtered = Some.route(route.source().id());
        var id = Some.eventId();
        var event =
                new Accepted(
                        id,
                        route.source().id(),
                        "PUT",
                        Optional.of("text/plain"),
                        Checked.VERIFIED,
                        Some.payload("body"),
                        List.of(
                                new Accepted.Planned(DeliveryId.of(id, 1), route, false),
                                new Accepted.Planned(DeliveryId.of(id, 2), fresh, true)),
                        List.of(filtered.connection().id()),
                        Stored.soon());
        start();

        assertThat(storedBy(journal, event)).isEqualTo(STORED);

        stored.db.run(tx ->
                tx.single(
                        "select * from event where id = ?",
                        row -> {
                            assertThat(row.uuid("source_id")).isEqualTo(event.source().value());
                            assertThat(row.text("method")).isEqualTo("PUT");
                            assertThat(row.text("content_type")).isEqualTo("text/plain");
                            assertThat(row.integer("verification")).isEqualTo(1);
                            assertThat(row.integer("fanout")).isEqualTo(3);
                            assertThat(row.integer("body_size")).isEqualTo(4);
                            assertThat(row.uuids("filtered"))
                                    .containsExactly(filtered.connection().id().value());
                            assertThat(row.bytes("headers"))
                                    .isEqualTo(event.payload().headerLines());
                            assertThat(row.bytes("body")).isEqualTo(event.payload().body());
                            return true;
                        },
                        id.value()));
        assertThat(stored.standing(Stored.work(event, 1, 0)))
                .contains(Stored.Standing.waiting(Stored.NOON, 0));
        assertThat(stored.standing(Stored.work(event, 2, 0)))
                .contains(Stored.Standing.ownedBy(EPOCH));
        assertThat(stored.ledger(event.source().value())).containsOnlyKeys("1/1").containsValue(1);
        assertThat(stored.ledger(route.connection().id().value())).containsOnlyKeys("3/1");
        assertThat(stored.ledger(filtered.connection().id().value())).containsOnlyKeys("2/6");
        await().until(() -> listener.stored().equals(List.of(id)));
    }

    @Test
    void what_is_queued_goes_in_one_commit_with_one_ledger_row() {
        var events = new ArrayList<Accepted>();
        for (int i = 0; i < 100; i++) {
            events.add(Stored.event(true, route));
            assertThat(journal.offer(events.getLast())).isTrue();
        }
        start();

        assertThat(events).allMatch(event -> event.receipt().await() == STORED);
        assertThat(stored.count("ledger")).isEqualTo(1);
        assertThat(stored.ledger(route.source().id().value())).containsEntry("1/3", 100);
        assertThat(stored.count("event")).isEqualTo(100);
        assertThat(stored.count("delivery_work")).isEqualTo(100);
    }

    @Test
    void large_events_do_not_share_a_commit_with_small_ones() {
        var large =
                Stored.event(
                        Some.eventId(),
                        Payload.of(List.of(), new byte[200_000]),
                        Stored.soon(),
                        true,
                        route);
        var small = Stored.event(true, route);
        journal.offer(large);
        journal.offer(small);
        start();

        assertThat(large.receipt().await()).isEqualTo(STORED);
        assertThat(small.receipt().await()).isEqualTo(STORED);
        assertThat(stored.count("ledger")).isEqualTo(2);
        await().until(() -> listener.stored().equals(List.of(small.id(), large.id())));
    }

    @Test
    void nobody_is_told_of_success_before_the_commit() throws InterruptedException {
        var commit = proxy.holdNextCommit();
        var event = Stored.event(true, route);
        var seen = new ArrayList<Long>();
        listener.onStored(events -> seen.add(stored.count(events.getFirst())));
        start();
        journal.offer(event);

        commit.awaitArrival();
        assertThat(event.receipt().isRefused()).isFalse();
        assertThat(listener.stored()).isEmpty();
        assertThat(stored.count(event)).isZero();

        commit.letThrough();
        assertThat(event.receipt().await()).isEqualTo(STORED);
        await().until(() -> listener.stored().equals(List.of(event.id())));
        assertThat(seen).containsExactly(1L);
    }

    @ParameterizedTest
    @EnumSource(TcpProxy.Cut.class)
    void a_connection_that_breaks_around_the_commit_leaves_exactly_one_copy(TcpProxy.Cut cut) {
        start();
        assertThat(storedBy(journal, Stored.event(true, route))).isEqualTo(STORED);

        for (int round = 0; round < ROUNDS; round++) {
            proxy.cutNextCommit(cut);
            var event = Stored.event(true, route);

            assertThat(storedBy(journal, event)).isEqualTo(STORED);
            assertThat(proxy.isCutPending()).isFalse();
            assertThat(stored.count(event)).isEqualTo(1);
            assertThat(stored.standing(Stored.work(event, 1, 0)))
                    .contains(Stored.Standing.ownedBy(EPOCH));
        }
        assertThat(stored.ledger(route.source().id().value())).containsEntry("1/3", ROUNDS + 1);
        assertThat(stored.ledger(route.connection().id().value())).containsEntry("3/1", ROUNDS + 1);
        await().until(() -> listener.stored().size() == ROUNDS + 1);
        assertThat(listener.dropped()).isEmpty();
    }

    @Test
    void a_database_that_comes_back_in_time_is_only_slow() {
        start();
        proxy.goAway();
        var event = Stored.event(true, route);
        journal.offer(event);
        proxy.comeBack();

        assertThat(event.receipt().await()).isEqualTo(STORED);
        assertThat(stored.count(event)).isEqualTo(1);
    }

    @Test
    void an_event_that_was_refused_is_never_written_later() {
        start();
        proxy.goAway();
        var late = impatient();
        var queued = impatient();

        assertThat(storedBy(journal, late)).isEqualTo(REFUSED);
        assertThat(storedBy(journal, queued)).isEqualTo(REFUSED);

        proxy.comeBack();
        var next = Stored.event(true, route);
        assertThat(storedBy(journal, next)).isEqualTo(STORED);
        assertThat(stored.count(late)).isZero();
        assertThat(stored.count(queued)).isZero();
        assertThat(stored.count("delivery_work")).isEqualTo(1);
        assertThat(listener.dropped()).containsExactly(late.id(), queued.id());
    }

    private Accepted impatient() {
        return Stored.event(
                Some.eventId(),
                Some.payload("{}"),
                Stored.within(Duration.ofMillis(50)),
                true,
                route);
    }

    @Test
    void an_event_that_was_refused_but_proves_stored_is_dispatched() throws Exception {
        start();
        var first = refusedThoughStored();
        proxy.comeBack();

        await().until(() -> listener.stored().equals(List.of(first.id())));
        assertThat(listener.dropped()).isEmpty();
        assertThat(stored.count(first)).isEqualTo(1);
    }

    /// The database is away when this returns: it went with the answer to the commit, so that the
    /// journal could not ask before the sender was refused.
    private Accepted refusedThoughStored() throws InterruptedException {
        var event = impatient();
        var away = new CountDownLatch(1);
        proxy.dieAtCommit(1, TcpProxy.Cut.AFTER_COMMIT, () -> {}, away::countDown);
        journal.offer(event);
        away.await();
        assertThat(event.receipt().await()).isEqualTo(REFUSED);
        return event;
    }

    @Test
    void a_database_that_refuses_to_say_whether_an_event_is_stored_is_asked_again()
            throws Exception {
        var log = (Logger) LoggerFactory.getLogger(Journal.class);
        var said = new ListAppender<ILoggingEvent>();
        said.start();
        log.addAppender(said);
        start();
        var event = refusedThoughStored();
        stored.db.run(tx -> tx.update("alter table event rename to elsewhere"));
        proxy.comeBack();
        await().until(() ->
                List.copyOf(said.list).stream()
                        .anyMatch(line -> line.getMessage().equals("journal.find_failed")));
        stored.db.run(tx -> tx.update("alter table elsewhere rename to event"));

        await().until(() -> listener.stored().equals(List.of(event.id())));
        assertThat(listener.dropped()).isEmpty();
        log.detachAppender(said);
    }

    @Test
    void a_full_queue_says_no() {
        int taken = 0;
        while (journal.offer(Stored.event(true, route))) {
            taken++;
        }

        assertThat(taken).isEqualTo(16_384);
    }

    @Test
    void a_queue_with_too_many_bytes_says_no_until_there_is_room() {
        var megabyte = Payload.of(List.of(), new byte[1 << 20]);
        var events = new ArrayList<Accepted>();
        for (int i = 0; i < 64; i++) {
            events.add(Stored.event(Some.eventId(), megabyte, Stored.soon(), true, route));
            assertThat(journal.offer(events.getLast())).isTrue();
        }
        assertThat(journal.offer(Stored.event(true, route))).isFalse();

        start();
        assertThat(events).allMatch(event -> event.receipt().await() == STORED);
        assertThat(storedBy(journal, Stored.event(true, route))).isEqualTo(STORED);
    }

    @Test
    void a_missing_day_is_made() {
        clock.advance(Duration.ofDays(20));
        var event =
                Stored.event(
                        Some.eventId(clock.instant()),
                        Some.payload("{}"),
                        Stored.soon(),
                        true,
                        route);
        start();

        assertThat(storedBy(journal, event)).isEqualTo(STORED);
        assertThat(stored.count(event)).isEqualTo(1);
    }

    @Test
    void a_day_that_cannot_be_made_refuses_its_events_and_no_others() {
        var closed = TestCluster.open(stored.database);
        closed.close();
        try (var lame = journal(new Partitions(closed))) {
            lame.start(listener);
            var homeless =
                    Stored.event(
                            Some.eventId(Stored.NOON.plus(Duration.ofDays(30))),
                            Some.payload("{}"),
                            Stored.within(Duration.ofMillis(50)),
                            true,
                            route);
            assertThat(storedBy(lame, homeless)).isEqualTo(REFUSED);

            assertThat(storedBy(lame, Stored.event(true, route))).isEqualTo(STORED);
            assertThat(listener.dropped()).containsExactly(homeless.id());
        }
    }

    @Test
    void what_the_database_will_not_take_is_refused_and_the_journal_goes_on() {
        var id = Some.eventId();
        var wrong =
                new Accepted(
                        id,
                        route.source().id(),
                        "POST",
                        Optional.of("no\0text"),
                        Checked.SKIPPED,
                        Some.payload("{}"),
                        List.of(),
                        List.of(),
                        Stored.soon());
        start();

        assertThat(storedBy(journal, wrong)).isEqualTo(REFUSED);
        assertThat(storedBy(journal, Stored.event(true, route))).isEqualTo(STORED);
        assertThat(stored.count("event")).isEqualTo(1);
        await().until(() -> listener.dropped().equals(List.of(id)));
    }

    @Test
    void closing_stores_what_was_taken_and_takes_nothing_more() {
        var event = Stored.event(true, route);
        journal.offer(event);
        start();
        journal.close();

        assertThat(event.receipt().await()).isEqualTo(STORED);
        assertThat(journal.offer(Stored.event(true, route))).isFalse();
    }
}
