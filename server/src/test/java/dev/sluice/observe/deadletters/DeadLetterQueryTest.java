package dev.sluice.observe.deadletters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.Page;
import dev.sluice.platform.json.Json;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.DeliveryStatus;
import dev.sluice.relay.ErrorCode;
import dev.sluice.relay.store.Ledger;
import dev.sluice.relay.store.Partitions;
import dev.sluice.testkit.Ends;
import dev.sluice.testkit.Ends.End;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestCluster;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;

/// Lists, totals, summaries and groups, held against a look at everything.
class DeadLetterQueryTest {

    private static final Instant SINCE =
            Some.NOON.minus(Duration.ofDays(1)).plus(Duration.ofMinutes(23));
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Page FIRST = new Page(1, 50);
    private static final List<DeliveryStatus> STATUSES =
            List.of(
                    DeliveryStatus.SUCCEEDED,
                    DeliveryStatus.FAILED,
                    DeliveryStatus.EXHAUSTED,
                    DeliveryStatus.FILTERED);
    private static final List<ErrorCode> CODES =
            List.of(ErrorCode.HTTP_STATUS, ErrorCode.CONNECTION_DELETED, ErrorCode.TLS_FAILED);

    private final Db db = TestCluster.open(TestCluster.newDatabase());
    private final Ends ends = new Ends(db);
    private final Random random = new Random(5);
    private final Map<ConnectionId, SourceId> connections = new HashMap<>();
    private final Map<ConnectionId, DestinationId> destinations = new HashMap<>();
    private Given given = new Given(db);
    private List<SourceId> sources = List.of();
    private List<ConnectionId> order = List.of();

    @BeforeEach
    void prepare() {
        new Partitions(db).makeAhead(Some.NOON);
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

    private <T> T query(
            DeadLetterFilter filter, Duration budget, Function<DeadLetterQuery, T> what) {
        var workspace = workspace();
        return db.snapshot(tx -> {
            var scope = Scope.of(tx, workspace, filter);
            return what.apply(new DeadLetterQuery(tx, scope, filter, SINCE, budget));
        });
    }

    private static DeadLetterFilter filter(Set<DeliveryStatus> statuses) {
        return new DeadLetterFilter(
                statuses,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /// A time at which events crowd, or any; some before what is kept.
    private Instant someTime() {
        long minute = Duration.ofMinutes(1).toMillis();
        return switch (random.nextInt(4)) {
            case 0 -> Some.NOON.plusMillis(random.nextLong(2 * minute));
            case 1 -> Some.NOON.plus(Duration.ofHours(12)).plusMillis(random.nextLong(minute));
            case 2 -> SINCE.plusMillis(random.nextLong(-30 * minute, 30 * minute));
            default -> SINCE.plusMillis(random.nextLong(Duration.ofDays(3).toMillis()));
        };
    }

    /// As above, often at the very beginning of an hour or a day.
    private Instant someBound() {
        var time = someTime();
        return switch (random.nextInt(4)) {
            case 0 -> time.truncatedTo(ChronoUnit.HOURS);
            case 1 -> time.truncatedTo(ChronoUnit.DAYS);
            case 2 -> time.plusNanos(random.nextInt(1_000_000));
            default -> time;
        };
    }

    private void fill(int batches) {
        for (int batch = 0; batch < batches; batch++) {
            var some = new ArrayList<End>();
            for (int i = 0; i < 1 + random.nextInt(20); i++) {
                some.add(someEnd());
            }
            ends.add(some);
            var filtering = order.subList(0, 1 + random.nextInt(2)); // of one source
            ends.filtered(sources.getFirst(), someTime(), filtering, random.nextInt(3));
            if (random.nextInt(10) == 0 && batch < batches - 5) {
                db.run(Ledger::fold);
            }
        }
    }

    private End someEnd() {
        var connection = order.get(random.nextInt(order.size()));
        var status = STATUSES.get(random.nextInt(3));
        var code = CODES.get(random.nextInt(3));
        int ordinal = random.nextInt(5) == 0 ? DeliveryId.FIRST_RESEND : 1;
        boolean isSuccess = status == DeliveryStatus.SUCCEEDED;
        return new End(
                DeliveryId.of(Some.eventId(someTime()), ordinal),
                Objects.requireNonNull(connections.get(connection)),
                connection,
                status,
                isSuccess ? Optional.empty() : Optional.of(code),
                isSuccess
                        ? Optional.of(200)
                        : Optional.of(500 + random.nextInt(2))
                                .filter(_ -> code == ErrorCode.HTTP_STATUS));
    }

    private DeadLetterFilter someFilter() {
        var statuses = EnumSet.of(STATUSES.get(random.nextInt(4)));
        for (int i = random.nextInt(3); i > 0; i--) {
            statuses.add(STATUSES.get(random.nextInt(4)));
        }
        var connection = order.get(random.nextInt(order.size()));
        return new DeadLetterFilter(
                statuses,
                Optional.of(sources.get(random.nextInt(3))).filter(_ -> random.nextInt(3) == 0),
                Optional.of(connection).filter(_ -> random.nextInt(4) == 0),
                Optional.ofNullable(destinations.get(connection))
                        .filter(_ -> random.nextInt(4) == 0),
                Optional.of(CODES.get(random.nextInt(3))).filter(_ -> random.nextInt(5) == 0),
                Optional.of(500).filter(_ -> random.nextInt(5) == 0),
                Optional.of(someBound()).filter(_ -> random.nextBoolean()),
                Optional.of(someBound()).filter(_ -> random.nextBoolean()));
    }

    private boolean passes(DeadLetterFilter filter, End end) {
        return !end.receivedAt().isBefore(SINCE)
                && filter.statuses().contains(end.status())
                && filter.source().map(end.source()::equals).orElse(true)
                && filter.connection().map(end.connection()::equals).orElse(true)
                && filter.destination()
                        .map(id -> id.equals(destinations.get(end.connection())))
                        .orElse(true)
                && (filter.code().isEmpty() || filter.code().equals(end.code()))
                && (filter.responseStatus().isEmpty()
                        || filter.responseStatus().equals(end.responseStatus()))
                && filter.after().map(after -> !end.receivedAt().isBefore(after)).orElse(true)
                && filter.before().map(end.receivedAt()::isBefore).orElse(true);
    }

    private List<End> expected(DeadLetterFilter filter) {
        return ends.all().stream().filter(end -> passes(filter, end)).toList();
    }

    @Test
    void every_page_and_total_is_what_a_look_at_everything_gives() {
        fill(120);
        for (int i = 0; i < 250; i++) {
            var filter = someFilter();
            var expected = expected(filter);
            int limit = 1 + random.nextInt(200);
            var page = new Page(1 + random.nextInt(expected.size() / limit + 2), limit);

            var found = query(filter, PATIENCE, query -> query.page(page));

            assertThat(found.isExact()).isTrue();
            assertThat(found.total()).as("%s", filter).isEqualTo(expected.size());
            assertThat(found.keys())
                    .as("%s %s", filter, page)
                    .extracting(key -> new DeliveryId(key.id()))
                    .containsExactlyElementsOf(
                            expected.stream()
                                    .skip(page.offset())
                                    .limit(limit)
                                    .map(End::id)
                                    .toList());
        }
    }

    @Test
    void the_summary_counts_what_a_look_at_everything_counts() {
        fill(80);
        var workspace = workspace();
        for (var source : sources) {
            var filter = DeadLetterFilter.of(source);
            var json =
                    db.snapshot(tx ->
                            Json.text(
                                    Summary.of(
                                                    tx,
                                                    Scope.of(tx, workspace, filter),
                                                    source.value(),
                                                    SINCE)
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
        return expected(filter(Set.of(status))).stream()
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
        for (var end : expected(filter(DeadLetterFilter.DEAD))) {
            var destination = Optional.ofNullable(destinations.get(end.connection()));
            expected.merge(
                    new Cause(destination, end.code(), end.responseStatus()), 1, Integer::sum);
        }

        var json =
                query(
                        filter(DeadLetterFilter.DEAD),
                        PATIENCE,
                        query -> Json.text(query.groups().json(new Page(1, 200))));

        int all = expected.values().stream().mapToInt(n -> n).sum();
        assertThat(json)
                .endsWith(
                        "\"total\":%d,\"looked_at\":%d,\"is_exact\":true}"
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
        var many = new ArrayList<End>();
        for (int i = 0; i < 2_500; i++) {
            many.add(
                    new End(
                            DeliveryId.of(Some.eventId(Some.NOON.plusSeconds(i)), 1),
                            sources.getFirst(),
                            order.getFirst(),
                            DeliveryStatus.FAILED,
                            Optional.of(ErrorCode.HTTP_STATUS),
                            Optional.of(410)));
        }
        ends.add(many);
        var dead = filter(DeadLetterFilter.DEAD);
        var gone =
                new DeadLetterFilter(
                        dead.statuses(),
                        dead.source(),
                        dead.connection(),
                        dead.destination(),
                        Optional.of(ErrorCode.HTTP_STATUS),
                        dead.responseStatus(),
                        dead.after(),
                        dead.before());

        var found = query(gone, Duration.ZERO, query -> query.page(FIRST));
        var groups = query(dead, Duration.ZERO, query -> Json.text(query.groups().json(FIRST)));

        assertThat(found.isExact()).isFalse();
        assertThat(found.total()).isEqualTo(2_000);
        assertThat(found.keys().getFirst().id()).isEqualTo(many.getLast().id().value());
        assertThat(groups)
                .contains("\"count\":2000,")
                .contains("\"looked_at\":2000,\"is_exact\":false");
    }

    @Test
    void nothing_of_a_source_in_the_trash_is_found() {
        ends.failed(sources.getFirst(), order.getFirst(), Some.NOON);
        ends.failed(sources.get(1), order.get(2), Some.NOON);
        given.trashed(sources.getFirst());

        var found = query(filter(DeadLetterFilter.DEAD), PATIENCE, query -> query.page(FIRST));
        assertThat(found.total()).isEqualTo(1);
    }

    @Test
    void without_any_connection_there_is_nothing() {
        given = new Given(db);
        sources = List.of(given.source());

        var found = query(filter(DeadLetterFilter.DEAD), PATIENCE, q -> q.page(FIRST));

        assertThat(found.total()).isZero();
        String groups =
                query(
                        filter(DeadLetterFilter.DEAD),
                        PATIENCE,
                        query -> Json.text(query.groups().json(FIRST)));
        assertThat(groups)
                .isEqualTo("{\"items\":[],\"total\":0,\"looked_at\":0,\"is_exact\":true}");
    }
}
