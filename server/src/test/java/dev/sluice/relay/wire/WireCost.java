package dev.sluice.relay.wire;

import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.testkit.Some;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Optional;

/// Not a test: prints what it costs to enter the wire and leave it, on one thread and on two.
final class WireCost {

    private static final int ROUNDS = 6;
    private static final int TURNS = 5_000_000;

    private WireCost() {}

    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) throws Exception {
        var directory = Files.createTempDirectory("wire");
        var wire = WireSlots.create(directory.resolve("wire.slots"), WireSlots.boot());
        for (int threads = 1; threads <= 2; threads++) {
            for (int round = 0; round < ROUNDS; round++) {
                System.out.printf("%d thread(s): %.1f ns%n", threads, measured(wire, threads));
            }
        }
        wire.close();
        Files.delete(directory);
    }

    private static double measured(WireSlots wire, int threads) throws InterruptedException {
        long start = System.nanoTime();
        var running = new ArrayList<Thread>();
        for (int i = 0; i < threads; i++) {
            running.add(Thread.ofPlatform().start(() -> turns(wire)));
        }
        for (var thread : running) {
            thread.join();
        }
        return (double) (System.nanoTime() - start) / TURNS;
    }

    private static void turns(WireSlots wire) {
        var work =
                new Work(
                        DeliveryId.of(Some.eventId(), 1),
                        Some.sourceId(),
                        new ConnectionId(Some.id()),
                        Trigger.INGEST,
                        0,
                        Optional.empty());
        for (int turn = 0; turn < TURNS; turn++) {
            wire.leave(wire.enter(work, turn, false));
        }
    }
}
