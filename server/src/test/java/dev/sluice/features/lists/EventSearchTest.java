package dev.sluice.features.lists;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.features.lists.EventFixture.FixtureEvent;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.history.ListPage;
import dev.sluice.history.ReceivedTimeRange;
import dev.sluice.history.ResultPage;
import dev.sluice.history.counts.BudgetedScan;
import dev.sluice.history.events.EventSummary;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.http.Page;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.Some;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

class EventSearchTest {

    private static final Instant RETAINED_SINCE = Some.NOON.minus(Duration.ofDays(1));
    private static final Instant NOW = Some.NOON.plus(Duration.ofDays(3));
    private static final Page FIRST_PAGE = new Page(1, 50);
    private static final List<VerificationStatus> VERIFICATIONS =
            List.of(VerificationStatus.values());

    private final Db db = TestPostgres.open(TestPostgres.newDatabase());
    private final EventFixture fixture = new EventFixture(db);
    private final Random random = new Random(7);
    private List<SourceId> sources = List.of();

    @BeforeEach
    void prepare() {
        new PartitionStore(db).makeAhead(Some.NOON);
        var given = new Given(db);
        sources = List.of(given.source(), given.source(), given.source());
    }

    @AfterEach
    void close() {
        db.close();
    }

    private static EventFilter filter(Optional<VerificationStatus> verification, String q) {
        return new EventFilter(
                Optional.empty(),
                verification,
                ReceivedTimeRange.ALL,
                Optional.of(q).filter(text -> !text.isEmpty()),
                Optional.empty());
    }

    private static EventFilter between(Instant after, Instant before) {
        return new EventFilter(
                Optional.empty(),
                Optional.empty(),
                new ReceivedTimeRange(Optional.of(after), Optional.of(before)),
                Optional.empty(),
                Optional.empty());
    }

    private ResultPage<EventSummary> page(List<SourceId> of, EventFilter filter, Page page) {
        return page(of, filter, ListPage.numbered(page));
    }

    private ResultPage<EventSummary> page(List<SourceId> of, EventFilter filter, ListPage page) {
        return db.snapshot(tx -> new EventSearch(tx, of, filter, RETAINED_SINCE, NOW).page(page));
    }

    /// Returns a time in a crowded minute, near the limit of retention (sometimes before it), or
    /// anywhere in three days.
    private Instant someTime() {
        long minute = Duration.ofMinutes(1).toMillis();
        return switch (random.nextInt(4)) {
            case 0 -> Some.NOON.plusMillis(random.nextLong(2 * minute));
            case 1 -> Some.NOON.plus(Duration.ofHours(12)).plusMillis(random.nextLong(minute));
            case 2 -> RETAINED_SINCE.plusMillis(random.nextLong(-3 * minute, 3 * minute));
            default -> RETAINED_SINCE.plusMillis(random.nextLong(Duration.ofDays(3).toMillis()));
        };
    }

    /// Like [#someTime], but often exactly at the start of a minute, an hour or a day.
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

    /// Mostly skipped for the first source, mixed for the second, always verified for the third.
    private VerificationStatus someVerification(int source) {
        return switch (source) {
            case 0 ->
                    random.nextInt(100) == 0
                            ? VerificationStatus.VERIFIED
                            : VerificationStatus.SKIPPED;
            case 1 -> VERIFICATIONS.get(random.nextInt(3));
            default -> VerificationStatus.VERIFIED;
        };
    }

    private void fill(int batches) {
        for (int batch = 0; batch < batches; batch++) {
            var events = new ArrayList<FixtureEvent>();
            for (int i = 0; i < 1 + random.nextInt(30); i++) {
                int source = random.nextInt(3);
                events.add(
                        new FixtureEvent(
                                Some.eventId(someTime()).value(),
                                sources.get(source),
                                someVerification(source)));
            }
            fixture.add(events);
            if (random.nextInt(10) == 0 && batch < batches - 5) {
                fixture.fold();
            }
        }
    }

    private static boolean passes(EventFilter filter, FixtureEvent event) {
        var at = EventFixture.receivedAt(event);
        return !at.isBefore(RETAINED_SINCE)
                && filter.verification().map(event.verification()::equals).orElse(true)
                && filter.received().after().map(after -> !at.isBefore(after)).orElse(true)
                && filter.received().before().map(at::isBefore).orElse(true)
                && filter.q()
                        .map(q -> event.id().toString().replace("-", "").contains(q))
                        .orElse(true);
    }

    @Test
    void every_page_and_total_is_what_a_look_at_all_events_gives() {
        fill(150);
        var all = fixture.all();
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
                            Optional.of(VERIFICATIONS.get(random.nextInt(3)))
                                    .filter(_ -> random.nextBoolean()),
                            new ReceivedTimeRange(
                                    Optional.of(someBound()).filter(_ -> random.nextBoolean()),
                                    Optional.of(someBound()).filter(_ -> random.nextBoolean())),
                            Optional.of(q).filter(text -> !text.isEmpty()),
                            Optional.empty());
            var expected =
                    all.stream()
                            .filter(event -> of.contains(event.source()) && passes(filter, event))
                            .toList();
            int limit = 1 + random.nextInt(200);
            var page = new Page(1 + random.nextInt(expected.size() / limit + 2), limit);

            var result = page(of, filter, page);

            if (result.isExact()) {
                assertThat(result.total()).as("%s", filter).isEqualTo(expected.size());
                assertThat(result.rows())
                        .as("%s %s", filter, page)
                        .extracting(event -> event.id().value())
                        .containsExactlyElementsOf(
                                expected.stream()
                                        .skip(page.offset())
                                        .limit(limit)
                                        .map(FixtureEvent::id)
                                        .toList());
            } else {
                assertThat(result.total()).isLessThanOrEqualTo(expected.size());
            }
        }
    }

    @Test
    void cursors_lead_through_the_list_once_while_newer_events_arrive() {
        fill(120);
        for (int i = 0; i < 40; i++) {
            var q = i % 3 == 0 ? "" + random.nextInt(10) : "";
            var verification =
                    Optional.of(VERIFICATIONS.get(random.nextInt(3)))
                            .filter(_ -> random.nextBoolean());
            var filter = filter(verification, q);
            var expected =
                    fixture.all().stream()
                            .filter(event -> passes(filter, event))
                            .map(FixtureEvent::id)
                            .toList();
            int limit = 20 + random.nextInt(181);

            var found = new ArrayList<UUID>();
            var page = ListPage.numbered(new Page(1, limit));
            for (var next = Optional.of(page); next.isPresent(); ) {
                var asked = next.get();
                var result = page(sources, filter, asked);
                result.rows().forEach(event -> found.add(event.id().value()));
                next =
                        result.next()
                                .map(cursor -> new ListPage(asked.page(), Optional.of(cursor), ""));
                fixture.add(
                        sources.getFirst(),
                        NOW.plusMillis(i),
                        VERIFICATIONS.get(random.nextInt(3)));
            }

            assertThat(found).as("%s", filter).containsExactlyElementsOf(expected);
        }
    }

    /// Returns the beginning of an event's id.
    private String someIdText(List<FixtureEvent> all, int digits) {
        var event = all.get(random.nextInt(all.size()));
        return event.id().toString().replace("-", "").substring(0, digits);
    }

    @Test
    void received_after_is_inclusive_and_received_before_exclusive() {
        var at = Some.NOON.plusMillis(61_001);
        var event = fixture.add(sources.getFirst(), at, VerificationStatus.SKIPPED);

        assertThat(page(sources, between(at, at.plusMillis(1)), FIRST_PAGE).rows())
                .extracting(found -> found.id().value())
                .containsExactly(event.id());
        assertThat(page(sources, between(at.minusMillis(1), at), FIRST_PAGE).total()).isZero();
        assertThat(page(sources, between(at.plusNanos(1), at.plusMillis(1)), FIRST_PAGE).total())
                .as("a time between two milliseconds")
                .isZero();
    }

    @Test
    void a_range_that_ends_before_it_begins_is_empty() {
        fixture.add(sources.getFirst(), Some.NOON, VerificationStatus.SKIPPED);

        assertThat(page(sources, between(NOW, RETAINED_SINCE), FIRST_PAGE).total()).isZero();
        assertThat(page(sources, between(Some.NOON, Some.NOON), FIRST_PAGE).total()).isZero();
    }

    @Test
    void an_event_is_found_by_its_whole_id_only_where_everything_else_fits_too() {
        var event = fixture.add(sources.getFirst(), Some.NOON, VerificationStatus.FAILED);
        String id = event.id().toString();

        assertThat(page(sources, filter(Optional.empty(), id), FIRST_PAGE).total()).isEqualTo(1);
        assertThat(
                        page(
                                        sources,
                                        filter(Optional.of(VerificationStatus.FAILED), id),
                                        FIRST_PAGE)
                                .rows())
                .hasSize(1);
        assertThat(
                        page(
                                        sources,
                                        filter(Optional.of(VerificationStatus.SKIPPED), id),
                                        FIRST_PAGE)
                                .total())
                .isZero();
        assertThat(page(List.of(sources.get(1)), filter(Optional.empty(), id), FIRST_PAGE).total())
                .isZero();
        assertThat(page(sources, filter(Optional.empty(), id), new Page(2, 50)).rows()).isEmpty();
    }

    @Test
    void what_looked_through_the_newest_only_says_so() {
        fill(400);

        var result =
                db.snapshot(tx ->
                        new EventSearch(
                                        tx,
                                        sources,
                                        filter(Optional.empty(), "7"),
                                        RETAINED_SINCE,
                                        NOW,
                                        Duration.ZERO)
                                .page(ListPage.numbered(new Page(1, 200))));

        assertThat(result.isExact()).isFalse();
        assertThat(result.rows())
                .extracting(event -> event.id().value())
                .as("the newest that match")
                .containsExactlyElementsOf(
                        fixture.all().stream()
                                .limit(BudgetedScan.INITIAL_STEP_ROWS)
                                .map(FixtureEvent::id)
                                .filter(id -> id.toString().contains("7"))
                                .toList());
    }
}
