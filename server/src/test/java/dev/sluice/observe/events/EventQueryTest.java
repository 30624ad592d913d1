package dev.sluice.observe.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.observe.events.History.Past;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.Page;
import dev.sluice.relay.Verification;
import dev.sluice.relay.store.Partitions;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestCluster;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

class EventQueryTest {

    private static final Instant SINCE = Some.NOON.minus(Duration.ofDays(1));
    private static final Instant NOW = Some.NOON.plus(Duration.ofDays(3));
    private static final Page FIRST = new Page(1, 50);
    private static final List<Verification> STATUSES = List.of(Verification.values());

    private final Db db = TestCluster.open(TestCluster.newDatabase());
    private final History history = new History(db);
    private final Random random = new Random(7);
    private List<SourceId> sources = List.of();

    @BeforeEach
    void prepare() {
        new Partitions(db).makeAhead(Some.NOON);
        var given = new Given(db);
        sources = List.of(given.source(), given.source(), given.source());
    }

    @AfterEach
    void close() {
        db.close();
    }

    private static EventFilter filter(Optional<Verification> verification, String q) {
        return new EventFilter(
                Optional.empty(),
                verification,
                Optional.empty(),
                Optional.empty(),
                Optional.of(q).filter(text -> !text.isEmpty()));
    }

    private static EventFilter between(Instant after, Instant before) {
        return new EventFilter(
                Optional.empty(),
                Optional.empty(),
                Optional.of(after),
                Optional.of(before),
                Optional.empty());
    }

    private EventQuery.Found page(List<SourceId> of, EventFilter filter, Page page) {
        return db.snapshot(tx -> new EventQuery(tx, of, filter, SINCE, NOW).page(page));
    }

    /// A time at which events crowd, or any; some before what is kept.
    private Instant someTime() {
        long minute = Duration.ofMinutes(1).toMillis();
        return switch (random.nextInt(4)) {
            case 0 -> Some.NOON.plusMillis(random.nextLong(2 * minute));
            case 1 -> Some.NOON.plus(Duration.ofHours(12)).plusMillis(random.nextLong(minute));
            case 2 -> SINCE.plusMillis(random.nextLong(-3 * minute, 3 * minute));
            default -> SINCE.plusMillis(random.nextLong(Duration.ofDays(3).toMillis()));
        };
    }

    /// As above, often at the very beginning of a minute, an hour or a day.
    private Instant someBound() {
        var time = someTime();
        return switch (random.nextInt(5)) {
            case 0 -> time.truncatedTo(java.time.temporal.ChronoUnit.MINUTES);
            case 1 -> time.truncatedTo(java.time.temporal.ChronoUnit.HOURS);
            case 2 -> time.truncatedTo(java.time.temporal.ChronoUnit.DAYS);
            case 3 -> time.plusNanos(random.nextInt(1_000_000));
            default -> time;
        };
    }

    /// Mostly skipped by the first source, mixed by the second, all verified by the third.
    private Verification someVerification(int source) {
        return switch (source) {
            case 0 -> random.nextInt(100) == 0 ? Verification.VERIFIED : Verification.SKIPPED;
            case 1 -> STATUSES.get(random.nextInt(3));
            default -> Verification.VERIFIED;
        };
    }

    private void fill(int batches) {
        for (int batch = 0; batch < batches; batch++) {
            var events = new ArrayList<Past>();
            for (int i = 0; i < 1 + random.nextInt(30); i++) {
                int source = random.nextInt(3);
                events.add(
                        new Past(
                                Some.eventId(someTime()).value(),
                                sources.get(source),
                                someVerification(source)));
            }
            history.add(events);
            if (random.nextInt(10) == 0 && batch < batches - 5) {
                history.fold();
            }
        }
    }

    private static boolean passes(EventFilter filter, Past event) {
        var at = History.receivedAt(event);
        return !at.isBefore(SINCE)
                && filter.verification().map(event.verification()::equals).orElse(true)
                && filter.after().map(after -> !at.isBefore(after)).orElse(true)
                && filter.before().map(at::isBefore).orElse(true)
                && filter.q()
                        .map(q -> event.id().toString().replace("-", "").contains(q))
                        .orElse(true);
    }

    @Test
    void every_page_and_total_is_what_a_look_at_all_events_gives() {
        fill(150);
        var all = history.all();
        for (int i = 0; i < 300; i++) {
            var of = random.nextBoolean() ? sources : List.of(sources.get(random.nextInt(3)));
            var q =
                    switch (random.nextInt(6)) {
                        case 0 -> someIdText(all, 8 + random.nextInt(8));
                        case 1 -> "" + random.nextInt(10);
                        default -> "";
                    };
            var filter =
                    new EventFilter(
                            Optional.empty(),
                            Optional.of(STATUSES.get(random.nextInt(3)))
                                    .filter(_ -> random.nextBoolean()),
                            Optional.of(someBound()).filter(_ -> random.nextBoolean()),
                            Optional.of(someBound()).filter(_ -> random.nextBoolean()),
                            Optional.of(q).filter(text -> !text.isEmpty()));
            var expected =
                    all.stream()
                            .filter(event -> of.contains(event.source()) && passes(filter, event))
                            .toList();
            int limit = 1 + random.nextInt(200);
            var page = new Page(1 + random.nextInt(expected.size() / limit + 2), limit);

            var found = page(of, filter, page);

            if (found.isExact()) {
                assertThat(found.total()).as("%s", filter).isEqualTo(expected.size());
                assertThat(found.events())
                        .as("%s %s", filter, page)
                        .extracting(event -> event.id().value())
                        .containsExactlyElementsOf(
                                expected.stream()
                                        .skip(page.offset())
                                        .limit(limit)
                                        .map(Past::id)
                                        .toList());
            } else {
                assertThat(found.total()).isLessThanOrEqualTo(expected.size());
            }
        }
    }

    /// The beginning of an event's id.
    private String someIdText(List<Past> all, int digits) {
        var event = all.get(random.nextInt(all.size()));
        return event.id().toString().replace("-", "").substring(0, digits);
    }

    @Test
    void received_after_is_inclusive_and_received_before_exclusive() {
        var at = Some.NOON.plusMillis(61_001);
        var event = history.add(sources.getFirst(), at, Verification.SKIPPED);

        assertThat(page(sources, between(at, at.plusMillis(1)), FIRST).events())
                .extracting(found -> found.id().value())
                .containsExactly(event.id());
        assertThat(page(sources, between(at.minusMillis(1), at), FIRST).total()).isZero();
        assertThat(page(sources, between(at.plusNanos(1), at.plusMillis(1)), FIRST).total())
                .as("a time between two milliseconds")
                .isZero();
    }

    @Test
    void a_range_that_ends_before_it_begins_is_empty() {
        history.add(sources.getFirst(), Some.NOON, Verification.SKIPPED);

        assertThat(page(sources, between(NOW, SINCE), FIRST).total()).isZero();
        assertThat(page(sources, between(Some.NOON, Some.NOON), FIRST).total()).isZero();
    }

    @Test
    void an_event_is_found_by_its_whole_id_only_where_everything_else_fits_too() {
        var event = history.add(sources.getFirst(), Some.NOON, Verification.FAILED);
        String id = event.id().toString();

        assertThat(page(sources, filter(Optional.empty(), id), FIRST).total()).isEqualTo(1);
        assertThat(page(sources, filter(Optional.of(Verification.FAILED), id), FIRST).events())
                .hasSize(1);
        assertThat(page(sources, filter(Optional.of(Verification.SKIPPED), id), FIRST).total())
                .isZero();
        assertThat(page(List.of(sources.get(1)), filter(Optional.empty(), id), FIRST).total())
                .isZero();
        assertThat(page(sources, filter(Optional.empty(), id), new Page(2, 50)).events()).isEmpty();
    }

    @Test
    void what_looked_through_the_newest_only_says_so() {
        fill(400);

        var found =
                db.snapshot(tx ->
                        new EventQuery(
                                        tx,
                                        sources,
                                        filter(Optional.empty(), "7"),
                                        SINCE,
                                        NOW,
                                        Duration.ZERO)
                                .page(new Page(1, 200)));

        assertThat(found.isExact()).isFalse();
        assertThat(found.events())
                .extracting(event -> event.id().value())
                .as("the newest that match")
                .containsExactlyElementsOf(
                        history.all().stream()
                                .limit(2_000)
                                .map(Past::id)
                                .filter(id -> id.toString().contains("7"))
                                .limit(200)
                                .toList());
    }
}
