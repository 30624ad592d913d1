package dev.sluice.relay.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.WireTrace;
import dev.sluice.relay.Work;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Nothing here is closed in good order but where the test says so: that is what is tested.
class WireSlotsTest {

    private static final UUID BOOT = new UUID(3, 4);

    @TempDir private Path directory;

    private Path path() {
        return directory.resolve("wire.slots");
    }

    private WireSlots begin() throws IOException {
        return WireSlots.create(path(), BOOT);
    }

    private List<WireTrace> traces() {
        return WireSlots.traces(path(), BOOT);
    }

    private static Work work(int attempts) {
        return new Work(
                DeliveryId.of(Some.eventId(), 1),
                Some.sourceId(),
                new ConnectionId(Some.id()),
                Trigger.INGEST,
                attempts,
                Optional.empty());
    }

    private static WireTrace trace(Work work, long epoch, boolean isAlone) {
        return new WireTrace(work.id(), work.source(), work.attempts(), epoch, isAlone);
    }

    @Test
    void what_is_on_the_wire_is_known_to_the_next_life() throws IOException {
        var wire = begin();
        var one = work(0);
        var other = work(5);

        wire.enter(one, 7, false);
        wire.beginSolitude();
        wire.enter(other, 8, true);

        assertThat(traces()).containsExactlyInAnyOrder(trace(one, 7, false), trace(other, 8, true));
    }

    @Test
    void what_left_is_not_on_the_wire() throws IOException {
        var wire = begin();
        int slot = wire.enter(work(0), 7, false);
        var stays = work(0);
        wire.enter(stays, 7, false);

        wire.leave(slot);

        assertThat(traces()).containsExactly(trace(stays, 7, false));
    }

    @Test
    void a_new_life_begins_with_nothing_and_is_not_disturbed_by_who_is_left_of_the_one_before()
            throws IOException {
        var before = begin();
        int slot = before.enter(work(0), 7, false);
        var wire = begin();
        assertThat(traces()).isEmpty();

        var work = work(0);
        wire.enter(work, 8, false);
        before.leave(slot);
        before.enter(work(1), 7, false);

        assertThat(traces()).containsExactly(trace(work, 8, false));
    }

    @Test
    void a_slot_for_each_permit_and_beyond_them_nothing_is_known() throws IOException {
        var wire = begin();
        var expected = new ArrayList<WireTrace>();
        int last = -1;
        for (int i = 0; i < 1_024; i++) {
            var work = work(i % 11);
            last = wire.enter(work, 7, false);
            expected.add(trace(work, 7, false));
        }
        int none = wire.enter(work(0), 7, false);
        assertThat(traces()).containsExactlyInAnyOrderElementsOf(expected);

        wire.leave(none);
        wire.leave(last);
        var next = work(0);
        wire.enter(next, 7, false);

        expected.removeLast();
        expected.add(trace(next, 7, false));
        assertThat(traces()).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void one_that_others_join_is_not_alone_any_more() throws IOException {
        var wire = begin();
        var work = work(2);
        wire.beginSolitude();
        int slot = wire.enter(work, 7, true);

        wire.endSolitude();
        assertThat(traces()).containsExactly(trace(work, 7, false));

        wire.leave(slot);
        wire.endSolitude();
        assertThat(traces()).isEmpty();
    }

    @Test
    void one_that_comes_only_when_others_were_let_in_is_not_alone() throws IOException {
        var wire = begin();
        var work = work(2);
        wire.beginSolitude();
        wire.endSolitude();

        wire.enter(work, 7, true);

        assertThat(traces()).containsExactly(trace(work, 7, false));
    }

    @Test
    void one_that_was_alone_and_left_is_gone() throws IOException {
        var wire = begin();

        wire.beginSolitude();
        wire.leave(wire.enter(work(2), 7, true));
        wire.endSolitude();

        assertThat(traces()).isEmpty();
    }

    @Test
    void of_a_delivery_that_is_there_twice_the_later_counts() throws IOException {
        var wire = begin();
        var work = work(0);
        wire.enter(work, 9, false);
        wire.enter(work, 8, false);

        assertThat(traces()).containsExactly(trace(work, 9, false));
    }

    @Test
    void after_a_good_end_nothing_is_known() throws IOException {
        var wire = begin();
        int slot = wire.enter(work(0), 7, false);

        wire.close();
        wire.close();
        assertThat(traces()).isEmpty();

        wire.enter(work(0), 7, false);
        wire.leave(slot);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void of_another_start_of_the_machine_nothing_is_known() throws IOException {
        begin().enter(work(0), 7, false);

        assertThat(WireSlots.traces(path(), new UUID(3, 5))).isEmpty();
        assertThat(traces()).hasSize(1);
    }

    @Test
    void a_start_of_the_machine_keeps_its_name() {
        assertThat(WireSlots.boot()).isEqualTo(WireSlots.boot());
    }

    /// Each of a slot's numbers as it might be when the process dies in the middle of writing it.
    @ParameterizedTest
    @ValueSource(ints = {0, 8, 16, 24, 32, 40, 48})
    void a_slot_half_written_is_none(int number) throws IOException {
        var wire = begin();
        wire.enter(work(0), 7, false);
        byte[] whole = Files.readAllBytes(path());
        int at = 64 + number;
        for (int bit = 0; bit < 64; bit++) {
            byte[] torn = whole.clone();
            torn[at + bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(path(), torn);
            assertThat(traces()).as("bit %d", bit).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 16, 24, 32})
    void a_damaged_header_is_no_header(int number) throws IOException {
        begin().enter(work(0), 7, false);
        byte[] bytes = Files.readAllBytes(path());
        bytes[number] ^= 1;
        Files.write(path(), bytes);

        assertThat(traces()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 64, 65_599, 65_601, 200_000})
    void what_is_no_such_file_says_nothing_and_is_replaced(int size) throws IOException {
        byte[] foreign = new byte[size];
        java.util.Arrays.fill(foreign, (byte) 'x');
        Files.write(path(), foreign);
        assertThat(traces()).isEmpty();

        var work = work(0);
        begin().enter(work, 7, false);
        assertThat(traces()).containsExactly(trace(work, 7, false));
    }

    @Test
    void no_file_says_nothing() {
        assertThat(traces()).isEmpty();
    }

    @Test
    void many_at_once_do_not_get_in_each_others_way() throws Exception {
        var wire = begin();
        var go = new CountDownLatch(1);
        var threads = new ArrayList<Thread>();
        var expected = new ArrayList<WireTrace>();
        for (int i = 0; i < 64; i++) {
            var stays = work(i);
            expected.add(trace(stays, 7, false));
            threads.add(
                    Thread.ofVirtual()
                            .start(() -> {
                                awaitUninterrupted(go);
                                for (int round = 0; round < 2_000; round++) {
                                    wire.leave(wire.enter(work(round), 7, false));
                                }
                                wire.enter(stays, 7, false);
                            }));
        }
        go.countDown();
        for (var thread : threads) {
            thread.join();
        }

        assertThat(traces()).containsExactlyInAnyOrderElementsOf(expected);
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Enters some, says so, and waits to be killed.
    static final class Victim {

        private Victim() {}

        @SuppressWarnings("SystemOut") // its parent reads it
        public static void main(String[] arguments) throws Exception {
            var wire = WireSlots.create(Path.of(arguments[0]), BOOT);
            for (int i = 1; i <= 20; i++) {
                var work = work(i);
                int slot = wire.enter(work, 7, false);
                if (i % 2 == 0) {
                    wire.leave(slot);
                } else {
                    System.out.println(work.id());
                }
            }
            System.out.println("done");
            new CountDownLatch(1).await();
        }
    }

    @Test
    void it_outlives_a_process_that_is_killed() throws Exception {
        var process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Victim.class.getName(),
                                path().toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        var ids = new ArrayList<String>();
        try (var lines = process.inputReader()) {
            for (var line = lines.readLine(); !line.equals("done"); line = lines.readLine()) {
                ids.add(line);
            }
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();

        assertThat(ids).hasSize(10);
        assertThat(traces())
                .extracting(trace -> trace.delivery().toString())
                .containsExactlyInAnyOrderElementsOf(ids);
    }
}
