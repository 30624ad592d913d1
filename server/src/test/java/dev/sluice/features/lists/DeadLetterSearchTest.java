package dev.sluice.features.lists;

import static dev.sluice.history.counts.BudgetedScan.INITIAL_STEP_ROWS;

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
import dev.sluice.history.ListPage;
import dev.sluice.history.PageCursor;
import dev.sluice.history.ReceivedTimeRange;
import dev.sluice.history.ResultPage;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.id.IdRange;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.Json;
import dev.sluice.testkit.EventsOfDeliveries;
import dev.sluice.testkit.FinishedDeliveries;
import dev.sluice.testkit.FinishedDeliveries.FinishedDelivery;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.RandomTimes;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/// Compares lists, totals, summaries and groups with those computed from all deliveries in memory.
class DeadLetterSearchTest {

    private static final Instant RETAINED_SINCE =
            Some.NOON.minus(Duration.ofDays(1)).plus(Duration.ofMinutes(23));

    private static final Duration SCAN_TIME_BUDGET = Duration.ofMinutes(1);
    private static final Page FIRST_PAGE = new Page(1, 50);
    private static final List<DeliveryStatus> END_STATUSES =
            List.of(
                    DeliveryStatus.SUCCEEDED,
                    DeliveryStatus.FAILED,
                    DeliveryStatus.EXHAUSTED,
                    DeliveryStatus.FILTERED);
    private static final List<ErrorCode> ERROR_CODES =
            List.of(ErrorCode.HTTP_STATUS, ErrorCode.CONNECTION_DELETED, ErrorCode.TLS_FAILED);

    private final Db db = TestPostgres.open(TestPostgres.newDatabase());
    private final FinishedDeliveries finished = new FinishedDeliveries(db);
    private final Random random = new Random(5);
    private final RandomTimes times = new RandomTimes(random, RETAINED_SINCE);
    private final Map<ConnectionId, SourceId> connections = new HashMap<>();
    private final Map<ConnectionId, DestinationId> destinations = new HashMap<>();
    private Given given = new Given(db);
    private List<SourceId> sources = List.of();
    private List<ConnectionId> order = List.of();

    @BeforeEach
    void prepare() {
        EventsOfDeliveries.insertAlways(db);
        new PartitionStore(db).makeAhead(Some.NOON);
        sources = List.of(given.source(), given.source(), given.source());
        var one = given.destination("one.example.com", 4);
        var other = given.destination("other.example.com", 4);
        order =
                List.of(
                        connect(sources.get(0), one),
                        connect(sources.get(0), other),
                        connect(sources.get(1), one),
                        connect(sources.get(2), other));
        given.deleted(order.get(1));
    }

    private ConnectionId connect(SourceId source, DestinationId destination) {
        var id = given.connection(source, destination);
        connections.put(id, source);
        destinations.put(id, destination);
        return id;
    }

    @AfterEach
    void close() {
        db.close();
    }

    private WorkspaceId workspace() {
        return new WorkspaceId(
                db.call(tx ->
                        tx.single(
                                "select workspace_id from source where id = ?",
                                row -> row.uuid("workspace_id"),
                                sources.getFirst().value())));
    }

    private ResultPage<DeliveryKey> page(DeliveryFilter filter, Duration budget, Page page) {
        return query(filter, budget, search -> search.deliveries().page(ListPage.numbered(page)));
    }

    private <T> T query(
            DeliveryFilter filter, Duration budget, Function<DeadLetterSearch, T> what) {
        var workspace = workspace();
        return db.snapshot(tx -> {
            var scope = DeliveryScopeQueries.scope(tx, workspace, filter);
            var deliveries =
                    new DeliverySearch(
                            tx,
                            scope,
                            filter,
                            _ -> DeliveryStatus.PENDING,
                            RETAINED_SINCE,
                            Some.NOON,
                            budget);
            return what.apply(new DeadLetterSearch(tx, scope, filter, deliveries));
        });
    }

    private void fill(int batches) {
        for (int batch = 0; batch < batches; batch++) {
            var some = new ArrayList<FinishedDelivery>();
            for (int i = 0; i < 1 + random.nextInt(20); i++) {
                some.add(someEnd());
            }
            finished.add(some);
            var filtering = order.subList(0, 1 + random.nextInt(2)); // of one source
            finished.filtered(sources.getFirst(), times.next(), filtering, random.nextInt(3));
            if (random.nextInt(10) == 0 && batch < batches - 5) {
                db.run(LedgerStore::fold);
            }
        }
    }

    private FinishedDelivery someEnd() {
        var connection = order.get(random.nextInt(order.size()));
        var status = END_STATUSES.get(random.nextInt(3));
        var code = ERROR_CODES.get(random.nextInt(3));
        int ordinal = random.nextInt(5) == 0 ? DeliveryId.MIN_RESEND_ORDINAL : 1;
        boolean isSuccess = status == DeliveryStatus.SUCCEEDED;
        return new FinishedDelivery(
                DeliveryId.of(Some.eventId(times.next()), ordinal),
                Objects.requireNonNull(connections.get(connection)),
                connection,
                status,
                isSuccess ? Optional.empty() : Optional.of(code),
                isSuccess
                        ? Optional.of(200)
                        : Optional.of(500 + random.nextInt(2))
                                .filter(_ -> code == ErrorCode.HTTP_STATUS));
    }

    private DeliveryFilter someFilter() {
        var statuses = EnumSet.of(END_STATUSES.get(random.nextInt(4)));
        for (int i = random.nextInt(3); i > 0; i--) {
            statuses.add(END_STATUSES.get(random.nextInt(4)));
        }
        var connection = order.get(random.nextInt(order.size()));
        return new DeliveryFilter(
                statuses,
                Optional.of(sources.get(random.nextInt(3))).filter(_ -> random.nextInt(3) == 0),
                Optional.of(connection).filter(_ -> random.nextInt(4) == 0),
                Optional.ofNullable(destinations.get(connection))
                        .filter(_ -> random.nextInt(4) == 0),
                new CauseFilter(
                        Optional.of(ERROR_CODES.get(random.nextInt(3)))
                                .filter(_ -> random.nextInt(5) == 0),
                        Optional.of(500).filter(_ -> random.nextInt(5) == 0)),
                new ReceivedTimeRange(
                        Optional.of(times.nextBound()).filter(_ -> random.nextBoolean()),
                        Optional.of(times.nextBound()).filter(_ -> random.nextBoolean())),
                Optional.empty(),
                Optional.empty());
    }

    private boolean passes(DeliveryFilter filter, FinishedDelivery end) {
        return !end.receivedAt().isBefore(RETAINED_SINCE)
                && filter.statuses().contains(end.status())
                && filter.source().map(end.source()::equals).orElse(true)
                && filter.connection().map(end.connection()::equals).orElse(true)
                && filter.destination()
                        .map(id -> id.equals(destinations.get(end.connection())))
                        .orElse(true)
                && (filter.code().isEmpty() || filter.code().equals(end.code()))
                && (filter.responseStatus().isEmpty()
                        || filter.responseStatus().equals(end.responseStatus()))
                && filter.received()
                        .after()
                        .map(after -> !end.receivedAt().isBefore(after))
                        .orElse(true)
                && filter.received().before().map(end.receivedAt()::isBefore).orElse(true);
    }

    private List<FinishedDelivery> expected(DeliveryFilter filter) {
        return finished.all().stream().filter(end -> passes(filter, end)).toList();
    }

    @Test
    void every_page_and_total_is_what_a_look_at_everything_gives() {
        fill(120);
        for (int i = 0; i < 250; i++) {
            var filter = someFilter();
            var expected = expected(filter);
            int limit = 1 + random.nextInt(200);
            var page = new Page(1 + random.nextInt(expected.size() / limit + 2), limit);

            var result = page(filter, SCAN_TIME_BUDGET, page);

            assertThat(result.isExact()).isTrue();
            assertThat(result.total()).as("%s", filter).isEqualTo(expected.size());
            assertThat(result.rows())
                    .as("%s %s", filter, page)
                    .extracting(key -> new DeliveryId(key.id()))
                    .containsExactlyElementsOf(
                            expected.stream()
                                    .skip(page.offset())
                                    .limit(limit)
                                    .map(FinishedDelivery::id)
                                    .toList());
        }
    }

    @Test
    void the_summary_counts_what_a_look_at_everything_counts() {
        fill(80);
        var workspace = workspace();
        for (var source : sources) {
            var filter =
                    DeliveryFilter.of(DeadLetterFilters.DEAD_STATUSES)
                            .withSource(Optional.of(source));
            var json =
                    db.snapshot(tx ->
                            Json.text(
                                    DeadLetterSummary.of(
                                                    tx,
                                                    DeliveryScopeQueries.scope(
                                                            tx, workspace, filter),
                                                    source.value(),
                                                    IdRange.between(RETAINED_SINCE, Uuid7.MAX_TIME))
                                            .json()));

            for (var connection : order) {
                boolean isOurs = source.equals(connections.get(connection));
                assertThat(json.contains(connection.toString())).isEqualTo(isOurs);
                if (isOurs) {
                    assertThat(json)
                            .contains(
                                    "\"exhausted\":%d,\"failed\":%d"
                                            .formatted(
                                                    count(connection, DeliveryStatus.EXHAUSTED),
                                                    count(connection, DeliveryStatus.FAILED)));
                }
            }
        }
    }

    private long count(ConnectionId connection, DeliveryStatus status) {
        return expected(DeliveryFilter.of(Set.of(status))).stream()
                .filter(end -> end.connection().equals(connection))
                .count();
    }

    @Test
    void groups_are_what_a_look_at_everything_gives() {
        fill(60);
        record Cause(
                Optional<DestinationId> destination,
                Optional<ErrorCode> code,
                Optional<Integer> responseStatus) {}
        var expected = new HashMap<Cause, Integer>();
        for (var end : expected(DeliveryFilter.of(DeadLetterFilters.DEAD_STATUSES))) {
            var destination = Optional.ofNullable(destinations.get(end.connection()));
            expected.merge(
                    new Cause(destination, end.code(), end.responseStatus()), 1, Integer::sum);
        }

        var json =
                query(
                        DeliveryFilter.of(DeadLetterFilters.DEAD_STATUSES),
                        SCAN_TIME_BUDGET,
                        search -> json(search.groups(Optional.empty()), new Page(1, 200)));

        int all = expected.values().stream().mapToInt(n -> n).sum();
        assertThat(json)
                .endsWith(
                        "\"total\":%d,\"looked_at\":%d,\"is_exact\":true,\"next_cursor\":null}"
                                .formatted(expected.size(), all));
        expected.forEach((cause, n) ->
                assertThat(json)
                        .containsPattern(
                                "\"destination_id\":\"%s\",\"destination_name\":\"destination\",\"error_code\":\"%s\",\"response_status\":%s,\"count\":%d,"
                                        .formatted(
                                                cause.destination().orElseThrow(),
                                                cause.code().orElseThrow().text(),
                                                cause.responseStatus()
                                                        .map(String::valueOf)
                                                        .orElse("null"),
                                                n)));
    }

    @Test
    void what_looked_at_the_newest_only_says_so() {
        var many = dead(Some.NOON, 300, 410);
        finished.add(many);
        var dead = DeliveryFilter.of(DeadLetterFilters.DEAD_STATUSES);
        var gone =
                new DeliveryFilter(
                        dead.statuses(),
                        dead.source(),
                        dead.connection(),
                        dead.destination(),
                        new CauseFilter(Optional.of(ErrorCode.HTTP_STATUS), dead.responseStatus()),
                        dead.received(),
                        Optional.empty(),
                        Optional.empty());

        var result = page(gone, Duration.ZERO, FIRST_PAGE);
        var groups =
                query(
                        dead,
                        Duration.ZERO,
                        search -> json(search.groups(Optional.empty()), FIRST_PAGE));

        assertThat(result.isExact()).isFalse();
        assertThat(result.total()).isEqualTo(INITIAL_STEP_ROWS);
        assertThat(result.rows().getFirst().id()).isEqualTo(many.getLast().id().value());
        assertThat(groups)
                .contains("\"count\":" + INITIAL_STEP_ROWS + ",")
                .contains("\"looked_at\":" + INITIAL_STEP_ROWS + ",\"is_exact\":false");
    }

    /// As after an outage whose dead letters were dismissed: those of the one before are left.
    @Test
    void a_cursor_leads_past_what_is_resolved_to_the_groups_that_are_left() {
        var left = dead(Some.NOON, 3, 503);
        var resolved = dead(Some.NOON.plusSeconds(10), 700, 410);
        finished.add(left);
        finished.add(resolved);
        dismiss(resolved);
        var filter =
                DeliveryFilter.of(DeadLetterFilters.DEAD_STATUSES).withResolved(Optional.of(false));

        UUID last = resolved.get(resolved.size() - INITIAL_STEP_ROWS).id().value();
        var cursor = new PageCursor(last, INITIAL_STEP_ROWS);
        var first = nextGroups(filter, Duration.ZERO, Optional.empty());
        var second = nextGroups(filter, SCAN_TIME_BUDGET, Optional.of(cursor));

        assertThat(first)
                .startsWith(
                        "{\"items\":[],\"total\":0,\"looked_at\":%d,\"is_exact\":false,"
                                .formatted(INITIAL_STEP_ROWS))
                .contains(cursor.text(ListPage.numbered(FIRST_PAGE).list()));
        assertThat(second)
                .contains("\"response_status\":503,\"count\":3,")
                .endsWith("\"looked_at\":703,\"is_exact\":true,\"next_cursor\":null}");
    }

    private String nextGroups(DeliveryFilter filter, Duration budget, Optional<PageCursor> cursor) {
        return query(filter, budget, search -> json(search.groups(cursor), FIRST_PAGE));
    }

    private static String json(FailureGroups groups, Page page) {
        return Json.text(groups.json(ListPage.numbered(page)));
    }

    /// Failed deliveries of the first connection, one each second from `first` on.
    private List<FinishedDelivery> dead(Instant first, int n, int responseStatus) {
        var many = new ArrayList<FinishedDelivery>();
        for (int i = 0; i < n; i++) {
            many.add(
                    new FinishedDelivery(
                            DeliveryId.of(Some.eventId(first.plusSeconds(i)), 1),
                            sources.getFirst(),
                            order.getFirst(),
                            DeliveryStatus.FAILED,
                            Optional.of(ErrorCode.HTTP_STATUS),
                            Optional.of(responseStatus)));
        }
        return many;
    }

    private void dismiss(List<FinishedDelivery> letters) {
        db.run(tx ->
                tx.update(
                        """
                        insert into dismissal (source_id, delivery_id, dismissed_at)
                        select ?, unnest(?), now()
                        """,
                        sources.getFirst().value(),
                        letters.stream().map(letter -> letter.id().value()).toList()));
    }

    @Test
    void nothing_of_a_source_in_the_trash_is_found() {
        finished.failed(sources.getFirst(), order.getFirst(), Some.NOON);
        finished.failed(sources.get(1), order.get(2), Some.NOON);
        given.trashed(sources.getFirst());

        var result =
                page(
                        DeliveryFilter.of(DeadLetterFilters.DEAD_STATUSES),
                        SCAN_TIME_BUDGET,
                        FIRST_PAGE);
        assertThat(result.total()).isEqualTo(1);
    }

    @Test
    void without_any_connection_there_is_nothing() {
        given = new Given(db);
        sources = List.of(given.source());

        var result =
                page(
                        DeliveryFilter.of(DeadLetterFilters.DEAD_STATUSES),
                        SCAN_TIME_BUDGET,
                        FIRST_PAGE);

        assertThat(result.total()).isZero();
        String groups =
                query(
                        DeliveryFilter.of(DeadLetterFilters.DEAD_STATUSES),
                        SCAN_TIME_BUDGET,
                        search -> json(search.groups(Optional.empty()), FIRST_PAGE));
        assertThat(groups)
                .isEqualTo(
                        "{\"items\":[],\"total\":0,\"looked_at\":0,\"is_exact\":true,\"next_cursor\":null}");
    }
}
