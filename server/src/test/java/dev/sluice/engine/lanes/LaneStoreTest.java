package dev.sluice.engine.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.commit.StoreFixture;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.routing.Route;
import dev.sluice.platform.db.Tx;
import dev.sluice.testkit.Given;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

@ResourceLock(StoreFixture.RESOURCE_LOCK)
class LaneStoreTest {

    private static final long OUR_EPOCH = 7;
    private static final long OTHER_EPOCH = 8;
    private static final Instant NOON = StoreFixture.NOON;
    private static final UUID MIN_ID = new UUID(0, 0);

    private final StoreFixture fixture = new StoreFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    private static Lane lane() {
        return new Lane(
                Some.route(Some.sourceId()).connection().id(), Trigger.INGEST, Some.sourceId());
    }

    private static Lane lane(Route route) {
        return new Lane(route.connection().id(), Trigger.INGEST, route.source().id());
    }

    private void wake(Lane lane, Instant at) {
        fixture.db.run(tx -> LaneStore.wake(tx, List.of(new LaneStore.LaneWake(lane, at))));
    }

    private List<Lane> lease(long epoch, Instant now, int limit) {
        return fixture.db.call(tx -> lease(tx, epoch, now, limit));
    }

    /// Leases lanes as a node does that has none.
    private static List<Lane> lease(Tx tx, long epoch, Instant now, int limit) {
        var due =
                LaneStore.dueFor(tx, epoch, now, List.of(), limit).stream()
                        .filter(each -> !each.isLeased())
                        .map(each -> each.leased().lane())
                        .toList();
        return LaneStore.lease(tx, epoch, now, due);
    }

    private List<DeliveryId> due(Lane lane, Instant until, int limit) {
        return fixture
                .db
                .call(tx -> LaneStore.due(tx, lane, until, Instant.EPOCH, MIN_ID, limit))
                .stream()
                .map(waiting -> waiting.delivery().id())
                .toList();
    }

    private UnfinishedDelivery waiting(Route route, Instant nextAt) {
        var delivery = fixture.owned(OUR_EPOCH, route);
        fixture.write(OUR_EPOCH, StoreFixture.released(delivery, nextAt));
        return delivery;
    }

    @Test
    void a_lane_has_one_holder_until_it_is_released() {
        var lane = lane();
        wake(lane, NOON);

        assertThat(lease(OUR_EPOCH, NOON, 10)).containsExactly(lane);
        assertThat(lease(OTHER_EPOCH, NOON, 10)).isEmpty();
        assertThat(lease(OUR_EPOCH, NOON, 10)).isEmpty();

        fixture.db.run(tx -> LaneStore.release(tx, lane, OTHER_EPOCH, Optional.of(NOON)));
        assertThat(lease(OTHER_EPOCH, NOON, 10)).as("released by another").isEmpty();

        fixture.db.run(tx -> LaneStore.release(tx, lane, OUR_EPOCH, Optional.of(NOON)));
        assertThat(lease(OTHER_EPOCH, NOON, 10)).containsExactly(lane);
    }

    @Test
    void two_that_lease_at_once_share_the_lanes() {
        var lanes = new ArrayList<Lane>();
        for (int i = 0; i < 10; i++) {
            lanes.add(lane());
            wake(lanes.getLast(), NOON);
        }
        var seen = new ArrayList<Lane>();
        fixture.db.run(tx -> {
            seen.addAll(lease(tx, OUR_EPOCH, NOON, 6));
            seen.addAll(lease(OTHER_EPOCH, NOON, 10)); // while the first is not committed
        });

        assertThat(seen).containsExactlyInAnyOrderElementsOf(lanes);
    }

    @Test
    void of_a_destinations_lanes_those_that_sleep_until_a_later_time_are_woken() {
        var given = new Given(fixture.db);
        var destination = given.destination("a.example", 4);
        var later = lane(given, destination);
        var forGood = lane(given, destination);
        var others = lane(given, given.destination("b.example", 4));
        wake(later, NOON.plusSeconds(600));
        wake(forGood, NOON);
        wake(others, NOON.plusSeconds(600));
        lease(OUR_EPOCH, NOON, 10);
        fixture.db.run(tx -> LaneStore.release(tx, forGood, OUR_EPOCH, Optional.empty()));

        fixture.db.run(tx -> LaneStore.wake(tx, destination, NOON.plusSeconds(60)));

        assertThat(lease(OUR_EPOCH, NOON.plusSeconds(59), 10)).isEmpty();
        assertThat(lease(OUR_EPOCH, NOON.plusSeconds(60), 10)).containsExactly(later);
    }

    private static Lane lane(Given given, DestinationId destination) {
        var source = given.source();
        return new Lane(given.connection(source, destination), Trigger.INGEST, source);
    }

    @Test
    void a_lane_is_leased_when_it_is_due_and_the_longest_due_first() {
        var early = lane();
        var late = lane();
        wake(late, NOON.plusSeconds(1));
        wake(early, NOON);

        assertThat(lease(OUR_EPOCH, NOON.minusMillis(1), 10)).isEmpty();
        assertThat(lease(OUR_EPOCH, NOON.plusSeconds(1), 1)).containsExactly(early);
        assertThat(lease(OUR_EPOCH, NOON.plusSeconds(1), 1)).containsExactly(late);
    }

    @Test
    void a_lane_never_wakes_later_than_it_was_told_before() {
        var lane = lane();
        wake(lane, NOON);
        wake(lane, NOON.plusSeconds(60));

        assertThat(lease(OUR_EPOCH, NOON, 10)).containsExactly(lane);

        fixture.db.run(tx -> LaneStore.release(tx, lane, OUR_EPOCH, Optional.empty()));
        assertThat(lease(OUR_EPOCH, NOON.plusSeconds(1_000_000), 10)).as("asleep").isEmpty();
        wake(lane, NOON.plusSeconds(5));
        assertThat(lease(OUR_EPOCH, NOON.plusSeconds(5), 10)).containsExactly(lane);
    }

    @Test
    void a_wake_does_not_take_a_lane_from_its_holder() {
        var lane = lane();
        wake(lane, NOON);
        lease(OUR_EPOCH, NOON, 10);

        wake(lane, NOON.minusSeconds(5));

        assertThat(lease(OTHER_EPOCH, NOON, 10)).isEmpty();
    }

    @Test
    void a_lane_that_was_woken_is_found_by_the_node_that_leases_it_and_by_no_other() {
        var lane = lane();
        wake(lane, NOON);
        lease(OUR_EPOCH, NOON, 10);
        assertThat(woken(OUR_EPOCH, NOON)).isEmpty();

        wake(lane, NOON.plusSeconds(1));

        assertThat(woken(OUR_EPOCH, NOON)).as("not yet").isEmpty();
        assertThat(woken(OTHER_EPOCH, NOON.plusSeconds(1))).isEmpty();
        assertThat(woken(OUR_EPOCH, NOON.plusSeconds(1))).containsExactly(lane);
        var now = NOON.plusSeconds(1);
        fixture.db.run(tx -> LaneStore.lease(tx, OUR_EPOCH, now, List.of(lane)));
        assertThat(woken(OUR_EPOCH, now)).as("the wake is used up").isEmpty();
    }

    private List<Lane> woken(long epoch, Instant now) {
        return fixture.db.call(tx -> LaneStore.dueFor(tx, epoch, now, List.of(), 0)).stream()
                .map(due -> due.leased().lane())
                .toList();
    }

    @Test
    void lanes_of_excluded_workspaces_are_passed_over() {
        var given = new Given(fixture.db);
        var others = new Given(fixture.db);
        var first = lane(given, given.destination("a.example", 4));
        var second = lane(others, others.destination("b.example", 4));
        wake(first, NOON);
        wake(second, NOON.plusSeconds(1));
        var now = NOON.plusSeconds(1);
        var due = fixture.db.call(tx -> LaneStore.dueFor(tx, OUR_EPOCH, now, List.of(), 1));
        assertThat(due).extracting(each -> each.leased().lane()).containsExactly(first);

        var excluded = List.of(due.getFirst().leased().workspace());

        var left = fixture.db.call(tx -> LaneStore.dueFor(tx, OUR_EPOCH, now, excluded, 1));
        assertThat(left).extracting(each -> each.leased().lane()).containsExactly(second);
    }

    /// Before, each sweep locked the rows of all lanes with waiting deliveries, 40 000 for example.
    @Test
    void a_sweep_touches_only_lanes_that_would_wake_too_late() {
        var right = lane();
        var leased = lane();
        var late = lane();
        wake(leased, NOON);
        lease(OUR_EPOCH, NOON, 10);
        wake(right, NOON);
        wake(late, NOON.plusSeconds(60));

        fixture.db.run(tx ->
                LaneStore.wakeUnleased(
                        tx,
                        List.of(right, leased, late).stream()
                                .map(lane -> new LaneStore.LaneWake(lane, NOON))
                                .toList()));

        assertThat(locks(right)).as("not even locked").isZero();
        assertThat(woken(OUR_EPOCH, NOON)).isEmpty();
        assertThat(lease(OTHER_EPOCH, NOON, 10)).containsExactlyInAnyOrder(right, late);
    }

    /// Returns the id of the transaction that last locked the lane's row; 0 if none did.
    private long locks(Lane lane) {
        return fixture.db.call(tx ->
                tx.single(
                        "select xmax::text::bigint as locked from lane where connection_id = ?",
                        row -> row.number("locked"),
                        lane.connection().value()));
    }

    @Test
    void deliveries_are_read_in_the_order_they_are_due() {
        var route = Some.route(Some.sourceId());
        var third = waiting(route, NOON.plusSeconds(3));
        var first = waiting(route, NOON.plusSeconds(1));
        var second = waiting(route, NOON.plusSeconds(2));
        var alsoSecond = waiting(route, NOON.plusSeconds(2));
        fixture.owned(OUR_EPOCH, route);
        waiting(Some.route(route.source().id()), NOON);
        var lane = lane(route);

        assertThat(due(lane, NOON.plusSeconds(2), 10))
                .containsExactly(first.id(), second.id(), alsoSecond.id());
        assertThat(due(lane, NOON.plusSeconds(9), 2)).containsExactly(first.id(), second.id());
        assertThat(due(lane, NOON.plusSeconds(9), 10)).contains(third.id());
        var after =
                fixture.db.call(tx ->
                        LaneStore.due(
                                tx,
                                lane,
                                NOON.plusSeconds(9),
                                NOON.plusSeconds(2),
                                second.id().value(),
                                10));
        assertThat(after)
                .extracting(waiting -> waiting.delivery().id())
                .containsExactly(alsoSecond.id(), third.id());
    }

    @Test
    void the_first_due_time_is_that_of_the_lane() {
        var route = Some.route(Some.sourceId());
        assertThat(firstDue(lane(route))).isEmpty();
        waiting(route, NOON.plusSeconds(9));
        waiting(route, NOON.plusSeconds(4));
        waiting(Some.route(route.source().id()), NOON);

        assertThat(firstDue(lane(route))).contains(NOON.plusSeconds(4));
    }

    private Optional<Instant> firstDue(Lane lane) {
        return fixture.db.call(tx -> LaneStore.firstDue(tx, lane));
    }

    @Test
    void a_sweep_finds_each_lane_once_with_its_first_due_time() {
        assertThat(fixture.db.call(LaneStore::sweep)).isEmpty();
        var source = Some.sourceId();
        var expected = new ArrayList<LaneStore.LaneWake>();
        for (int i = 0; i < 20; i++) {
            var route = Some.route(source);
            for (int j = 5; j > 0; j--) {
                waiting(route, NOON.plusSeconds(10L * i + j));
            }
            fixture.owned(OUR_EPOCH, route);
            expected.add(new LaneStore.LaneWake(lane(route), NOON.plusSeconds(10L * i + 1)));
        }
        var done = Some.route(source);
        fixture.write(
                OUR_EPOCH, StoreFixture.finished(fixture.waiting(done), DeliveryStatus.SUCCEEDED));
        fixture.owned(OUR_EPOCH, Some.route(source));

        assertThat(fixture.db.call(LaneStore::sweep))
                .extracting(LaneStore.WaitingLane::needed)
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void live_deliveries_and_resends_of_a_connection_are_lanes_apart() {
        var route = Some.route(Some.sourceId());
        var live = waiting(route, NOON);
        var resent = waiting(route, NOON);
        fixture.db.run(tx ->
                tx.update(
                        "update delivery_work set trigger = 2 where id = ?", resent.id().value()));
        var resends = new Lane(route.connection().id(), Trigger.RESEND, route.source().id());

        assertThat(due(lane(route), NOON, 10)).containsExactly(live.id());
        assertThat(due(resends, NOON, 10)).containsExactly(resent.id());
        assertThat(fixture.db.call(LaneStore::sweep))
                .extracting(LaneStore.WaitingLane::lane)
                .containsExactlyInAnyOrder(lane(route), resends);
    }

    @Test
    void payloads_are_those_of_the_events_asked_for() {
        var source = Some.sourceId();
        var event =
                StoreFixture.event(
                        Some.eventId(),
                        Some.payload("hello"),
                        StoreFixture.receiptDueSoon(),
                        true,
                        Some.route(source));
        fixture.put(OUR_EPOCH, event, StoreFixture.event(true, Some.route(source)));

        var found =
                fixture.db.call(
                        tx -> LaneStore.payloads(tx, source, Set.of(event.id(), Some.eventId())));
        assertThat(found.keySet()).containsExactly(event.id());
        assertThat(found.get(event.id()))
                .satisfies(payload -> {
                    assertThat(payload.headers()).isEqualTo(event.payload().headers());
                    assertThat(payload.body()).isEqualTo(event.payload().body());
                });
        var others =
                fixture.db.call(tx -> LaneStore.payloads(tx, Some.sourceId(), Set.of(event.id())));
        assertThat(others).as("asked for as another source's").isEmpty();
    }
}
