package dev.sluice.features.lists;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.CauseFilter;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.engine.ledger.LedgerStore;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.history.DeliveryInProgress;
import dev.sluice.history.ListPage;
import dev.sluice.history.ReceivedTimeRange;
import dev.sluice.history.ResultPage;
import dev.sluice.history.counts.BudgetedScan;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.EventsOfDeliveries;
import dev.sluice.testkit.FinishedDeliveries;
import dev.sluice.testkit.FinishedDeliveries.FinishedDelivery;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.GivenRows;
import dev.sluice.testkit.RandomTimes;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/// Compares pages, totals and cursors with those computed from all deliveries in memory.
class DeliverySearchTest {

    private static final Instant RETAINED_SINCE =
            Some.NOON.minus(Duration.ofDays(1)).plus(Duration.ofMinutes(23));

    private static final Duration SCAN_TIME_BUDGET = Duration.ofMinutes(1);
    private static final List<DeliveryStatus> STATUSES = List.of(DeliveryStatus.values());
    private static final long OWNER = 7;

    /// What a list is expected to show of a delivery.
    private record ListedDelivery(
            DeliveryId id,
            SourceId source,
            ConnectionId connection,
            DeliveryStatus status,
            Optional<ErrorCode> code,
            Optional<Integer> responseStatus) {

        private static ListedDelivery of(FinishedDelivery end) {
            return new ListedDelivery(
                    end.id(),
                    end.source(),
                    end.connection(),
                    end.status(),
                    end.code(),
                    end.responseStatus());
        }

        private Instant receivedAt() {
            return Uuid7.timeOf(id.value());
        }
    }

    private final Db db = TestPostgres.open(TestPostgres.newDatabase());
    private final FinishedDeliveries finished = new FinishedDeliveries(db);
    private final List<ListedDelivery> unfinished = new ArrayList<>();
    private final Random random = new Random(11);
    private final RandomTimes times = new RandomTimes(random, RETAINED_SINCE);
    private final Map<ConnectionId, SourceId> sourceOf = new HashMap<>();
    private final Map<ConnectionId, DestinationId> destinationOf = new HashMap<>();
    private final Given given = new Given(db);
    private List<SourceId> sources = List.of();
    private List<ConnectionId> connections = List.of();

    @BeforeEach
    void prepare() {
        EventsOfDeliveries.insertAlways(db);
        new PartitionStore(db).makeAhead(Some.NOON);
        sources = List.of(given.source(), given.source());
        var one = given.destination("one.example.com", 4);
        var other = given.destination("other.example.com", 4);
        connections =
                List.of(
                        connect(sources.get(0), one),
                        connect(sources.get(0), other),
                        connect(sources.get(1), other));
        given.deleted(connections.get(1));
        var stranger = new Given(db);
        addUnfinished(stranger, 40);
    }

    private ConnectionId connect(SourceId source, DestinationId destination) {
        var id = given.connection(source, destination);
        sourceOf.put(id, source);
        destinationOf.put(id, destination);
        return id;
    }

    /// Adds deliveries of another workspace among those of this one.
    private void addUnfinished(Given stranger, int count) {
        var source = stranger.source();
        var connection = stranger.connection(source, stranger.destination("theirs", 1));
        for (int i = 0; i < count; i++) {
            insertUnfinished(
                    DeliveryId.of(Some.eventId(times.next()), 1), source, connection, false);
        }
    }

    @AfterEach
    void close() {
        db.close();
    }

    private ConnectionId someConnection() {
        return connections.get(random.nextInt(connections.size()));
    }

    private void fill(int batches) {
        for (int batch = 0; batch < batches; batch++) {
            var ends = new ArrayList<FinishedDelivery>();
            for (int i = 0; i < 1 + random.nextInt(10); i++) {
                ends.add(someEnd());
            }
            finished.add(ends);
            finished.filtered(
                    sources.getFirst(),
                    times.next(),
                    connections.subList(0, 1 + random.nextInt(2)),
                    random.nextInt(3));
            addUnfinished();
            addUnfinished();
            if (random.nextInt(10) == 0 && batch < batches - 5) {
                db.run(LedgerStore::fold);
            }
        }
    }

    private FinishedDelivery someEnd() {
        var connection = someConnection();
        var status = STATUSES.get(2 + random.nextInt(3));
        boolean isSuccess = status == DeliveryStatus.SUCCEEDED;
        int ordinal = random.nextInt(5) == 0 ? DeliveryId.MIN_RESEND_ORDINAL : 1;
        return new FinishedDelivery(
                DeliveryId.of(Some.eventId(times.next()), ordinal),
                Objects.requireNonNull(sourceOf.get(connection)),
                connection,
                status,
                isSuccess ? Optional.empty() : Optional.of(ErrorCode.HTTP_STATUS),
                Optional.of(isSuccess ? 200 : 500 + random.nextInt(2)));
    }

    private void addUnfinished() {
        var connection = someConnection();
        var source = Objects.requireNonNull(sourceOf.get(connection));
        var id = DeliveryId.of(Some.eventId(times.next()), 1);
        boolean isOwned = random.nextInt(3) == 0;
        insertUnfinished(id, source, connection, isOwned);
        boolean hasFailed = random.nextInt(3) == 0;
        if (hasFailed) {
            insertAttempt(id, source, 1, ErrorCode.TLS_FAILED, Optional.empty());
            insertAttempt(id, source, 2, ErrorCode.HTTP_STATUS, Optional.of(500));
        }
        unfinished.add(
                new ListedDelivery(
                        id,
                        source,
                        connection,
                        isOwned ? DeliveryStatus.DELIVERING : DeliveryStatus.PENDING,
                        Optional.of(ErrorCode.HTTP_STATUS).filter(_ -> hasFailed),
                        Optional.of(500).filter(_ -> hasFailed)));
    }

    private void insertUnfinished(
            DeliveryId id, SourceId source, ConnectionId connection, boolean isOwned) {
        db.run(tx -> {
            GivenRows.insertWork(
                    tx,
                    List.of(
                            isOwned
                                    ? GivenRows.WorkRow.owned(id, source, connection, OWNER)
                                    : GivenRows.WorkRow.waiting(
                                            id, source, connection, Some.NOON)));
            GivenRows.insertLedger(
                    tx, source.value(), List.of(GivenRows.UsageRow.delivery(id, connection)));
        });
    }

    private void insertAttempt(
            DeliveryId id, SourceId source, int number, ErrorCode code, Optional<Integer> answer) {
        db.run(tx ->
                tx.update(
                        """
                        insert into attempt (delivery_id, attempted_at, source_id, revision, latency_ms,
                                             number, configuration, response_status, error_code)
                        values (?, ?, ?, ?, 1, ?, 1, ?, ?)
                        """,
                        id.value(),
                        Some.NOON,
                        source.value(),
                        Some.id(),
                        number,
                        answer.orElse(null),
                        (int) code.number()));
    }

    private List<ListedDelivery> all() {
        var all = new ArrayList<>(unfinished);
        finished.all().stream().map(ListedDelivery::of).forEach(all::add);
        all.sort(
                Comparator.comparing(
                                (ListedDelivery delivery) -> delivery.id().value(),
                                Uuid7.UNSIGNED_ORDER)
                        .reversed());
        return all;
    }

    private List<ListedDelivery> expected(DeliveryFilter filter) {
        return all().stream().filter(delivery -> passes(filter, delivery)).toList();
    }

    private boolean passes(DeliveryFilter filter, ListedDelivery delivery) {
        return !delivery.receivedAt().isBefore(RETAINED_SINCE)
                && filter.statuses().contains(delivery.status())
                && filter.source().map(delivery.source()::equals).orElse(true)
                && filter.connection().map(delivery.connection()::equals).orElse(true)
                && filter.destination()
                        .map(id -> id.equals(destinationOf.get(delivery.connection())))
                        .orElse(true)
                && (filter.code().isEmpty() || filter.code().equals(delivery.code()))
                && (filter.responseStatus().isEmpty()
                        || filter.responseStatus().equals(delivery.responseStatus()))
                && filter.received()
                        .after()
                        .map(after -> !delivery.receivedAt().isBefore(after))
                        .orElse(true)
                && filter.received().before().map(delivery.receivedAt()::isBefore).orElse(true)
                && filter.q()
                        .map(q -> delivery.id().toString().replace("-", "").contains(q))
                        .orElse(true);
    }

    private DeliveryFilter someFilter() {
        var statuses = EnumSet.of(STATUSES.get(random.nextInt(6)));
        for (int i = random.nextInt(6); i > 0; i--) {
            statuses.add(STATUSES.get(random.nextInt(6)));
        }
        var connection = someConnection();
        return new DeliveryFilter(
                statuses,
                Optional.of(sources.get(random.nextInt(2))).filter(_ -> random.nextInt(3) == 0),
                Optional.of(connection).filter(_ -> random.nextInt(4) == 0),
                Optional.ofNullable(destinationOf.get(connection))
                        .filter(_ -> random.nextInt(4) == 0),
                new CauseFilter(
                        Optional.of(ErrorCode.HTTP_STATUS).filter(_ -> random.nextInt(5) == 0),
                        Optional.of(500).filter(_ -> random.nextInt(5) == 0)),
                new ReceivedTimeRange(
                        Optional.of(times.nextBound()).filter(_ -> random.nextInt(3) == 0),
                        Optional.of(times.nextBound()).filter(_ -> random.nextInt(3) == 0)),
                Optional.empty(),
                someText());
    }

    /// Mostly nothing; a digit that some ids have; or an id, or the beginning of one.
    private Optional<String> someText() {
        var all = all();
        String id = all.get(random.nextInt(all.size())).id().toString().replace("-", "");
        return switch (random.nextInt(8)) {
            case 0 -> Optional.of("" + random.nextInt(10));
            case 1 -> Optional.of(id.substring(0, 8 + random.nextInt(24)));
            case 2 -> Optional.of(id);
            default -> Optional.empty();
        };
    }

    private ResultPage<DeliveryKey> page(DeliveryFilter filter, ListPage page) {
        return page(filter, page, SCAN_TIME_BUDGET);
    }

    private ResultPage<DeliveryKey> page(DeliveryFilter filter, ListPage page, Duration budget) {
        var workspace =
                new WorkspaceId(
                        db.call(tx ->
                                tx.single(
                                        "select workspace_id from source where id = ?",
                                        row -> row.uuid("workspace_id"),
                                        sources.getFirst().value())));
        return db.snapshot(tx ->
                new DeliverySearch(
                                tx,
                                DeliveryScopeQueries.scope(tx, workspace, filter),
                                filter,
                                DeliverySearchTest::statusOf,
                                RETAINED_SINCE,
                                Some.NOON,
                                budget)
                        .page(page));
    }

    private static DeliveryStatus statusOf(DeliveryInProgress delivery) {
        return delivery.owner().isPresent() ? DeliveryStatus.DELIVERING : DeliveryStatus.PENDING;
    }

    private static List<UUID> ids(List<ListedDelivery> deliveries) {
        return deliveries.stream().map(delivery -> delivery.id().value()).toList();
    }

    @Test
    void every_page_and_total_is_what_a_look_at_everything_gives() {
        fill(100);
        for (int i = 0; i < 250; i++) {
            var filter = someFilter();
            var expected = expected(filter);
            int limit = 1 + random.nextInt(200);
            var page = new Page(1 + random.nextInt(expected.size() / limit + 2), limit);

            var result = page(filter, ListPage.numbered(page));

            assertThat(result.isExact()).isTrue();
            assertThat(result.total()).as("%s", filter).isEqualTo(expected.size());
            assertThat(result.rows())
                    .as("%s %s", filter, page)
                    .extracting(DeliveryKey::id)
                    .containsExactlyElementsOf(
                            ids(expected.stream().skip(page.offset()).limit(limit).toList()));
            assertThat(result.next().isPresent())
                    .isEqualTo(page.offset() + limit < expected.size());
        }
    }

    @Test
    void the_rows_say_their_status() {
        fill(20);

        var result =
                page(
                        DeliveryFilter.of(DeliveryFilter.ALL_STATUSES),
                        ListPage.numbered(new Page(1, 200)));

        var expected = expected(DeliveryFilter.of(DeliveryFilter.ALL_STATUSES));
        assertThat(result.rows())
                .extracting(DeliveryKey::status)
                .containsExactlyElementsOf(
                        expected.stream().map(ListedDelivery::status).limit(200).toList());
    }

    @Test
    void cursors_lead_through_each_list_once_while_newer_deliveries_arrive() {
        fill(80);
        for (int i = 0; i < 60; i++) {
            var filter = someFilter();
            var budget = i % 2 == 0 ? SCAN_TIME_BUDGET : Duration.ZERO;
            var expected = ids(expected(filter));
            int limit = 10 + random.nextInt(191);

            var found = new ArrayList<UUID>();
            long total = -1;
            var first = ListPage.numbered(new Page(1, limit));
            for (var next = Optional.of(first); next.isPresent(); ) {
                var asked = next.get();
                var result = page(filter, asked, budget);
                result.rows().forEach(key -> found.add(key.id()));
                total = result.total();
                next =
                        result.next()
                                .map(cursor -> new ListPage(first.page(), Optional.of(cursor), ""));
                insertUnfinished(
                        DeliveryId.of(Some.eventId(Some.NOON.plus(Duration.ofDays(4))), 1),
                        sources.getFirst(),
                        connections.getFirst(),
                        false);
            }

            assertThat(found).as("%s", filter).containsExactlyElementsOf(expected);
            assertThat(total).isGreaterThanOrEqualTo(expected.size());
            db.run(tx -> {
                tx.update("delete from delivery_work where id > ?", Uuid7.floor(LAST_TIME));
                tx.update("delete from ledger where hours[1] > ?", hoursOf(LAST_TIME));
            });
        }
    }

    private static final Instant LAST_TIME = Some.NOON.plus(Duration.ofDays(3));

    private static int hoursOf(Instant time) {
        return (int) (time.getEpochSecond() / 3600);
    }

    @Test
    void a_scan_that_runs_out_of_time_goes_on_where_it_stopped() {
        var many = new ArrayList<FinishedDelivery>();
        for (int i = 0; i < 9 * BudgetedScan.INITIAL_STEP_ROWS / 4; i++) {
            many.add(
                    new FinishedDelivery(
                            DeliveryId.of(Some.eventId(Some.NOON.plusSeconds(i)), 1),
                            sources.getFirst(),
                            connections.getFirst(),
                            DeliveryStatus.FAILED,
                            Optional.of(ErrorCode.HTTP_STATUS),
                            Optional.of(500 + i % 10)));
        }
        finished.add(many);
        var filter =
                new DeliveryFilter(
                        DeliveryFilter.ALL_STATUSES,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        new CauseFilter(Optional.empty(), Optional.of(507)),
                        ReceivedTimeRange.ALL,
                        Optional.empty(),
                        Optional.empty());

        var pages = new ArrayList<ResultPage<DeliveryKey>>();
        pages.add(page(filter, ListPage.numbered(new Page(1, 50)), Duration.ZERO));
        while (pages.getLast().next().isPresent()) {
            var page = new ListPage(new Page(1, 50), pages.getLast().next(), "");
            pages.add(page(filter, page, Duration.ZERO));
        }

        assertThat(pages).extracting(ResultPage::total).containsExactly(5L, 10L, 11L);
        assertThat(pages).extracting(ResultPage::isExact).containsExactly(false, false, true);
        assertThat(pages.stream().flatMap(page -> page.rows().stream()))
                .extracting(DeliveryKey::id)
                .containsExactlyElementsOf(ids(expected(filter)));
    }

    @Test
    void a_delivery_that_ends_between_two_pages_is_neither_doubled_nor_lost() {
        fill(60);
        var filter = DeliveryFilter.of(DeliveryFilter.ALL_STATUSES);
        var expected = ids(expected(filter));
        var first = page(filter, ListPage.numbered(new Page(1, 100)));
        for (var delivery : List.copyOf(unfinished)) {
            db.run(tx ->
                    tx.update("delete from delivery_work where id = ?", delivery.id().value()));
            db.run(tx ->
                    GivenRows.insertDeliveries(
                            tx,
                            List.of(
                                    new GivenRows.DeliveryRow(
                                            delivery.id(),
                                            delivery.source(),
                                            delivery.connection(),
                                            DeliveryStatus.SUCCEEDED,
                                            Some.NOON))));
            db.run(tx ->
                    GivenRows.insertLedger(
                            tx,
                            delivery.source().value(),
                            List.of(
                                    GivenRows.UsageRow.outcome(
                                            delivery.id(),
                                            delivery.connection(),
                                            DeliveryStatus.SUCCEEDED))));
        }

        var found = new ArrayList<>(first.rows());
        for (var next = first.next(); next.isPresent(); ) {
            var result = page(filter, new ListPage(new Page(1, 100), next, ""));
            found.addAll(result.rows());
            next = result.next();
        }

        assertThat(found).extracting(DeliveryKey::id).containsExactlyElementsOf(expected);
    }
}
