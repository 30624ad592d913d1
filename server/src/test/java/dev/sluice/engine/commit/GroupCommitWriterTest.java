package dev.sluice.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.testkit.TestPostgres;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

class GroupCommitWriterTest {

    private final Queue<String> items = new ConcurrentLinkedQueue<>();
    private final List<String> written = new ArrayList<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final GroupCommitWriter<String> writer =
            new GroupCommitWriter<>(
                    "writer",
                    new EmptyOnceQueue(),
                    new DedicatedConnection(TestPostgres.newDatabase(), "test"),
                    written::add);

    /// A queue whose first poll gives up just before an item is added and the writer is closed.
    private final class EmptyOnceQueue implements GroupCommitWriter.ItemQueue<String> {

        private boolean isPolled;

        @Override
        public @Nullable String poll(long time, TimeUnit unit) {
            if (isPolled) {
                return items.poll();
            }
            isPolled = true;
            items.add("late");
            Thread.startVirtualThread(() -> {
                writer.close();
                closed.complete(null);
            });
            await().until(writer::isClosing);
            return null;
        }

        @Override
        public void close() {}
    }

    @Test
    void an_item_that_is_added_between_the_last_poll_and_the_close_is_written() {
        writer.start();

        closed.join();

        assertThat(written).containsExactly("late");
    }
}
