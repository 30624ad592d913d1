package dev.sluice.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.platform.db.DbRefusals;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/// What a group commit does on its own. `JournalTest` and `ResultJournalTest` show it with a
/// database, `SimulationTest` with everything that can happen to one.
class GroupCommitTest {

    private static final UUID ID = new UUID(0, 0);

    private final Queue<String> items = new ConcurrentLinkedQueue<>();
    private final Store store = new Store();
    private final Strings type = new Strings();
    private final List<Duration> pauses = new ArrayList<>();

    private GroupCommit<String> commit(GroupCommit.BatchQueue<String> queue) {
        var timer =
                new GroupCommit.CommitTimer() {
                    @Override
                    public long nanoTime() {
                        return 0;
                    }

                    @Override
                    public void sleep(Duration time) {
                        pauses.add(time);
                    }
                };
        return new GroupCommit<>("test", queue, store, type, () -> 7, timer);
    }

    /// Writes this batch, and returns once all of it is settled.
    private void write(String... batch) throws InterruptedException {
        items.addAll(List.of(batch));
        var commit =
                commit(
                        new GroupCommit.BatchQueue<>() {
                            @Override
                            public List<String> take(Duration time) {
                                var taken = List.copyOf(items);
                                items.clear();
                                return taken;
                            }

                            @Override
                            public void close() {}
                        });
        commit.end();
        commit.run();
    }

    private static final class Store implements GroupCommit.BatchStore<String> {

        final List<List<String>> written = new ArrayList<>();
        final Set<String> refused = new HashSet<>();
        int failures;
        String state = "53100";
        boolean isReplyLost;
        boolean isClosed;

        @Override
        public List<String> write(List<String> batch, long epoch) {
            if (failures-- > 0 || batch.stream().anyMatch(refused::contains)) {
                throw DbRefusals.of(state);
            }
            written.add(List.copyOf(batch));
            if (isReplyLost) {
                isReplyLost = false;
                throw DbRefusals.of("08006");
            }
            return batch;
        }

        @Override
        public List<String> stored(List<String> batch) {
            return batch.stream()
                    .filter(item -> written.stream().anyMatch(one -> one.contains(item)))
                    .toList();
        }

        @Override
        public void makeDays(List<UUID> ids) {}

        @Override
        public boolean isAnswering() {
            return true;
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    private static final class Strings implements GroupCommit.BatchType<String> {

        final List<String> told = new ArrayList<>();
        final List<String> givenUp = new ArrayList<>();

        @Override
        public boolean isRepeatable() {
            return false;
        }

        @Override
        public int maxResting() {
            return 0;
        }

        @Override
        public UUID id(String item) {
            return ID;
        }

        @Override
        public boolean isRefused(String item) {
            return false;
        }

        @Override
        public void refuse(List<String> all) {}

        @Override
        public void drop(String item) {
            givenUp.add(item);
        }

        @Override
        public void written(List<String> all, List<String> effective, long epoch) {
            told.addAll(all);
        }

        @Override
        public void givenUp(List<String> all) {
            givenUp.addAll(all);
        }

        @Override
        public String atRest(String item) {
            return item;
        }

        @Override
        public void logFailure(List<String> all, boolean isLookUp, Throwable cause) {}

        @Override
        public void logRefusal(List<String> all, boolean isDay, Throwable cause) {}

        @Override
        public void logCrash(List<String> all, Throwable cause) {}
    }

    /// A queue whose first take gives up just before an item is added and the commit is closed.
    private final class EmptyOnceQueue implements GroupCommit.BatchQueue<String> {

        final CompletableFuture<GroupCommit<String>> commit = new CompletableFuture<>();
        final CompletableFuture<Void> closed = new CompletableFuture<>();
        private boolean isTaken;

        @Override
        public List<String> take(Duration time) {
            if (isTaken) {
                var next = items.poll();
                return next == null ? List.of() : List.of(next);
            }
            isTaken = true;
            items.add("late");
            Thread.startVirtualThread(() -> {
                commit.join().close();
                closed.complete(null);
            });
            await().until(commit.join()::isClosing);
            return List.of();
        }

        @Override
        public void close() {}
    }

    @Test
    void item_is_written_when_it_is_added_between_the_last_take_and_the_close() {
        var queue = new EmptyOnceQueue();
        var commit = commit(queue);
        queue.commit.complete(commit);
        commit.start();

        queue.closed.join();

        assertThat(store.written).containsExactly(List.of("late"));
        assertThat(store.isClosed).isTrue();
    }

    @Test
    void pauses_double_up_to_a_second_while_the_database_is_busy() throws InterruptedException {
        store.failures = 8;

        write("a", "b");

        assertThat(store.written).containsExactly(List.of("a", "b"));
        assertThat(type.told).containsExactly("a", "b");
        assertThat(pauses)
                .extracting(Duration::toMillis)
                .containsExactly(20L, 40L, 80L, 160L, 320L, 640L, 1_000L, 1_000L);
    }

    @Test
    void only_the_item_at_fault_is_given_up_and_all_others_are_written_in_order()
            throws InterruptedException {
        store.state = "22021";
        store.refused.add("c");

        write("a", "b", "c", "d", "e");

        assertThat(store.written).containsExactly(List.of("a", "b"), List.of("d", "e"));
        assertThat(type.told).containsExactly("a", "b", "d", "e");
        assertThat(type.givenUp).containsExactly("c");
    }

    @Test
    void batch_is_told_once_when_its_commit_succeeds_but_the_reply_is_lost()
            throws InterruptedException {
        store.isReplyLost = true;

        write("a", "b");

        assertThat(store.written).containsExactly(List.of("a", "b"));
        assertThat(type.told).containsExactly("a", "b");
    }

    @Test
    void batch_is_written_again_when_the_connection_breaks_before_its_commit()
            throws InterruptedException {
        store.failures = 1;
        store.state = "08006";

        write("a", "b");

        assertThat(store.written).containsExactly(List.of("a", "b"));
        assertThat(type.told).containsExactly("a", "b");
    }
}
