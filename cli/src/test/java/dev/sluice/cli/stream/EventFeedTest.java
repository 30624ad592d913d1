package dev.sluice.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.cli.events.FilteredEvent;
import dev.sluice.cli.events.StoredEvent;
import dev.sluice.cli.server.ServerAddress;
import dev.sluice.cli.server.ServerClient;
import dev.sluice.cli.shell.JsonTree;
import dev.sluice.cli.testkit.RelayServer;
import dev.sluice.cli.testkit.Wire;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/// Tests that a stream which looks alive but is dead is noticed.
class EventFeedTest {

    private static final RelayServer SERVER = RelayServer.shared();
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /// Notes what a feed brings.
    private static class Notes implements FeedListener {

        final List<String> notes = new CopyOnWriteArrayList<>();

        @Override
        public void onReady() {
            notes.add("ready");
        }

        @Override
        public void onResumed(OptionalLong missed) {
            notes.add("resumed");
            missed.ifPresent(count -> notes.add("missed " + count));
        }

        @Override
        public void onSilence(Duration time) {
            notes.add("silence");
        }

        @Override
        public void onEvent(StoredEvent event) {
            notes.add(event.text());
        }

        @Override
        public void onFiltered(FilteredEvent filtered) {
            notes.add("filtered");
        }

        @Override
        public void onCursor(String cursor) {
            // The feed keeps it.
        }

        @Override
        public void onGap(String reason) {
            notes.add("gap");
        }

        @Override
        public void onBacklog() {
            notes.add("backlog");
        }

        @Override
        public void onReconnecting(int attempt, Duration delay, String reason) {
            notes.add(reason);
        }

        @Override
        public boolean isDone() {
            return notes.contains("last");
        }
    }

    @Test
    void a_connection_on_which_nothing_passes_is_replaced_and_nothing_is_lost() throws Exception {
        String key = SERVER.newWorkspaceKey();
        var notes = new Notes();
        try (var wire = new Wire(SERVER.port());
                var direct =
                        new ServerClient(
                                ServerAddress.parse(SERVER.url()), Optional.of(key), _ -> {});
                var client =
                        new ServerClient(
                                ServerAddress.parse(wire.url()), Optional.of(key), _ -> {})) {
            String path =
                    direct.send("POST", "sources", JsonTree.object().put("name", "Shop"))
                            .json()
                            .path("ingest_path")
                            .asString();
            var feed =
                    new EventFeed(
                            client,
                            InstantSource.system(),
                            StreamRequest.resuming("/api/v1/stream?detail=full"),
                            new StreamTimeouts(Duration.ofSeconds(3), LIMIT, LIMIT),
                            notes);
            var thread = Thread.ofPlatform().start(() -> run(feed));
            await(notes, "ready");

            wire.freeze();
            SERVER.ingest(path, "while frozen".getBytes(UTF_8));
            await(notes, "nothing came for 3 s");
            wire.mend(SERVER.port());
            await(notes, "while frozen");
            SERVER.ingest(path, "last".getBytes(UTF_8));

            thread.join(LIMIT);
            assertThat(thread.isAlive()).isFalse();
            assertThat(notes.notes)
                    .contains("resumed")
                    .containsOnlyOnce("while frozen", "last")
                    .doesNotContain("gap");
        }
    }

    /// A connection is dead at most as long as no data counts as loss, and noticed within the next
    /// look at it.
    @Test
    void the_command_notices_a_dead_connection_within_45_seconds() {
        var timeouts = StreamTimeouts.of(LIMIT, LIMIT);

        assertThat(timeouts.noData().plus(EventFeed.POLL_INTERVAL))
                .isLessThanOrEqualTo(Duration.ofSeconds(45));
        assertThat(StreamConnection.ANSWER_TIMEOUT).isLessThanOrEqualTo(Duration.ofSeconds(45));
        assertThat(timeouts.noData()).as("two heartbeats").isGreaterThan(Duration.ofSeconds(30));
    }

    @Test
    void a_dead_connection_is_noticed_while_the_local_service_is_slow() throws Exception {
        String key = SERVER.newWorkspaceKey();
        var isAnswered = new CountDownLatch(1);
        var notes =
                new Notes() {
                    @Override
                    public void onEvent(StoredEvent event) {
                        super.onEvent(event);
                        if (event.text().equals("slow")) {
                            awaitLatch(isAnswered);
                        }
                    }
                };
        try (var wire = new Wire(SERVER.port());
                var direct =
                        new ServerClient(
                                ServerAddress.parse(SERVER.url()), Optional.of(key), _ -> {});
                var client =
                        new ServerClient(
                                ServerAddress.parse(wire.url()), Optional.of(key), _ -> {})) {
            String path =
                    direct.send("POST", "sources", JsonTree.object().put("name", "Shop"))
                            .json()
                            .path("ingest_path")
                            .asString();
            var feed =
                    new EventFeed(
                            client,
                            InstantSource.system(),
                            StreamRequest.resuming("/api/v1/stream?detail=full"),
                            new StreamTimeouts(Duration.ofSeconds(3), LIMIT, LIMIT),
                            notes);
            var thread = Thread.ofPlatform().start(() -> run(feed));
            await(notes, "ready");
            SERVER.ingest(path, "slow".getBytes(UTF_8));
            await(notes, "slow");

            wire.freeze();
            await(notes, "silence");
            wire.mend(SERVER.port());
            isAnswered.countDown();
            await(notes, "resumed");
            SERVER.ingest(path, "last".getBytes(UTF_8));

            thread.join(LIMIT);
            assertThat(thread.isAlive()).isFalse();
            assertThat(notes.notes).containsOnlyOnce("slow", "nothing came for 3 s", "last");
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void run(EventFeed feed) {
        try {
            feed.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void await(Notes notes, String note) {
        Awaitility.await().atMost(LIMIT).until(() -> notes.notes.contains(note));
    }
}
