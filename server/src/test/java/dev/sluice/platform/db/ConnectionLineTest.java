package dev.sluice.platform.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

class ConnectionLineTest {

    private static final Duration LONG = Duration.ofMinutes(5);

    private final ConnectionLine line = new ConnectionLine(4);
    private final List<String> served = Collections.synchronizedList(new ArrayList<>());
    private final List<Thread> threads = new ArrayList<>();

    private void take(String owner) {
        line.enter(owner, Duration.ZERO);
    }

    /// Starts a thread that waits for a connection, and returns once it waits. When it has got the
    /// connection, it keeps it.
    private void joinLine(String owner) {
        int before = line.waiting();
        threads.add(
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                line.enter(owner, LONG);
                                served.add(owner);
                            } catch (DbException e) {
                                served.add("refused " + owner);
                            }
                        }));
        await().until(() -> line.waiting() == before + 1);
    }

    private void leaveAndAwait(String owner, int servedCount) {
        line.leave(owner);
        await().until(() -> served.size() == servedCount);
    }

    private void assertRefused(String owner) {
        assertThatThrownBy(() -> take(owner))
                .isInstanceOfSatisfying(
                        DbException.class, refusal -> assertThat(refusal.isBusy()).isTrue());
    }

    @Test
    void an_owner_holds_half_of_the_connections_even_when_it_is_alone() {
        take("a");
        take("a");

        assertRefused("a");
        assertThatCode(() -> take("b")).doesNotThrowAnyException();
        assertThat(line.held()).isEqualTo(Map.of("a", 2, "b", 1));

        line.leave("a");
        assertThatCode(() -> take("a")).doesNotThrowAnyException();
    }

    @Test
    void an_owner_that_holds_none_goes_before_all_that_waited_longer() {
        take("a");
        take("a");
        take("b");
        take("c");
        for (int i = 0; i < 20; i++) {
            joinLine("a");
            joinLine("b");
        }
        joinLine("late");

        leaveAndAwait("c", 1);
        assertThat(served).containsExactly("late");
        leaveAndAwait("a", 2);
        assertThat(served).as("both hold one; a was served less recently").endsWith("a");
        leaveAndAwait("a", 3);
        assertThat(served).endsWith("b");
    }

    @Test
    void owners_with_as_many_take_turns() {
        for (String owner : List.of("a", "b", "c", "d")) {
            take(owner);
        }
        for (int i = 0; i < 2; i++) {
            for (String owner : List.of("e", "f", "g")) {
                joinLine(owner);
            }
        }

        leaveAndAwait("a", 1);
        leaveAndAwait("b", 2);
        leaveAndAwait("c", 3);
        leaveAndAwait("e", 4);
        leaveAndAwait("f", 5);
        leaveAndAwait("g", 6);

        assertThat(served).containsExactly("e", "f", "g", "e", "f", "g");
    }

    @Test
    void an_owner_that_waits_for_its_own_share_does_not_hold_up_others() {
        take("a");
        take("a");
        joinLine("a");

        assertThatCode(() -> take("b")).doesNotThrowAnyException();
        assertThatCode(() -> take("c")).doesNotThrowAnyException();
        assertThat(served).isEmpty();
    }

    @Test
    void a_hundred_of_an_owner_may_wait_and_the_next_is_refused_at_once() {
        take("a");
        take("a");
        for (int i = 0; i < ConnectionLine.MAX_WAITING_OF_OWNER; i++) {
            joinLine("a");
        }

        assertThatThrownBy(() -> line.enter("a", LONG)).isInstanceOf(DbException.class);
        assertThatThrownBy(() -> line.requireRoom("a")).isInstanceOf(DbException.class);
        assertThatCode(() -> take("b")).doesNotThrowAnyException();
        assertThat(line.refused()).isEqualTo(2);
    }

    @Test
    void who_gives_up_leaves_its_place() throws InterruptedException {
        take("a");
        take("a");
        joinLine("a");
        threads.getLast().interrupt();
        assertThat(threads.getLast().join(Duration.ofMinutes(1))).isTrue();
        assertRefused("a");

        assertThat(served).containsExactly("refused a");
        assertThat(line.waiting()).isZero();
        line.leave("a");
        line.leave("a");
        assertThat(line.held()).isEmpty();
    }

    @Test
    void without_connections_everybody_is_refused_until_there_are_some_again() {
        line.resize(0);
        assertRefused("a");
        assertThatThrownBy(() -> line.requireRoom("b")).isInstanceOf(DbException.class);

        line.resize(4);
        assertThatCode(() -> take("a")).doesNotThrowAnyException();
    }
}
