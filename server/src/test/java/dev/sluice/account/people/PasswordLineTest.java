package dev.sluice.account.people;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.account.people.PasswordLine.Place;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

class PasswordLineTest {

    private static final Duration LONG = Duration.ofMinutes(5);

    private final PasswordLine line = new PasswordLine();

    private static Place place(String network) {
        return new Place(network, false, 0);
    }

    private boolean enter(Place place, Duration patience) {
        try {
            return line.enter(place, patience);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Lets a client wait on a thread of its own, and returns once it waits.
    private CompletableFuture<Boolean> waitInLine(Place place) {
        int before = line.waiting();
        var entered =
                CompletableFuture.supplyAsync(() -> enter(place, LONG), Thread::startVirtualThread);
        await().pollInterval(Duration.ofMillis(1)).until(() -> line.waiting() == before + 1);
        return entered;
    }

    private void fill() {
        assertThat(enter(place("first"), LONG)).isTrue();
        assertThat(enter(place("second"), LONG)).isTrue();
    }

    @Test
    void two_enter_and_the_one_that_came_last_is_next() {
        fill();
        var third = waitInLine(place("third"));
        var fourth = waitInLine(place("fourth"));

        line.leave();
        assertThat(fourth.join()).isTrue();
        assertThat(third).isNotDone();
        line.leave();
        assertThat(third.join()).isTrue();
    }

    @Test
    void a_known_network_goes_first_then_the_one_that_came_least_often() {
        fill();
        var order = Collections.synchronizedList(new ArrayList<String>());
        var clients =
                List.of(
                        new Place("came often", false, 9),
                        new Place("came once", false, 1),
                        new Place("known", true, 12));
        var entered = new ArrayList<CompletableFuture<Void>>();
        for (var client : clients) {
            entered.add(waitInLine(client).thenAccept(_ -> order.add(client.network())));
        }

        for (int i = 1; i <= 3; i++) {
            int served = i;
            line.leave();
            await().pollInterval(Duration.ofMillis(1)).until(() -> order.size() == served);
        }

        assertThat(order).containsExactly("known", "came once", "came often");
        assertThat(entered).allMatch(CompletableFuture::isDone);
    }

    @Test
    void a_network_may_have_four_in_the_line() {
        fill();
        for (int i = 0; i < PasswordLine.MAX_WAITING_PER_NETWORK; i++) {
            var _ = waitInLine(place("greedy"));
        }

        assertThat(enter(place("greedy"), LONG)).isFalse();
        var _ = waitInLine(place("other"));
    }

    @Test
    void a_full_line_refuses_whom_it_would_serve_last_and_gives_others_their_place() {
        fill();
        var oldest = waitInLine(place("network 0"));
        for (int i = 1; i < PasswordLine.MAX_WAITING; i++) {
            var _ = waitInLine(place("network " + i));
        }

        assertThat(enter(new Place("came before", false, 1), LONG)).isFalse();
        var fresh =
                CompletableFuture.supplyAsync(
                        () -> enter(place("fresh"), LONG), Thread::startVirtualThread);
        assertThat(oldest.join()).as("displaced").isFalse();
        assertThat(line.waiting()).isEqualTo(PasswordLine.MAX_WAITING);
        line.leave();
        assertThat(fresh.join()).isTrue();
    }

    @Test
    void who_waits_too_long_leaves_the_line() {
        fill();

        assertThat(enter(place("impatient"), Duration.ofMillis(1))).isFalse();

        assertThat(line.waiting()).isZero();
        line.leave();
        assertThat(enter(place("next"), Duration.ZERO)).isTrue();
    }

    @Test
    void never_more_than_two_are_inside_whoever_gives_up() throws InterruptedException {
        var inside = new AtomicInteger();
        var most = new AtomicInteger();
        var served = new AtomicInteger();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 400; i++) {
                int number = i;
                var _ =
                        threads.submit(() -> {
                            var patience = Duration.ofMillis(number % 7 == 0 ? 0 : 20_000);
                            if (line.enter(
                                    new Place(
                                            "network " + number % 97, number % 5 == 0, number % 3),
                                    patience)) {
                                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                                Thread.onSpinWait();
                                inside.decrementAndGet();
                                served.incrementAndGet();
                                line.leave();
                            }
                            return null;
                        });
            }
        }

        assertThat(most.get()).isBetween(1, PasswordLine.MAX_CONCURRENT);
        assertThat(served.get()).isPositive();
        assertThat(line.waiting()).isZero();
        fill();
        assertThat(enter(place("full"), Duration.ZERO)).isFalse();
    }
}
