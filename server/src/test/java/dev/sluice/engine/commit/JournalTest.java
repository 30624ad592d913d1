package dev.sluice.engine.commit;

import static dev.sluice.engine.commit.Receipt.ReceiptState.REFUSED;
import static dev.sluice.engine.commit.Receipt.ReceiptState.STORED;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.EventVerification;
import dev.sluice.engine.Payload;
import dev.sluice.engine.Trigger;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.routing.Route;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Activity;
import dev.sluice.platform.loop.Shutdown;
import dev.sluice.testkit.LogRecorder;
import dev.sluice.testkit.ManualClock;
import dev.sluice.testkit.PostgresProxy;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

@Isolated
class JournalTest {

    private static final long EPOCH = 7;
    private static final int ROUNDS = Integer.getInteger("sluice.rounds", 8);

    private final StoreFixture fixture = new StoreFixture();
    private final PostgresProxy proxy = PostgresProxy.to(fixture.database);
    private final ManualClock clock = new ManualClock(StoreFixture.NOON);
    private final RecordingJournalListener listener = new RecordingJournalListener();
    private final Journal journal = journal(fixture.partitions);
    private final Route route = Some.route(Some.sourceId());
    private final Shutdown shutdown = new Shutdown(new Activity());
    private boolean isStarted;

    private Journal journal(PartitionStore partitions) {
        return new Journal(
                new DedicatedConnection(proxy.database(), "journal"),
                partitions,
                () -> EPOCH,
                new Uuid7(clock, new Random(5)),
                clock);
    }

    private void start() {
        shutdown.start(journal.overdueChore());
        journal.start(listener);
        isStarted = true;
    }

    @AfterEach
    void close() {
        proxy.bringUp();
        if (isStarted) {
            journal.close();
        }
        shutdown.close();
        proxy.close();
        fixture.close();
    }

    private static Receipt.ReceiptState storedBy(Journal journal, AcceptedEvent event) {
        assertThat(journal.offer(event)).isTrue();
        return event.receipt().await();
    }

    @Test
    void an_event_is_stored_with_its_work_and_its_usage() {
        var fresh = Some.route(route.source().id());
        var filtered = Some.route(route.source().id());
        var id = Some.eventId();
        var event =
                new AcceptedEvent(
                        id,
                        route.source(),
                        "PUT",
                        Optional.of("text/plain"),
                        EventVerification.VERIFIED,
                        Some.payload("body"),
                        new AcceptedEvent.DeliveryPlan(
                                List.of(
                                        new AcceptedEvent.PlannedDelivery(
                                                DeliveryId.of(id, 1), route, false),
                                        new AcceptedEvent.PlannedDelivery(
                                                DeliveryId.of(id, 2), fresh, true)),
                                List.of(filtered.connection().id())),
                        StoreFixture.receiptDueSoon());
        start();

        assertThat(storedBy(journal, event)).isEqualTo(STORED);

        fixture.db.run(tx ->
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
        assertThat(fixture.workState(StoreFixture.work(event, 1, 0)))
                .contains(StoreFixture.WorkRowState.waiting(StoreFixture.NOON, 0));
        assertThat(fixture.workState(StoreFixture.work(event, 2, 0)))
                .contains(StoreFixture.WorkRowState.ownedBy(EPOCH));
        assertThat(fixture.ledger(event.source().value()))
                .containsOnlyKeys(StoreFixture.UsageCount.events(VerificationStatus.VERIFIED))
                .containsValue(1);
        assertThat(fixture.ledger(route.connection().id().value()))
                .containsOnlyKeys(StoreFixture.UsageCount.deliveries(Trigger.INGEST));
        assertThat(fixture.ledger(filtered.connection().id().value()))
                .containsOnlyKeys(StoreFixture.UsageCount.outcomes(DeliveryStatus.FILTERED));
        await().until(() -> listener.stored().equals(List.of(id)));
    }

    @Test
    void what_is_queued_goes_in_one_commit_with_one_ledger_row() {
        var events = new ArrayList<AcceptedEvent>();
        for (int i = 0; i < 100; i++) {
            events.add(StoreFixture.event(true, route));
            assertThat(journal.offer(events.getLast())).isTrue();
        }
        start();

        assertThat(events).allMatch(event -> event.receipt().await() == STORED);
        assertThat(fixture.count("ledger")).isEqualTo(1);
        assertThat(fixture.ledger(route.source().id().value()))
                .containsEntry(StoreFixture.UsageCount.events(VerificationStatus.SKIPPED), 100);
        assertThat(fixture.count("event")).isEqualTo(100);
        assertThat(fixture.count("delivery_work")).isEqualTo(100);
    }

    /// A batch is written in one of three forms, by its size ([dev.sluice.platform.db.NewRows]).
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 5, 32, 33})
    void a_batch_of_any_size_is_stored_whole(int size) {
        var events = new ArrayList<AcceptedEvent>();
        for (int i = 0; i < size; i++) {
            events.add(mixed(i));
            assertThat(journal.offer(events.getLast())).isTrue();
        }
        start();

        for (int i = 0; i < size; i++) {
            var event = events.get(i);
            assertThat(event.receipt().await()).isEqualTo(STORED);
            fixture.db.run(tx ->
                    tx.single(
                            "select content_type, filtered, body from event where id = ?",
                            row -> {
                                assertThat(row.textOrNone("content_type"))
                                        .isEqualTo(event.contentType());
                                assertThat(row.uuids("filtered"))
                                        .isEqualTo(
                                                event.filteredConnections().stream()
                                                        .map(ConnectionId::value)
                                                        .toList());
                                assertThat(row.bytes("body")).isEqualTo(event.payload().body());
                                return true;
                            },
                            event.id().value()));
            assertThat(fixture.workState(StoreFixture.work(event, 1, 0)))
                    .contains(
                            i % 2 == 0
                                    ? StoreFixture.WorkRowState.ownedBy(EPOCH)
                                    : StoreFixture.WorkRowState.waiting(StoreFixture.NOON, 0));
        }
        assertThat(fixture.count("ledger")).isEqualTo(1);
    }

    /// Returns an event whose optional columns depend on `i`.
    private AcceptedEvent mixed(int i) {
        var id = Some.eventId();
        var payload = Payload.of(List.of(), new byte[] {(byte) i, 0, '"', '\\'});
        return new AcceptedEvent(
                id,
                route.source(),
                "POST",
                i % 3 == 0 ? Optional.empty() : Optional.of("text/plain; a=\"{,}\""),
                EventVerification.VERIFIED,
                payload,
                new AcceptedEvent.DeliveryPlan(
                        List.of(
                                new AcceptedEvent.PlannedDelivery(
                                        DeliveryId.of(id, 1), route, i % 2 == 0)),
                        i % 3 == 1
                                ? List.of()
                                : List.of(
                                        Some.route(route.source().id()).connection().id(),
                                        route.connection().id())),
                StoreFixture.receiptDueSoon());
    }

    @Test
    void large_events_do_not_share_a_commit_with_small_ones() {
        var large =
                StoreFixture.event(
                        Some.eventId(),
                        Payload.of(List.of(), new byte[200_000]),
                        StoreFixture.receiptDueSoon(),
                        true,
                        route);
        var small = StoreFixture.event(true, route);
        journal.offer(large);
        journal.offer(small);
        start();

        assertThat(large.receipt().await()).isEqualTo(STORED);
        assertThat(small.receipt().await()).isEqualTo(STORED);
        assertThat(fixture.count("ledger")).isEqualTo(2);
        await().until(() -> listener.stored().equals(List.of(small.id(), large.id())));
    }

    @Test
    void nobody_is_told_of_success_before_the_commit() throws InterruptedException {
        var commit = proxy.holdNextCommit();
        var event = StoreFixture.event(true, route);
        var seen = new ArrayList<Long>();
        listener.onStored(events -> seen.add(fixture.count(events.getFirst())));
        start();
        journal.offer(event);

        commit.awaitArrival();
        assertThat(event.receipt().isRefused()).isFalse();
        assertThat(listener.stored()).isEmpty();
        assertThat(fixture.count(event)).isZero();

        commit.open();
        assertThat(event.receipt().await()).isEqualTo(STORED);
        await().until(() -> listener.stored().equals(List.of(event.id())));
        assertThat(seen).containsExactly(1L);
    }

    @ParameterizedTest
    @EnumSource(PostgresProxy.CommitCut.class)
    void a_connection_that_breaks_around_the_commit_leaves_exactly_one_copy(
            PostgresProxy.CommitCut cut) {
        start();
        assertThat(storedBy(journal, StoreFixture.event(true, route))).isEqualTo(STORED);

        for (int round = 0; round < ROUNDS; round++) {
            proxy.cutNextCommit(cut);
            var event = StoreFixture.event(true, route);

            assertThat(storedBy(journal, event)).isEqualTo(STORED);
            assertThat(proxy.isCutPending()).isFalse();
            assertThat(fixture.count(event)).isEqualTo(1);
            assertThat(fixture.workState(StoreFixture.work(event, 1, 0)))
                    .contains(StoreFixture.WorkRowState.ownedBy(EPOCH));
        }
        assertThat(fixture.ledger(route.source().id().value()))
                .containsEntry(
                        StoreFixture.UsageCount.events(VerificationStatus.SKIPPED), ROUNDS + 1);
        assertThat(fixture.ledger(route.connection().id().value()))
                .containsEntry(StoreFixture.UsageCount.deliveries(Trigger.INGEST), ROUNDS + 1);
        await().until(() -> listener.stored().size() == ROUNDS + 1);
        assertThat(listener.dropped()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(PostgresProxy.CommitCut.class)
    void a_connection_that_breaks_around_the_commit_of_a_batch_leaves_one_copy_of_each_event(
            PostgresProxy.CommitCut cut) {
        var events = new ArrayList<AcceptedEvent>();
        for (int i = 0; i < 20; i++) {
            events.add(StoreFixture.event(true, route));
            assertThat(journal.offer(events.getLast())).isTrue();
        }
        proxy.cutNextCommit(cut);
        start();

        assertThat(events).allMatch(event -> event.receipt().await() == STORED);
        assertThat(proxy.isCutPending()).isFalse();
        assertThat(fixture.count("event")).isEqualTo(20);
        assertThat(events).allMatch(event -> fixture.count(event) == 1);
        assertThat(fixture.count("delivery_work")).isEqualTo(20);
        assertThat(fixture.count("ledger")).isEqualTo(1);
        assertThat(fixture.ledger(route.source().id().value()))
                .containsEntry(StoreFixture.UsageCount.events(VerificationStatus.SKIPPED), 20);
        await().until(() -> listener.stored().size() == 20);
        assertThat(listener.dropped()).isEmpty();
    }

    @Test
    void a_database_that_comes_back_in_time_is_only_slow() {
        start();
        proxy.takeDown();
        var event = StoreFixture.event(true, route);
        journal.offer(event);
        proxy.bringUp();

        assertThat(event.receipt().await()).isEqualTo(STORED);
        assertThat(fixture.count(event)).isEqualTo(1);
    }

    @Test
    void an_event_that_was_refused_is_never_written_later() {
        start();
        proxy.takeDown();
        var late = impatient();
        var queued = impatient();

        assertThat(storedBy(journal, late)).isEqualTo(REFUSED);
        assertThat(storedBy(journal, queued)).isEqualTo(REFUSED);

        proxy.bringUp();
        var next = StoreFixture.event(true, route);
        assertThat(storedBy(journal, next)).isEqualTo(STORED);
        assertThat(fixture.count(late)).isZero();
        assertThat(fixture.count(queued)).isZero();
        assertThat(fixture.count("delivery_work")).isEqualTo(1);
        assertThat(listener.dropped()).containsExactly(late.id(), queued.id());
    }

    private AcceptedEvent impatient() {
        return StoreFixture.event(
                Some.eventId(),
                Some.payload("{}"),
                StoreFixture.within(Duration.ofMillis(50)),
                true,
                route);
    }

    @Test
    void an_event_that_was_refused_but_proves_stored_is_dispatched() throws Exception {
        start();
        var first = refusedThoughStored();
        proxy.bringUp();

        await().until(() -> listener.stored().equals(List.of(first.id())));
        assertThat(listener.dropped()).isEmpty();
        assertThat(fixture.count(first)).isEqualTo(1);
    }

    /// Returns while the database is down. The connection broke together with the reply to the
    /// commit, so the journal could not look the event up before the sender was refused.
    private AcceptedEvent refusedThoughStored() throws InterruptedException {
        var event = impatient();
        var away = new CountDownLatch(1);
        proxy.killAtCommit(1, PostgresProxy.CommitCut.AFTER_COMMIT, () -> {}, away::countDown);
        journal.offer(event);
        away.await();
        assertThat(event.receipt().await()).isEqualTo(REFUSED);
        return event;
    }

    @Test
    void a_database_that_refuses_to_say_whether_an_event_is_stored_is_asked_again()
            throws Exception {
        var log = (Logger) LoggerFactory.getLogger(EventBatch.class);
        var said = new ListAppender<ILoggingEvent>();
        said.start();
        log.addAppender(said);
        start();
        var event = refusedThoughStored();
        fixture.db.run(tx -> tx.update("alter table event rename to elsewhere"));
        proxy.bringUp();
        await().until(() ->
                List.copyOf(said.list).stream()
                        .anyMatch(line -> line.getMessage().equals("journal.find_failed")));
        fixture.db.run(tx -> tx.update("alter table elsewhere rename to event"));

        await().until(() -> listener.stored().equals(List.of(event.id())));
        assertThat(listener.dropped()).isEmpty();
        log.detachAppender(said);
    }

    @Test
    void a_full_queue_says_no_to_the_source_that_filled_it_until_there_is_room() {
        var megabyte = Payload.of(List.of(), new byte[1 << 20]);
        var events = new ArrayList<AcceptedEvent>();
        var next = event(megabyte);
        while (journal.offer(next)) {
            events.add(next);
            next = event(megabyte);
        }
        assertThat(cost(events))
                .isBetween(
                        Journal.MAX_QUEUED_BYTES / 2 - next.queueCostBytes(),
                        Journal.MAX_QUEUED_BYTES / 2);

        start();
        assertThat(events).allMatch(event -> event.receipt().await() == STORED);
        assertThat(storedBy(journal, event(megabyte))).isEqualTo(STORED);
    }

    private AcceptedEvent event(Payload payload) {
        return StoreFixture.event(
                Some.eventId(), payload, StoreFixture.receiptDueSoon(), true, route);
    }

    private static long cost(List<AcceptedEvent> events) {
        return events.stream().mapToLong(AcceptedEvent::queueCostBytes).sum();
    }

    @Test
    void a_batch_is_bounded_by_the_rows_that_it_writes() {
        var routes = routes(32);
        var events = offered(512, routes);
        start();

        assertThat(events).allMatch(event -> event.receipt().await() == STORED);
        assertThat(fixture.count("delivery_work")).isEqualTo(512 * 32);
        assertThat(rowsByBatch())
                .allMatch(rows -> rows <= WaitingEvents.MAX_BATCH_BYTES / 1024 + 33);
        assertThat(rowsByBatch()).hasSizeBetween(8, 12);
    }

    private Route[] routes(int count) {
        var routes = new Route[count];
        Arrays.setAll(routes, _ -> Some.route(route.source().id()));
        return routes;
    }

    @Test
    void a_flood_of_wide_events_makes_another_wait_for_one_commit_of_them() {
        var routes = routes(500);
        var floods = offered(20, routes);
        var neighbour = StoreFixture.event(false, Some.route(Some.sourceId()));
        assertThat(journal.offer(neighbour)).isTrue();
        start();

        assertThat(neighbour.receipt().await()).isEqualTo(STORED);
        assertThat(floods).allMatch(event -> event.receipt().await() == STORED);
        await().until(() -> listener.stored().size() == 21);
        assertThat(listener.stored().getFirst()).isEqualTo(neighbour.id());
        long maxRows = WaitingEvents.MAX_HEAVY_BATCH_BYTES / 1024 + 501;
        assertThat(rowsByBatch()).allMatch(rows -> rows <= maxRows);
    }

    @Test
    void two_events_with_a_thousand_deliveries_never_share_a_commit() {
        var routes = routes(1_000);
        var floods = offered(3, routes);
        start();

        assertThat(floods).allMatch(event -> event.receipt().await() == STORED);
        assertThat(rowsByBatch()).hasSize(3);
    }

    /// Returns events that the journal has taken.
    private List<AcceptedEvent> offered(int count, Route... routes) {
        var events = new ArrayList<AcceptedEvent>();
        for (int i = 0; i < count; i++) {
            events.add(StoreFixture.event(false, routes));
            assertThat(journal.offer(events.getLast())).isTrue();
        }
        return events;
    }

    private List<Long> rowsByBatch() {
        return fixture.db.call(tx ->
                tx.query(
                        "select (select sum(n) from unnest(counts) as n) as n from ledger",
                        row -> row.number("n")));
    }

    @Test
    void a_flood_of_one_source_makes_another_wait_for_no_more_than_the_batch_being_written() {
        var floods = offered(2_000, route);
        var neighbour = StoreFixture.event(false, Some.route(Some.sourceId()));
        assertThat(journal.offer(neighbour)).isTrue();
        start();

        assertThat(neighbour.receipt().await()).isEqualTo(STORED);
        await().until(() -> listener.stored().contains(neighbour.id()));
        assertThat(listener.stored().indexOf(neighbour.id())).isLessThan(512);
        assertThat(floods).allMatch(event -> event.receipt().await() == STORED);
    }

    @Test
    void a_missing_day_is_made() {
        clock.advance(Duration.ofDays(20));
        var event =
                StoreFixture.event(
                        Some.eventId(clock.instant()),
                        Some.payload("{}"),
                        StoreFixture.receiptDueSoon(),
                        true,
                        route);
        start();

        assertThat(storedBy(journal, event)).isEqualTo(STORED);
        assertThat(fixture.count(event)).isEqualTo(1);
    }

    /// The clock leapt and was set back: ids of that time are still on their way.
    @Test
    void a_day_far_from_now_is_made_too() {
        var event =
                StoreFixture.event(
                        Some.eventId(clock.instant().plus(Duration.ofDays(400))),
                        Some.payload("{}"),
                        StoreFixture.receiptDueSoon(),
                        true,
                        route);
        start();

        assertThat(storedBy(journal, event)).isEqualTo(STORED);
        assertThat(fixture.count(event)).isEqualTo(1);
        assertThat(storedBy(journal, StoreFixture.event(true, route))).isEqualTo(STORED);
    }

    @Test
    void a_day_that_stays_missing_refuses_its_events_long_before_their_time_is_up() {
        var closed = TestPostgres.open(fixture.database);
        closed.close();
        try (var lame = journal(new PartitionStore(closed))) {
            lame.start(listener);
            assertThat(storedBy(lame, homeless())).isEqualTo(REFUSED);
        }
    }

    @Test
    void a_day_that_cannot_be_made_refuses_its_events_and_no_others() {
        var closed = TestPostgres.open(fixture.database);
        closed.close();
        try (var lame = journal(new PartitionStore(closed))) {
            lame.start(listener);
            var homeless =
                    StoreFixture.event(
                            Some.eventId(StoreFixture.NOON.plus(Duration.ofDays(30))),
                            Some.payload("{}"),
                            StoreFixture.within(Duration.ofMillis(50)),
                            true,
                            route);
            assertThat(storedBy(lame, homeless)).isEqualTo(REFUSED);

            assertThat(storedBy(lame, StoreFixture.event(true, route))).isEqualTo(STORED);
            assertThat(listener.dropped()).containsExactly(homeless.id());
        }
    }

    @Test
    void a_day_that_cannot_be_made_is_told_as_failing_commits_until_one_succeeds() {
        var closed = TestPostgres.open(fixture.database);
        closed.close();
        try (var lame = journal(new PartitionStore(closed))) {
            lame.start(listener);
            assertThat(storedBy(lame, homeless())).isEqualTo(REFUSED);
            assertThat(lame.isFailing()).isTrue();

            assertThat(storedBy(lame, StoreFixture.event(true, route))).isEqualTo(STORED);
            assertThat(lame.isFailing()).isFalse();
        }
    }

    @Test
    void a_batch_without_a_day_costs_few_commits_and_the_next_one_none_of_the_waits() {
        var closed = TestPostgres.open(fixture.database);
        closed.close();
        try (var log = LogRecorder.of(EventBatch.class);
                var lame = journal(new PartitionStore(closed))) {
            var homeless = Stream.generate(this::homeless).limit(400).toList();
            var healthy = StoreFixture.event(true, route);
            homeless.forEach(event -> assertThat(lame.offer(event)).isTrue());
            assertThat(lame.offer(healthy)).isTrue();
            lame.start(listener);

            assertThat(homeless).allMatch(event -> event.receipt().await() == REFUSED);
            assertThat(healthy.receipt().await()).isEqualTo(STORED);
            assertThat(log.count("journal.commit_failed")).isLessThanOrEqualTo(8);
            assertThat(log.count("journal.day_refused")).isEqualTo(1);

            assertThat(storedBy(lame, homeless())).isEqualTo(REFUSED);
            assertThat(log.count("journal.commit_failed")).isLessThanOrEqualTo(9);
            assertThat(storedBy(lame, StoreFixture.event(true, route))).isEqualTo(STORED);
        }
    }

    private AcceptedEvent homeless() {
        return StoreFixture.event(
                Some.eventId(StoreFixture.NOON.plus(Duration.ofDays(31))),
                Some.payload("{}"),
                StoreFixture.within(Duration.ofMinutes(10)),
                true,
                route);
    }

    @Test
    void what_the_database_will_not_take_is_refused_and_the_journal_goes_on() {
        var wrong = unstorable();
        start();

        assertThat(storedBy(journal, wrong)).isEqualTo(REFUSED);
        assertThat(storedBy(journal, StoreFixture.event(true, route))).isEqualTo(STORED);
        assertThat(fixture.count("event")).isEqualTo(1);
        await().until(() -> listener.dropped().equals(List.of(wrong.id())));
    }

    /// Returns an event with a content type that PostgreSQL cannot store.
    private AcceptedEvent unstorable() {
        var payload = Some.payload("{}");
        return new AcceptedEvent(
                Some.eventId(),
                route.source(),
                "POST",
                Optional.of("no\0text"),
                EventVerification.SKIPPED,
                payload,
                new AcceptedEvent.DeliveryPlan(List.of(), List.of()),
                StoreFixture.receiptDueSoon());
    }

    /// A batch is written in one of three forms, by its size.
    @ParameterizedTest
    @ValueSource(ints = {3, 20, 100})
    void only_the_event_that_breaks_a_rule_is_refused_and_its_whole_batch_is_stored(int others) {
        var events = new ArrayList<AcceptedEvent>();
        for (int i = 0; i < others; i++) {
            events.add(StoreFixture.event(true, route));
        }
        var wrong = unstorable();
        events.add(others / 3, wrong);
        try (var log = LogRecorder.of(EventBatch.class)) {
            events.forEach(event -> assertThat(journal.offer(event)).isTrue());
            start();

            assertThat(events)
                    .allMatch(event ->
                            event.receipt().await() == (event.equals(wrong) ? REFUSED : STORED));
            assertThat(fixture.count("event")).isEqualTo(others);
            assertThat(log.values("journal.event_refused", "event_id"))
                    .containsExactly(wrong.id().toString());
        }
    }

    @Test
    void while_the_database_is_read_only_senders_are_refused_in_time_or_stored_after_it() {
        start();
        assertThat(storedBy(journal, StoreFixture.event(true, route))).isEqualTo(STORED);
        fixture.readOnly(true);
        fixture.endSessions("sluice journal");
        var late = impatient();
        var patient = event(Some.payload("{}"));

        assertThat(storedBy(journal, late)).isEqualTo(REFUSED);
        assertThat(journal.offer(patient)).isTrue();
        fixture.readOnly(false);

        assertThat(patient.receipt().await()).isEqualTo(STORED);
        assertThat(fixture.count(late)).isZero();
        await().until(() -> listener.dropped().equals(List.of(late.id())));
    }

    @Test
    void closing_stores_what_was_taken_and_takes_nothing_more() {
        var event = StoreFixture.event(true, route);
        journal.offer(event);
        start();
        journal.close();

        assertThat(event.receipt().await()).isEqualTo(STORED);
        assertThat(journal.offer(StoreFixture.event(true, route))).isFalse();
    }
}
