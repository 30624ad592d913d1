package dev.sluice.engine.settle;

import dev.sluice.engine.settle.Pace.CapacitySignal;
import dev.sluice.engine.settle.Pace.PaceAnswer;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.Random;

/// One destination in simulated time: deliveries arrive, attempts take time, a model of a receiver
/// answers, and the real [Pace], [CircuitBreaker] and [SlowStart] decide when the next attempt
/// begins. The same seed always gives the same run.
final class ReceiverSimulation {

    /// A model of a receiver.
    @FunctionalInterface
    interface Receiver {

        /// @param now in seconds
        /// @param onTheWire how many requests it has, this one included
        Reply reply(double now, int onTheWire, int delivery);
    }

    /// @param took in seconds
    /// @param retryAfter in seconds; zero for none
    record Reply(CapacitySignal signal, double took, double retryAfter) {

        static Reply taken(double took) {
            return new Reply(CapacitySignal.TAKEN, took, 0);
        }

        static Reply refused(CapacitySignal signal, double took) {
            return new Reply(signal, took, 0);
        }
    }

    private static final int[] SCHEDULE = {30, 120, 600, 3_600, 14_400};
    private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

    private record Event(double at, long order, Runnable what) {}

    private final Receiver receiver;
    private final boolean isPaced;
    private final int maxInFlight;
    private final Random random;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(
                    Comparator.comparingDouble(Event::at).thenComparingLong(Event::order));
    private long order;
    private double now;

    private record Waiting(double due, int delivery) {}

    private final Deque<Integer> untried = new ArrayDeque<>();
    private final PriorityQueue<Waiting> failed =
            new PriorityQueue<>(
                    Comparator.comparingDouble(Waiting::due).thenComparingInt(Waiting::delivery));
    private final int[] attempts;
    private final double[] done;
    private final double[] arrivals;

    /// What a node knows of the destination by itself. The circuit is shared.
    private static final class SimulatedSender {
        private Optional<Pace> pace = Optional.empty();
        private Instant lastTaken = Instant.MIN;
        private int onTheWire;
    }

    private final List<SimulatedSender> nodes = new ArrayList<>();
    private CircuitBreaker circuit = CircuitBreaker.healthy();
    private Optional<SlowStart> slowStart = Optional.empty();
    private double wakeAt = Double.MAX_VALUE;

    private int delivered;
    private int refused;
    private int opened;
    private int exhausted;

    ReceiverSimulation(
            Receiver receiver, double[] arrivals, boolean isPaced, int maxInFlight, long seed) {
        this(receiver, arrivals, isPaced, maxInFlight, seed, 1);
    }

    ReceiverSimulation(
            Receiver receiver,
            double[] arrivals,
            boolean isPaced,
            int maxInFlight,
            long seed,
            int nodeCount) {
        for (int i = 0; i < nodeCount; i++) {
            nodes.add(new SimulatedSender());
        }
        this.receiver = receiver;
        this.isPaced = isPaced;
        this.maxInFlight = maxInFlight;
        this.random = new Random(seed);
        this.attempts = new int[arrivals.length];
        this.done = new double[arrivals.length];
        this.arrivals = arrivals;
        Arrays.fill(done, Double.MAX_VALUE);
        for (int i = 0; i < arrivals.length; i++) {
            int delivery = i;
            at(arrivals[i], () -> untried.add(delivery));
        }
    }

    private void at(double time, Runnable what) {
        events.add(new Event(time, order++, what));
    }

    private Instant instant() {
        return instant(now);
    }

    private static Instant instant(double seconds) {
        return START.plusNanos((long) (seconds * 1e9));
    }

    private static double seconds(Instant instant) {
        return Duration.between(START, instant).toNanos() / 1e9;
    }

    private static Duration duration(double seconds) {
        return Duration.ofNanos((long) (seconds * 1e9));
    }

    ReceiverSimulation run(double until) {
        while (!events.isEmpty() && events.peek().at() <= until) {
            var next = events.remove();
            now = next.at();
            next.what().run();
            sendWhatMayBeSent();
        }
        now = until;
        return this;
    }

    private void wake(Instant at) {
        double time = Math.max(seconds(at), now) + 1e-6;
        if (time < wakeAt) {
            wakeAt = time;
            at(
                    time,
                    () -> {
                        if (wakeAt <= now) {
                            wakeAt = Double.MAX_VALUE;
                        }
                    });
        }
    }

    private boolean isEmpty() {
        return untried.isEmpty() && failed.isEmpty();
    }

    private int onTheWire() {
        return nodes.stream().mapToInt(node -> node.onTheWire).sum();
    }

    private void sendWhatMayBeSent() {
        if (!circuit.isClosed()) {
            if (!isEmpty()) {
                probe();
            }
            return;
        }
        boolean isAny = true;
        while (isAny) {
            isAny = false;
            Collections.shuffle(nodes, random);
            for (var node : nodes) {
                isAny |= sendNext(node);
            }
        }
    }

    private boolean sendNext(SimulatedSender node) {
        if (isEmpty() || node.onTheWire >= limit(node)) {
            return false;
        }
        var next = node.pace.map(each -> each.nextBeginning(instant())).orElse(Instant.MIN);
        if (next.isAfter(instant())) {
            wake(next);
            return false;
        }
        node.pace.ifPresent(each -> each.began(instant()));
        send(node, nextInOrder());
        return true;
    }

    private int limit(SimulatedSender node) {
        int limit = slowStart.map(SlowStart::concurrency).orElse(maxInFlight);
        var window = node.pace.map(Pace::window).orElse(OptionalInt.empty());
        return Math.min(Math.min(maxInFlight, limit), window.orElse(maxInFlight));
    }

    private void probe() {
        if (circuit.isProbeDue(instant())) {
            circuit = circuit.claimProbe(1, instant(), instant(now + 1e6)).orElseThrow();
            boolean isNewest = circuit.generation() / 2 % 2 == 0;
            send(
                    nodes.getFirst(),
                    untried.isEmpty()
                            ? failed.remove().delivery()
                            : isNewest ? untried.removeLast() : untried.removeFirst());
        } else if (onTheWire() == 0) {
            wake(circuit.nextTryAt().orElseThrow());
        }
    }

    private int nextInOrder() {
        boolean isFailedNext =
                untried.isEmpty()
                        || (!failed.isEmpty()
                                && failed.peek().due() < arrivals[untried.peekFirst()]);
        return isFailedNext ? failed.remove().delivery() : untried.removeFirst();
    }

    private void send(SimulatedSender node, int delivery) {
        node.onTheWire++;
        double begun = now;
        int generation = circuit.generation();
        boolean isFirst = attempts[delivery]++ == 0;
        var reply = receiver.reply(now, onTheWire(), delivery);
        at(now + reply.took(), () -> answered(node, delivery, reply, begun, generation, isFirst));
    }

    private void answered(
            SimulatedSender node,
            int delivery,
            Reply reply,
            double begun,
            int generation,
            boolean isFirst) {
        boolean wasClosed = circuit.isClosed();
        boolean counts = true;
        boolean isTaken = reply.signal() == CapacitySignal.TAKEN;
        if (isPaced) {
            if (isEmpty()) {
                node.pace.ifPresent(each -> each.idle(instant()));
            }
            if (node.pace.filter(each -> each.isForgotten(instant())).isPresent()) {
                node.pace = Optional.empty();
            }
            if (node.pace.isEmpty() && reply.signal().isOfCapacity()) {
                node.pace = Optional.of(new Pace(node.lastTaken, random));
            }
            if (node.pace.isPresent()) {
                counts =
                        node.pace
                                .get()
                                .answered(
                                        new PaceAnswer(
                                                reply.signal(),
                                                duration(reply.retryAfter()),
                                                instant(begun),
                                                instant(),
                                                isFirst,
                                                node.onTheWire,
                                                maxInFlight));
            }
        }
        node.onTheWire--;
        if (isTaken) {
            node.lastTaken = instant();
            done[delivery] = now;
            delivered++;
            circuit = circuit.afterReached();
            if (!wasClosed) {
                slowStart = Optional.of(SlowStart.INITIAL);
                node.pace.ifPresent(Pace::reopened);
            } else {
                slowStart = slowStart.flatMap(start -> start.afterReached(maxInFlight));
            }
            return;
        }
        refused++;
        if (attempts[delivery] > SCHEDULE.length) {
            exhausted++;
        } else {
            double delay = SCHEDULE[attempts[delivery] - 1] * (0.8 + 0.4 * random.nextDouble());
            at(
                    now + Math.max(reply.retryAfter(), delay),
                    () -> failed.add(new Waiting(now, delivery)));
        }
        if (counts) {
            circuit = circuit.afterFailure(generation, instant(), CooldownBackoff.STANDARD);
            slowStart = slowStart.map(_ -> SlowStart.INITIAL);
        }
        if (wasClosed && !circuit.isClosed()) {
            opened++;
            slowStart = Optional.empty();
        }
    }

    int delivered() {
        return delivered;
    }

    int refused() {
        return refused;
    }

    int opened() {
        return opened;
    }

    int exhausted() {
        return exhausted;
    }

    Optional<Pace> pace() {
        return nodes.getFirst().pace;
    }

    /// Returns how long the deliveries waited that arrived before `until`, sorted.
    List<Double> waits(double until) {
        var waits = new ArrayList<Double>();
        for (int i = 0; i < arrivals.length; i++) {
            if (arrivals[i] < until) {
                waits.add(Math.min(done[i], now) - arrivals[i]);
            }
        }
        waits.sort(Comparator.naturalOrder());
        return waits;
    }
}
