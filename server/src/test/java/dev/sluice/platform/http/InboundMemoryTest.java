package dev.sluice.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class InboundMemoryTest {

    private static final int CAPACITY = 8_000;
    private static final int LIMIT = 7_000;
    private static final int RESERVE = CAPACITY - LIMIT;
    private static final Duration MIN_SHED_AGE = Duration.ofSeconds(30);

    private long now;
    private final InboundMemory memory = new InboundMemory(CAPACITY, MIN_SHED_AGE, () -> now);
    private final Map<BodyInMemory, String> shed = new HashMap<>();

    /// A request of the test: a name such as `A1` is the first source of the workspace `A`.
    private final class BodyInMemory {

        private final String source;
        private final InboundMemory.Reservation reservation;
        private int bytes;

        BodyInMemory(String source) {
            this.source = source;
            reservation = memory.open(workspace(source), source, () -> shed.put(this, source));
        }

        boolean tryGrow(int more) {
            boolean isGranted = reservation.tryGrow(more);
            bytes += isGranted ? more : 0;
            return isGranted;
        }

        void release() {
            reservation.release();
            bytes = 0;
        }
    }

    private static String workspace(String source) {
        return source.substring(0, 1);
    }

    private BodyInMemory body(String source, int bytes) {
        var body = new BodyInMemory(source);
        assertThat(body.tryGrow(bytes)).as(source).isTrue();
        return body;
    }

    @Test
    void a_source_alone_may_have_all_of_the_limit() {
        var body = body("A1", LIMIT);

        assertThat(body.tryGrow(1)).isFalse();
        assertThat(new BodyInMemory("A1").tryGrow(1)).isFalse();
        body.release();
        assertThat(memory.freeBytes()).isEqualTo(CAPACITY);
        body("A1", LIMIT);
    }

    @Test
    void another_source_takes_from_the_source_with_most_and_there_the_oldest() {
        body("A1", 3_000);
        var oldest = body("A2", 2_000);
        body("A2", 2_000);

        body("A3", 500);

        assertThat(shed).isEqualTo(Map.of(oldest, "A2"));
        assertThat(oldest.tryGrow(1)).as("a shed one gets no more").isFalse();
    }

    @Test
    void another_workspace_takes_from_the_workspace_with_most_and_there_from_its_largest_source() {
        body("B1", 3_000);
        body("A1", 1_500);
        body("A2", 2_000);

        body("C1", 600);

        assertThat(shed).containsValue("A2").hasSize(1);
    }

    @Test
    void nobody_takes_from_one_that_holds_less() {
        body("B1", 2_000);
        var large = body("A1", 5_000);

        assertThat(large.tryGrow(1)).isFalse();
        assertThat(new BodyInMemory("A2").tryGrow(5_000)).isFalse();
        assertThat(shed).isEmpty();
    }

    @Test
    void within_its_source_a_body_gives_way_only_when_it_is_slow() {
        var slow = body("A1", LIMIT);
        now += MIN_SHED_AGE.toNanos() - 1;
        assertThat(new BodyInMemory("A1").tryGrow(100)).isFalse();

        now++;
        body("A1", 100);

        assertThat(shed).isEqualTo(Map.of(slow, "A1"));
    }

    @Test
    void what_has_arrived_is_kept_until_it_is_answered() {
        var arrived = body("A1", LIMIT);
        arrived.reservation.keep();

        assertThat(new BodyInMemory("B1").tryGrow(1)).isFalse();
        arrived.release();
        body("B1", LIMIT);
    }

    @Test
    void until_shed_memory_is_given_back_newcomers_have_an_eighth() {
        var large = body("A1", LIMIT);

        body("B1", 1_000);
        assertThat(new BodyInMemory("B1").tryGrow(1)).isFalse();
        large.release();
        body("B1", 6_000);
    }

    /// Many greedy senders try to keep a newcomer out. None of them ends a body by itself.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10, 100})
    void a_newcomer_has_its_part_whatever_greedy_ones_hold(int greedy) {
        for (int round = 0; round < 50; round++) {
            IntStream.range(0, greedy).forEach(one -> fill("G" + one));
            IntStream.range(0, greedy).forEach(one -> fill((char) ('a' + one) + "1"));
        }

        var newcomer = new BodyInMemory("N1");
        while (newcomer.bytes < LIMIT / (greedy + 2)) {
            assertThat(newcomer.tryGrow(1)).isTrue();
            giveBackShed();
        }
    }

    /// Takes as much as there is, in bodies of halving size.
    private void fill(String source) {
        for (int bytes = RESERVE; bytes > 0; bytes /= 2) {
            while (new BodyInMemory(source).tryGrow(bytes)) {
                giveBackShed();
            }
            giveBackShed();
        }
    }

    private void giveBackShed() {
        shed.keySet().forEach(BodyInMemory::release);
        shed.clear();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void whoever_is_refused_would_have_more_than_its_part_in_any_schedule(int seed) {
        var random = new Random(seed);
        var bodies = new ArrayList<BodyInMemory>();
        int refused = 0;
        for (int step = 0; step < 20_000; step++) {
            now += random.nextLong(2 * MIN_SHED_AGE.toNanos());
            bodies.removeIf(shed::containsKey);
            giveBackShed();
            if (random.nextInt(10) == 0 && !bodies.isEmpty()) {
                bodies.remove(random.nextInt(bodies.size())).release();
            }
            boolean isNew = bodies.isEmpty() || random.nextBoolean();
            var body =
                    isNew
                            ? new BodyInMemory(randomSource(random))
                            : bodies.get(random.nextInt(bodies.size()));
            int more = 1 + random.nextInt(1 << random.nextInt(10));
            if (body.tryGrow(more)) {
                if (isNew) {
                    bodies.add(body);
                }
            } else {
                refused++;
                var others = new ArrayList<>(bodies);
                others.remove(body);
                others.removeIf(shed::containsKey);
                assertHasMoreThanItsPart(body, more, others);
                bodies.remove(body);
                body.release();
            }
            assertThat(memory.freeBytes()).isEqualTo(CAPACITY - sum(bodies));
        }
        assertThat(refused).isGreaterThan(100);
        bodies.forEach(BodyInMemory::release);
        assertThat(memory.freeBytes()).isEqualTo(CAPACITY);
    }

    private static String randomSource(Random random) {
        int workspace = Math.min(random.nextInt(6), random.nextInt(6));
        return (char) ('A' + workspace) + Integer.toString(random.nextInt(4));
    }

    private static void assertHasMoreThanItsPart(
            BodyInMemory body, int more, List<BodyInMemory> others) {
        var workspace =
                others.stream()
                        .filter(one -> workspace(one.source).equals(workspace(body.source)))
                        .toList();
        var source = workspace.stream().filter(one -> one.source.equals(body.source)).toList();
        int asked = body.bytes + more;
        int otherWorkspaces =
                countDistinct(others, one -> workspace(one.source), workspace(body.source));
        int otherSources = countDistinct(workspace, one -> one.source, body.source);
        assertThat((sum(workspace) + asked) * (otherWorkspaces + 1L))
                .as("of the workspace")
                .isGreaterThan(LIMIT);
        assertThat((sum(source) + asked) * (otherWorkspaces + 1L) * (otherSources + 1L))
                .as("of the source")
                .isGreaterThan(LIMIT);
    }

    private static int countDistinct(
            List<BodyInMemory> bodies, Function<BodyInMemory, String> name, String except) {
        var names = new HashSet<>(bodies.stream().map(name).collect(Collectors.toSet()));
        names.remove(except);
        return names.size();
    }

    private static int sum(List<BodyInMemory> bodies) {
        return bodies.stream().mapToInt(body -> body.bytes).sum();
    }

    @Test
    void many_threads_leave_nothing_behind() throws InterruptedException {
        var shedCount = new AtomicInteger();
        var done = new CountDownLatch(8);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int thread = 0; thread < 8; thread++) {
                String source = "ABCDEFGH".charAt(thread) + "1";
                threads.execute(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        var one =
                                memory.open(workspace(source), source, shedCount::incrementAndGet);
                        if (one.tryGrow(3_000) && i % 2 == 0) {
                            one.keep();
                        }
                        one.release();
                    }
                    done.countDown();
                });
            }
            done.await();
        }
        assertThat(memory.freeBytes()).isEqualTo(CAPACITY);
        body("A1", LIMIT);
    }
}
