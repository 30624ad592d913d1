package dev.sluice.engine.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.InFlightRecorder;
import dev.sluice.engine.InterruptedAttempt;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.testkit.Some;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Recorders are left open as a killed process leaves them, except where a test says otherwise.
class MappedInFlightRecorderTest {

    private static final UUID BOOT_ID = new UUID(3, 4);

    @TempDir private Path directory;

    private Path path() {
        return directory.resolve("wire.slots");
    }

    private MappedInFlightRecorder begin() throws IOException {
        return MappedInFlightRecorder.create(path(), BOOT_ID);
    }

    private List<InterruptedAttempt> traces() {
        return MappedInFlightRecorder.traces(path(), BOOT_ID);
    }

    private static UnfinishedDelivery work(int attempts) {
        return new UnfinishedDelivery(
                DeliveryId.of(Some.eventId(), 1),
                Some.sourceId(),
                new ConnectionId(Some.id()),
                Trigger.INGEST,
                attempts,
                Optional.empty());
    }

    private static InterruptedAttempt trace(
            UnfinishedDelivery delivery, long epoch, boolean isAlone) {
        return new InterruptedAttempt(
                delivery.id(), delivery.source(), delivery.attempts(), epoch, isAlone);
    }

    @Test
    void what_is_on_the_wire_is_known_to_the_next_life() throws IOException {
        var recorder = begin();
        var one = work(0);
        var other = work(5);

        recorder.recordStart(one, 7, false);
        recorder.beginIsolation();
        recorder.recordStart(other, 8, true);

        assertThat(traces()).containsExactlyInAnyOrder(trace(one, 7, false), trace(other, 8, true));
    }

    @Test
    void what_left_is_not_on_the_wire() throws IOException {
        var recorder = begin();
        int slot = recorder.recordStart(work(0), 7, false);
        var stays = work(0);
        recorder.recordStart(stays, 7, false);

        recorder.recordEnd(slot);

        assertThat(traces()).containsExactly(trace(stays, 7, false));
    }

    @Test
    void a_new_life_begins_with_nothing_and_is_not_disturbed_by_who_is_left_of_the_one_before()
            throws IOException {
        var before = begin();
        int slot = before.recordStart(work(0), 7, false);
        var recorder = begin();
        assertThat(traces()).isEmpty();

        var delivery = work(0);
        recorder.recordStart(delivery, 8, false);
        before.recordEnd(slot);
        before.recordStart(work(1), 7, false);

        assertThat(traces()).containsExactly(trace(delivery, 8, false));
    }

    @Test
    void a_slot_for_each_permit_and_beyond_them_nothing_is_known() throws IOException {
        var recorder = begin();
        var expected = new ArrayList<InterruptedAttempt>();
        int last = -1;
        for (int i = 0; i < InFlightRecorder.MAX_ATTEMPTS; i++) {
            var delivery = work(i % 11);
            last = recorder.recordStart(delivery, 7, false);
            expected.add(trace(delivery, 7, false));
        }
        int none = recorder.recordStart(work(0), 7, false);
        assertThat(counted(traces())).isEqualTo(counted(expected));

        recorder.recordEnd(none);
        recorder.recordEnd(last);
        var next = work(0);
        recorder.recordStart(next, 7, false);

        expected.removeLast();
        expected.add(trace(next, 7, false));
        assertThat(counted(traces())).isEqualTo(counted(expected));
    }

    /// Counts equal ones, which is quicker than to compare eight thousand with each other.
    private static Map<InterruptedAttempt, Long> counted(List<InterruptedAttempt> traces) {
        return traces.stream()
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    }

    @Test
    void a_file_with_fewer_slots_is_read_too() throws IOException {
        var delivery = work(0);
        begin().recordStart(delivery, 7, false);
        try (var file = new RandomAccessFile(path().toFile(), "rw")) {
            file.setLength(64 * (1 + 1_024));
        }

        assertThat(traces()).containsExactly(trace(delivery, 7, false));
    }

    @Test
    void one_that_others_join_is_not_alone_any_more() throws IOException {
        var recorder = begin();
        var delivery = work(2);
        recorder.beginIsolation();
        int slot = recorder.recordStart(delivery, 7, true);

        recorder.endIsolation();
        assertThat(traces()).containsExactly(trace(delivery, 7, false));

        recorder.recordEnd(slot);
        recorder.endIsolation();
        assertThat(traces()).isEmpty();
    }

    @Test
    void one_that_comes_only_when_others_were_let_in_is_not_alone() throws IOException {
        var recorder = begin();
        var delivery = work(2);
        recorder.beginIsolation();
        recorder.endIsolation();

        recorder.recordStart(delivery, 7, true);

        assertThat(traces()).containsExactly(trace(delivery, 7, false));
    }

    @Test
    void one_that_was_alone_and_left_is_gone() throws IOException {
        var recorder = begin();

        recorder.beginIsolation();
        recorder.recordEnd(recorder.recordStart(work(2), 7, true));
        recorder.endIsolation();

        assertThat(traces()).isEmpty();
    }

    @Test
    void of_a_delivery_that_is_there_twice_the_later_counts() throws IOException {
        var recorder = begin();
        var delivery = work(0);
        recorder.recordStart(delivery, 9, false);
        recorder.recordStart(delivery, 8, false);

        assertThat(traces()).containsExactly(trace(delivery, 9, false));
    }

    @Test
    void after_a_good_end_nothing_is_known() throws IOException {
        var recorder = begin();
        int slot = recorder.recordStart(work(0), 7, false);

        recorder.close();
        recorder.close();
        assertThat(traces()).isEmpty();

        recorder.recordStart(work(0), 7, false);
        recorder.recordEnd(slot);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void of_another_home_nothing_is_known() throws IOException {
        begin().recordStart(work(0), 7, false);

        assertThat(MappedInFlightRecorder.traces(path(), new UUID(3, 5))).isEmpty();
        assertThat(traces()).hasSize(1);
    }

    /// Each number of a slot as it might be when the process dies while writing it.
    @ParameterizedTest
    @ValueSource(ints = {0, 8, 16, 24, 32, 40, 48})
    void a_slot_half_written_is_none(int number) throws IOException {
        var recorder = begin();
        recorder.recordStart(work(0), 7, false);
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
        begin().recordStart(work(0), 7, false);
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

        var delivery = work(0);
        begin().recordStart(delivery, 7, false);
        assertThat(traces()).containsExactly(trace(delivery, 7, false));
    }

    @Test
    void no_file_says_nothing() {
        assertThat(traces()).isEmpty();
    }

    @Test
    void many_at_once_do_not_get_in_each_others_way() throws Exception {
        var recorder = begin();
        var go = new CountDownLatch(1);
        var threads = new ArrayList<Thread>();
        var expected = new ArrayList<InterruptedAttempt>();
        for (int i = 0; i < 64; i++) {
            var stays = work(i);
            expected.add(trace(stays, 7, false));
            threads.add(
                    Thread.ofVirtual()
                            .start(() -> {
                                awaitUninterrupted(go);
                                for (int round = 0; round < 2_000; round++) {
                                    recorder.recordEnd(recorder.recordStart(work(round), 7, false));
                                }
                                recorder.recordStart(stays, 7, false);
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

    /// A process that records some attempts, prints that it has, and waits to be killed.
    static final class RecordingProcess {

        private RecordingProcess() {}

        @SuppressWarnings("SystemOut") // its parent reads it
        public static void main(String[] arguments) throws Exception {
            var recorder = MappedInFlightRecorder.create(Path.of(arguments[0]), BOOT_ID);
            for (int i = 1; i <= 20; i++) {
                var delivery = work(i);
                int slot = recorder.recordStart(delivery, 7, false);
                if (i % 2 == 0) {
                    recorder.recordEnd(slot);
                } else {
                    System.out.println(delivery.id());
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
                                RecordingProcess.class.getName(),
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
                .extracting(interruptedAttempt -> interruptedAttempt.delivery().toString())
                .containsExactlyInAnyOrderElementsOf(ids);
    }
}
