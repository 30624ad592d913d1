package dev.sluice.engine.send;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.account.workspace.WorkspaceId;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

class FairLookupQueueTest {

    private static final int THREADS = 8;
    private static final int MAX_UNFINISHED = 16;

    private static final WorkspaceId ATTACKER = new WorkspaceId(new UUID(0, 1));
    private static final WorkspaceId NEIGHBOUR = new WorkspaceId(new UUID(0, 2));

    /// Lookups that hold a thread, in the order they started.
    private final ArrayDeque<Runnable> started = new ArrayDeque<>();

    private final FairLookupQueue queue =
            new FairLookupQueue(started::add, THREADS, 2, MAX_UNFINISHED);
    private final List<String> answered = new ArrayList<>();

    private void enqueue(WorkspaceId workspace, String name) {
        queue.execute(workspace, name, new FutureTask<>(() -> answered.add(name)));
    }

    private void enqueue(String name) {
        enqueue(NEIGHBOUR, name);
    }

    @Test
    void names_of_one_domain_take_their_share_and_no_more() {
        enqueue("a.slow.example");
        enqueue("b.slow.example");
        enqueue("c.slow.example");
        enqueue("d.slow.example");
        enqueue("other.test");
        assertThat(started).hasSize(3);

        while (!started.isEmpty()) {
            started.remove().run();
        }
        assertThat(answered)
                .containsExactly(
                        "a.slow.example",
                        "b.slow.example",
                        "other.test",
                        "c.slow.example",
                        "d.slow.example");
    }

    @Test
    void a_workspace_with_a_domain_for_each_name_leaves_threads_to_others() {
        for (int i = 0; i < 8; i++) {
            enqueue(ATTACKER, i + "-slow.example" + i);
        }
        assertThat(started).hasSizeBetween(1, THREADS / 2);

        int before = started.size();
        enqueue(NEIGHBOUR, "hooks.neighbour.test");
        assertThat(started).hasSize(before + 1);
        started.removeLast().run();
        assertThat(answered).containsExactly("hooks.neighbour.test");
    }

    @Test
    void a_domain_that_one_workspace_has_filled_is_open_to_others() {
        for (int i = 0; i < MAX_UNFINISHED / 4; i++) {
            enqueue(ATTACKER, i + ".slow.example");
        }

        int before = started.size();
        enqueue(NEIGHBOUR, "hooks.slow.example");
        assertThat(started).hasSize(before + 1);
    }

    @Test
    void a_lookup_that_gets_no_thread_is_cancelled_and_takes_nothing() {
        var noThreads = new AtomicBoolean(true);
        var starved =
                new FairLookupQueue(
                        lookup -> {
                            if (noThreads.get()) {
                                throw new OutOfMemoryError("unable to create native thread");
                            }
                            started.add(lookup);
                        },
                        THREADS,
                        2,
                        MAX_UNFINISHED);
        for (int i = 0; i < 2 * MAX_UNFINISHED; i++) {
            var lookup = new FutureTask<>(() -> true);
            starved.execute(NEIGHBOUR, "a.example" + i, lookup);
            assertThat(lookup.isCancelled()).isTrue();
        }

        noThreads.set(false);
        starved.execute(NEIGHBOUR, "b.example", new FutureTask<>(() -> true));
        assertThat(started).hasSize(1);
    }

    @Test
    void a_workspace_cannot_fill_the_room_for_waiting_lookups() {
        int accepted = 0;
        try {
            for (; accepted < MAX_UNFINISHED; accepted++) {
                enqueue(ATTACKER, "slow.example" + accepted);
            }
        } catch (RejectedExecutionException e) {
            assertThat(e).hasMessage("too many lookups at once");
        }
        assertThat(accepted).isEqualTo(MAX_UNFINISHED / 2);

        enqueue(NEIGHBOUR, "hooks.neighbour.test");
    }

    @Test
    void workspaces_take_turns() {
        for (int i = 0; i < 6; i++) {
            enqueue(ATTACKER, i + ".attacker" + i + ".example");
        }
        enqueue(NEIGHBOUR, "a.one.test");
        enqueue(NEIGHBOUR, "b.two.test");

        while (!started.isEmpty()) {
            started.remove().run();
        }
        assertThat(answered).hasSize(8);
        assertThat(answered.indexOf("b.two.test"))
                .isLessThan(answered.indexOf("4.attacker4.example"));
    }

    @Test
    void what_is_refused_leaves_nothing_behind() {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < MAX_UNFINISHED / 2; i++) {
                enqueue(ATTACKER, "slow.example" + i);
            }
            assertThatThrownBy(() -> enqueue(ATTACKER, "one.more.test"))
                    .isInstanceOf(RejectedExecutionException.class);
            while (!started.isEmpty()) {
                started.remove().run();
            }
        }
        assertThat(answered).hasSize(3 * MAX_UNFINISHED / 2);
    }

    @Test
    void names_of_one_domain_take_a_quarter_of_the_room_and_no_more() {
        for (int i = 0; i < MAX_UNFINISHED / 4; i++) {
            enqueue(i + ".slow.example");
        }
        assertThatThrownBy(() -> enqueue("4.slow.example"))
                .isInstanceOf(RejectedExecutionException.class);
        enqueue("other.test");

        started.remove().run();
        enqueue("5.slow.example");
        while (!started.isEmpty()) {
            started.remove().run();
        }
        assertThat(answered).hasSize(6).contains("other.test", "5.slow.example");
    }

    @ParameterizedTest
    @CsvSource({"a.b.example.com, example.com", "example.com, example.com", "localhost, localhost"})
    void a_domain_is_the_last_two_labels(String name, String domain) {
        assertThat(FairLookupQueue.domainOf(name)).isEqualTo(domain);
    }
}
