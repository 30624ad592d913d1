package dev.sluice.platform.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

class DecisionLineTest {

    private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(60);

    private final DecisionLine<String> line = new DecisionLine<>(1);
    private final List<String> served = Collections.synchronizedList(new ArrayList<>());
    private final List<Thread> threads = new ArrayList<>();

    /// Starts a thread that takes its turn, and returns once it waits in line.
    private void joinLine(String group, String name) {
        joinLine(group, name, 0);
    }

    private void joinLine(String group, String name, long used) {
        int before = line.waiting();
        threads.add(
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                line.enter(group);
                                served.add(name);
                                line.leave(group, used);
                            } catch (InterruptedException e) {
                                served.add("interrupted " + name);
                            }
                        }));
        await().until(() -> line.waiting() == before + 1);
    }

    private void joinAll() throws InterruptedException {
        for (var thread : threads) {
            assertThat(thread.join(AWAIT_TIMEOUT)).isTrue();
        }
    }

    @Test
    void a_group_that_comes_last_waits_for_one_of_each_other_group_however_many_those_have()
            throws InterruptedException {
        line.enter("busy");
        for (int i = 0; i < 50; i++) {
            joinLine("bomb", "bomb");
        }
        for (int i = 0; i < 3; i++) {
            joinLine("other", "other");
        }
        joinLine("late", "late");

        line.leave("busy", 0);
        joinAll();

        assertThat(served.subList(0, 7))
                .containsExactly("bomb", "other", "late", "bomb", "other", "bomb", "other");
        assertThat(served).hasSize(54);
    }

    @Test
    void in_any_order_of_arrival_nobody_waits_for_two_of_another_group()
            throws InterruptedException {
        var random = new Random(5);
        line.enter("busy");
        for (int i = 0; i < 60; i++) {
            String group = "g" + (random.nextInt(3) == 0 ? random.nextInt(5) : 0);
            joinLine(group, group);
        }
        var before = List.copyOf(served);

        line.leave("busy", 0);
        joinAll();

        assertThat(before).isEmpty();
        for (int group = 1; group < 5; group++) {
            String name = "g" + group;
            int last = served.lastIndexOf(name);
            long mine = served.stream().filter(name::equals).count();
            for (int other = 0; other < 5; other++) {
                String rival = "g" + other;
                long overtook = served.subList(0, last).stream().filter(rival::equals).count();
                assertThat(overtook).as("%s before the last %s", rival, name).isBetween(0L, mine);
            }
        }
    }

    @Test
    void a_group_of_long_decisions_gets_no_more_time_than_one_of_short_ones()
            throws InterruptedException {
        line.enter("busy");
        for (int i = 0; i < 6; i++) {
            joinLine("bomb", "bomb", 1_000);
        }
        for (int i = 0; i < 60; i++) {
            joinLine("short", "short", 50);
        }

        line.leave("busy", 0);
        joinAll();

        for (int bombs = 1; bombs <= 3; bombs++) {
            assertThat(served.subList(0, indexOfBomb(bombs)))
                    .filteredOn("short"::equals)
                    .as("before bomb %s", bombs)
                    .hasSizeBetween(20 * (bombs - 1), 20 * (bombs - 1) + 1);
        }
    }

    @Test
    void what_was_used_while_nobody_waited_is_no_debt() throws InterruptedException {
        line.enter("old");
        line.leave("old", 1_000_000);
        line.enter("busy");
        joinLine("new", "new", 10);
        joinLine("old", "old", 10);
        joinLine("new", "new", 10);

        line.leave("busy", 0);
        joinAll();

        assertThat(served).containsExactly("new", "old", "new");
    }

    private int indexOfBomb(int number) {
        int found = -1;
        for (int i = 0; i < number; i++) {
            found += 1 + served.subList(found + 1, served.size()).indexOf("bomb");
        }
        return found;
    }

    /// Otherwise a workspace whose decisions come one by one would be new each time.
    @Test
    void a_group_that_was_away_for_a_moment_has_still_used_what_it_used()
            throws InterruptedException {
        var isIn = new CountDownLatch(1);
        var mayLeave = new CountDownLatch(1);
        line.enter("bomb");
        threads.add(
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                line.enter("short");
                                isIn.countDown();
                                mayLeave.await();
                                line.leave("short", 50);
                            } catch (InterruptedException e) {
                                served.add("interrupted");
                            }
                        }));
        await().until(() -> line.waiting() == 1);
        line.leave("bomb", 1_000);
        isIn.await();

        joinLine("bomb", "bomb", 1_000);
        for (int i = 0; i < 3; i++) {
            joinLine("short", "short", 50);
        }
        mayLeave.countDown();
        joinAll();

        assertThat(served).containsExactly("short", "short", "short", "bomb");
    }

    @Test
    void as_many_work_at_once_as_there_are_slots() throws InterruptedException {
        var two = new DecisionLine<String>(2);

        two.enter("a");
        two.enter("a");
        two.leave("a", 0);
        two.enter("b");
        two.leave("a", 0);
        two.leave("b", 0);

        assertThat(two.waiting()).isZero();
    }

    @Test
    void a_thread_that_is_interrupted_leaves_the_line() throws InterruptedException {
        line.enter("busy");
        joinLine("a", "first");
        joinLine("a", "second");

        threads.getFirst().interrupt();
        assertThat(threads.getFirst().join(AWAIT_TIMEOUT)).isTrue();
        line.leave("busy", 0);
        joinAll();

        assertThat(served).containsExactly("interrupted first", "second");
    }
}
