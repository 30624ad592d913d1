package dev.sluice.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.Payload;
import dev.sluice.gateway.source.Source;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

class JournalQueueTest {

    private static final long CAPACITY_BYTES = 1 << 20;
    private static final int SEEDS = 200;
    private static final Duration LONG = Duration.ofMinutes(1);

    private final JournalQueue queue = new JournalQueue(CAPACITY_BYTES);

    private static Source source(WorkspaceId workspace) {
        var spec = Some.sourceSpec(Source.SourceStatus.ACTIVE);
        return new Source(new SourceId(Some.id()), workspace, "token", spec, Some.NOON, Some.NOON);
    }

    private static Source source() {
        return source(new WorkspaceId(Some.id()));
    }

    private static AcceptedEvent event(Source source) {
        return event(source, 1_000);
    }

    private static AcceptedEvent event(Source source, int size) {
        return StoreFixture.event(
                source, Payload.of(List.of(), new byte[size]), StoreFixture.receiptDueSoon());
    }

    /// Offers events until one is refused. Returns what those taken cost.
    private long fill(Source source) {
        long bytes = 0;
        for (var next = event(source); queue.offer(next); next = event(source)) {
            bytes += next.queueCostBytes();
        }
        return bytes;
    }

    @Test
    void a_single_source_gets_half_of_the_room() {
        assertThat(fill(source())).isBetween(CAPACITY_BYTES / 2 - 3_000, CAPACITY_BYTES / 2);
    }

    @Test
    void a_single_workspace_gets_two_thirds_however_many_sources_it_has() {
        var workspace = new WorkspaceId(Some.id());
        long bytes = 0;
        for (int i = 0; i < 300; i++) {
            bytes += fill(source(workspace));
        }
        assertThat(bytes).isBetween(CAPACITY_BYTES * 2 / 3 - 3_000, CAPACITY_BYTES * 2 / 3);
        assertThat(queue.bytes()).isEqualTo(bytes);
    }

    /// Each of twenty takes all it can get, first one after the other, then whenever an event is
    /// taken out.
    @Test
    void however_many_fill_it_their_shares_become_equal_and_leave_one_for_the_next() {
        var floods = Stream.generate(JournalQueueTest::source).limit(20).toList();
        floods.forEach(this::fill);
        for (int polled = 3 * queue.size(); polled > 0; polled--) {
            queue.pollLight();
            floods.forEach(this::fill);
        }

        long share = CAPACITY_BYTES / 21;
        assertThat(fill(source())).isBetween(share / 4, share);
    }

    @Test
    void a_wide_event_counts_with_its_rows_and_lists() {
        var routes = Some.route(Some.sourceId());
        var narrow = StoreFixture.event(false, routes);
        var wide = StoreFixture.event(false, routes, routes, routes, routes);

        assertThat(wide.queueCostBytes() - narrow.queueCostBytes()).isEqualTo(3 * 1024);
    }

    @Test
    void an_event_of_another_source_is_next_however_many_wait() throws InterruptedException {
        var workspace = new WorkspaceId(Some.id());
        var flood = source(workspace);
        fill(flood);
        var sibling = event(source(workspace));
        var stranger = event(source());
        assertThat(queue.offer(sibling)).isTrue();
        assertThat(queue.offer(stranger)).isTrue();

        var polled = new ArrayList<AcceptedEvent>();
        for (int i = 0; i < 4; i++) {
            polled.add(queue.pollLight());
        }
        assertThat(polled).contains(sibling, stranger);
        assertThat(polled).filteredOn(event -> event.source().equals(flood.id())).hasSize(2);
    }

    /// Checks the promise of the class comment on random traffic: what is taken before the first
    /// event of a source, from the moment that it is the first.
    @Test
    void nobody_waits_longer_than_the_turns_of_the_others() {
        for (int seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            var sources = new ArrayList<Source>();
            for (int i = 0; i < 4; i++) {
                var workspace = new WorkspaceId(Some.id());
                for (int j = random.nextInt(4); j >= 0; j--) {
                    sources.add(source(workspace));
                }
            }
            var traffic = new JournalQueue(CAPACITY_BYTES);
            Map<SourceId, Integer> waiting = new HashMap<>();
            Map<SourceId, Integer> polledBefore = new HashMap<>();
            for (int step = 0; step < 2_000; step++) {
                var source = sources.get((int) (sources.size() * Math.pow(random.nextDouble(), 3)));
                if (random.nextBoolean() && traffic.offer(event(source, random.nextInt(20_000)))) {
                    waiting.merge(source.id(), 1, Integer::sum);
                } else if (traffic.size() > 0) {
                    var taken = Objects.requireNonNull(traffic.pollLight());
                    waiting.keySet().forEach(each -> polledBefore.merge(each, 1, Integer::sum));
                    int before = Objects.requireNonNull(polledBefore.remove(taken.source()));
                    assertThat(before)
                            .as("seed %s: polled up to the turn of a source", seed)
                            .isLessThanOrEqualTo(turnsBefore(sources, taken.origin().workspace()));
                    waiting.computeIfPresent(
                            taken.source(), (_, count) -> count == 1 ? null : count - 1);
                }
            }
            while (traffic.size() > 0) {
                traffic.pollLight();
            }
            assertThat(traffic.bytes()).as("seed %s: all room is given back", seed).isZero();
        }
    }

    /// The turns of all workspaces, once for each source of this one.
    private static int turnsBefore(List<Source> sources, WorkspaceId workspace) {
        var workspaces = new HashSet<WorkspaceId>();
        sources.forEach(source -> workspaces.add(source.workspace()));
        int siblings =
                (int)
                        sources.stream()
                                .filter(source -> source.workspace().equals(workspace))
                                .count();
        return siblings * workspaces.size();
    }

    @Test
    void the_events_of_a_source_stay_in_their_order() {
        var source = source();
        var events = List.of(event(source), event(source), event(source));
        events.forEach(queue::offer);

        assertThat(List.of(queue.pollLight(), queue.pollLight(), queue.pollLight()))
                .isEqualTo(events);
        assertThat(queue.pollLight()).isNull();
    }

    @Test
    void heavy_events_have_turns_of_their_own_and_come_last() throws InterruptedException {
        var flood = source();
        var heavy = List.of(event(flood, 100_000), event(flood, 100_000), event(source(), 100_000));
        var light = event(flood);
        heavy.forEach(queue::offer);
        queue.offer(light);

        assertThat(queue.poll(1, TimeUnit.SECONDS)).isSameAs(light);
        assertThat(queue.pollLight()).isNull();
        assertThat(queue.poll(1, TimeUnit.SECONDS)).isSameAs(heavy.get(0));
        assertThat(queue.pollHeavy()).isSameAs(heavy.get(2));
        assertThat(queue.pollHeavy()).isSameAs(heavy.get(1));
        assertThat(queue.pollHeavy()).isNull();
        assertThat(queue.bytes()).isZero();
    }

    @Test
    void a_heavy_event_that_rests_comes_in_the_end() throws InterruptedException {
        var heavy = event(source(), 100_000);
        queue.wroteLight();
        queue.wroteHeavy(System.nanoTime() - HeavyRest.MAX_REST.toNanos());
        queue.offer(heavy);

        assertThat(queue.poll(20, TimeUnit.SECONDS)).isSameAs(heavy);
    }

    @Test
    void overdue_events_are_refused_in_all_sources_and_stay() {
        var now = System.nanoTime();
        var events = new ArrayList<AcceptedEvent>();
        var one = source();
        for (var source : List.of(one, one, source(one.workspace()), source())) {
            events.add(
                    StoreFixture.event(
                            source, Some.payload("{}"), new Receipt(now + events.size())));
            queue.offer(events.getLast());
        }

        queue.refuseOverdue(now + 3);

        assertThat(events.subList(0, 3)).allMatch(event -> event.receipt().isRefused());
        assertThat(events.get(3).receipt().isRefused()).isFalse();
        assertThat(queue.size()).isEqualTo(4);
    }

    @Test
    void a_poll_waits_for_an_event_and_not_for_ever() throws InterruptedException {
        assertThat(queue.poll(1, TimeUnit.MILLISECONDS)).isNull();
        var event = event(source());
        var polling = new CountDownLatch(1);
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        polling.await();
                        queue.offer(event);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
        polling.countDown();

        assertThat(queue.poll(20, TimeUnit.SECONDS)).isSameAs(event);
    }

    @Test
    void a_wait_for_events_ends_when_they_are_there_or_the_time_has_passed_or_the_queue_closes()
            throws InterruptedException {
        queue.offer(event(source()));
        queue.awaitSize(1, LONG);
        queue.awaitSize(2, Duration.ofMillis(1));
        assertThat(queue.size()).as("the time has passed").isEqualTo(1);

        var waiting = awaitingSize(3);
        queue.offer(event(source()));
        await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        queue.offer(event(source()));
        assertThat(waiting.join(LONG)).as("three are queued").isTrue();

        var atClose = awaitingSize(4);
        queue.close();
        assertThat(atClose.join(LONG)).as("closed").isTrue();
    }

    @Test
    void a_short_wait_does_not_take_a_whole_millisecond() throws InterruptedException {
        long shortest = Long.MAX_VALUE;
        for (int i = 0; i < 50; i++) {
            long begun = System.nanoTime();
            queue.awaitSize(1, Duration.ofNanos(200_000));
            shortest = Math.min(shortest, System.nanoTime() - begun);
        }

        assertThat(shortest).isBetween(200_000L, 900_000L);
    }

    private Thread awaitingSize(int events) {
        var thread =
                Thread.ofPlatform()
                        .start(() -> {
                            try {
                                queue.awaitSize(events, LONG);
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        });
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        return thread;
    }
}
