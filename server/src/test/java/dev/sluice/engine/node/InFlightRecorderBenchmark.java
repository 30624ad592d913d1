package dev.sluice.engine.node;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.testkit.Some;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Optional;
import java.util.UUID;

/// Not a test: prints the cost of recording the start and end of an attempt, on one thread and on
/// two.
final class InFlightRecorderBenchmark {

    private static final int ROUNDS = 6;
    private static final int ITERATIONS = 5_000_000;

    private InFlightRecorderBenchmark() {}

    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) throws Exception {
        var directory = Files.createTempDirectory("wire");
        var recorder =
                MappedInFlightRecorder.create(directory.resolve("wire.slots"), new UUID(3, 4));
        for (int threads = 1; threads <= 2; threads++) {
            for (int round = 0; round < ROUNDS; round++) {
                System.out.printf("%d thread(s): %.1f ns%n", threads, measure(recorder, threads));
            }
        }
        recorder.close();
        Files.delete(directory);
    }

    private static double measure(MappedInFlightRecorder recorder, int threads)
            throws InterruptedException {
        long start = System.nanoTime();
        var running = new ArrayList<Thread>();
        for (int i = 0; i < threads; i++) {
            running.add(Thread.ofPlatform().start(() -> iterate(recorder)));
        }
        for (var thread : running) {
            thread.join();
        }
        return (double) (System.nanoTime() - start) / ITERATIONS;
    }

    private static void iterate(MappedInFlightRecorder recorder) {
        var delivery =
                new UnfinishedDelivery(
                        DeliveryId.of(Some.eventId(), 1),
                        Some.sourceId(),
                        new ConnectionId(Some.id()),
                        Trigger.INGEST,
                        0,
                        Optional.empty());
        for (int turn = 0; turn < ITERATIONS; turn++) {
            recorder.recordEnd(recorder.recordStart(delivery, turn, false));
        }
    }
}
