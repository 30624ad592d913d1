package dev.sluice.engine.send;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.InFlightAttempts;
import dev.sluice.engine.InFlightRecorder;
import dev.sluice.engine.Lease;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.commit.DeliveryResult;
import dev.sluice.engine.commit.ResultListener;
import dev.sluice.engine.commit.ResultQueue;
import dev.sluice.engine.settle.Circuits;
import dev.sluice.engine.share.FairPermits;
import dev.sluice.engine.share.RateLimitQueue;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.routing.RoutingTable;
import dev.sluice.platform.loop.Wake;
import dev.sluice.platform.meter.WorkspaceGauge;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

/// Sends the deliveries in this node's memory. Each destination stays within its own limits, and
/// all of them together stay within the node's limits.
///
/// [SenderPool] chooses the next delivery, [AttemptRunner] makes the attempt, and the result is
/// added to the [ResultQueue]. Deliveries enter through [PayloadAdmission]. Thread-safe.
public final class Dispatcher implements ResultListener, InFlightAttempts {

    private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);

    /// The maximum number of concurrent attempts on one node. A small machine allows fewer
    /// attempts; see [dev.sluice.engine.share.PermitLimit].
    public static final int MAX_ATTEMPTS_IN_FLIGHT = InFlightRecorder.MAX_ATTEMPTS;

    private final RoutingTable routing;
    private final Lease node;
    private final ResultQueue results;
    private final AttemptRunner attemptRunner;
    private final Circuits circuits;
    private final Executor threads;
    private final InstantSource clock;
    private final Wake backlog;

    private final DestinationStates states;
    private final SenderPool senderPool;
    private final PayloadAdmission admission;
    private final FreshDeliveries freshDeliveries = new FreshDeliveries();

    /// Waiting deliveries that are no longer in memory: their results were written, or they were
    /// put back or dropped. [Backlog] polls this queue to learn which deliveries it may forget.
    private final Queue<UnfinishedDelivery> writtenWaiting = new ConcurrentLinkedQueue<>();

    private final ConcurrentHashMap<DeliveryId, ActiveAttempt> activeAttempts =
            new ConcurrentHashMap<>();
    private final Quarantine quarantine;

    private volatile boolean closing;

    /// An attempt in progress, compared by identity. One delivery can have two attempts in progress
    /// if this node was declared dead during the first one and then acquired the delivery again.
    private static final class ActiveAttempt {
        private final LoadedDelivery loaded;
        private final Instant since;

        ActiveAttempt(LoadedDelivery loaded, Instant since) {
            this.loaded = loaded;
            this.since = since;
        }
    }

    /// @param threads runs each sender on its own thread
    /// @param permits the maximum number of concurrent attempts on this node, not counting slow
    ///   ones
    /// @param slowPermits the maximum number of concurrent slow attempts besides these
    public Dispatcher(
            DispatchEnvironment environment,
            AttemptRunner attemptRunner,
            Executor threads,
            int permits,
            int slowPermits) {
        this.routing = environment.routing();
        this.node = environment.node();
        this.results = environment.results();
        this.circuits = environment.circuits();
        this.clock = environment.clock();
        var wakes = environment.wakes();
        this.backlog = wakes.backlog();
        this.attemptRunner = attemptRunner;
        this.threads = threads;
        this.states = new DestinationStates(routing, clock);
        var fairPermits =
                new FairPermits<DestinationState>(permits, slowPermits, wakes.quarantine());
        this.senderPool =
                new SenderPool(
                        routing,
                        circuits,
                        fairPermits,
                        states,
                        threads,
                        clock,
                        (state, loaded) -> deliver(state, loaded, false),
                        wakes.rateLimits());
        this.quarantine =
                new Quarantine(
                        fairPermits, new DispatcherIsolatedSender(), clock, wakes.quarantine());
        this.admission =
                new PayloadAdmission(
                        routing, node, circuits, states, senderPool, quarantine, freshDeliveries);
    }

    /// Returns the loop that retries destinations held back by their rate limit; the caller must
    /// run its rounds.
    public RateLimitQueue rateLimitQueue() {
        return senderPool.rateLimitQueue();
    }

    /// Updates the standing of every destination, and records which destinations are starving. A
    /// loop calls this method once in each round. The method returns false, so that the next round
    /// waits for the loop's interval.
    public boolean updateStandings() {
        senderPool.updateStandings();
        return false;
    }

    /// Whether any destination has been starving for longer than `time`. A destination is starving
    /// if it has deliveries in memory but no attempt in progress, although its own limits would
    /// allow one. The result is as of the last call to [#updateStandings].
    public boolean isStarvedFor(Duration time) {
        return senderPool.isStarvedFor(time);
    }

    /// Returns the loop that sends suspect deliveries alone; the caller must run its rounds.
    public Quarantine quarantine() {
        return quarantine;
    }

    /// Returns the admission control, through which deliveries enter this node's memory.
    public PayloadAdmission admission() {
        return admission;
    }

    /// Whether this node is sending a delivery to the destination, or is about to send one.
    public boolean isSending(DestinationId destination) {
        return states.find(destination).filter(state -> state.queue().isSending()).isPresent();
    }

    /// Whether live deliveries (all except resends) to the destination are queued but not yet being
    /// sent.
    public boolean hasLive(DestinationId destination) {
        var state = states.find(destination);
        return state.isPresent() && state.get().queue().hasLive();
    }

    /// Returns how many deliveries to the destination may be in memory: at most what it takes in a
    /// second, if it has a pace.
    ///
    /// @param limit how many there may be without a pace
    public int withinPace(DestinationId destination, int limit) {
        var state = states.find(destination);
        return state.isPresent() ? state.get().queue().withinSecond(limit) : limit;
    }

    /// Removes the state of each deleted destination that has nothing queued, reserved or being
    /// sent.
    public void forgetDeleted() {
        states.forgetDeleted();
    }

    /// Returns the number of destinations that have a state on this node.
    int destinationCount() {
        return states.all().size();
    }

    private void deliver(DestinationState state, LoadedDelivery loaded, boolean isAlone)
            throws InterruptedException {
        var attempt = new ActiveAttempt(loaded, clock.instant());
        activeAttempts.put(loaded.delivery().id(), attempt);
        try {
            var settled = attempt(state, loaded, attempt.since, isAlone);
            if (settled.isPresent()) {
                results.add(settled.get(), !loaded.isFresh());
            } else {
                putBack(loaded);
            }
        } finally {
            activeAttempts.remove(loaded.delivery().id(), attempt);
            admission.release(state, loaded);
        }
    }

    /// Makes one attempt and returns its result. Returns empty if no attempt was made or its
    /// outcome is unknown; the delivery must then wait.
    private Optional<DeliveryResult> attempt(
            DestinationState state, LoadedDelivery loaded, Instant since, boolean isAlone)
            throws InterruptedException {
        var run = state.queue().attemptBegan(since);
        var settled = Optional.<DeliveryResult>empty();
        try {
            if (mayStart(loaded)) {
                settled =
                        attemptRunner.runAttempt(
                                state.queue(), loaded, since, () -> mayStart(loaded), isAlone);
            }
        } catch (RuntimeException | Error e) {
            log.atError()
                    .addKeyValue("delivery_id", loaded.delivery().id())
                    .setCause(e)
                    .log("delivery.crashed");
        } finally {
            giveBackProbe(loaded);
            senderPool.attemptEnded(state, run, settled.flatMap(DeliveryResult::attemptMade));
        }
        return settled;
    }

    /// Sends isolated deliveries, bypassing queues and senders.
    private final class DispatcherIsolatedSender implements Quarantine.IsolatedSender {

        @Override
        public boolean tryAcquireRateLimit(DestinationId destination) {
            var limit = SenderPool.rateLimit(routing.destination(destination));
            var queue = states.of(destination).queue();
            return queue.tryBegin(clock.instant())
                    && (limit.isEmpty() || queue.rateLimiter().tryAcquire(limit.get()));
        }

        @Override
        public void sendAlone(DestinationId destination, LoadedDelivery loaded, Runnable end) {
            threads.execute(() -> {
                try {
                    deliver(states.of(destination), loaded, true);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } finally {
                    end.run();
                }
            });
        }

        @Override
        public void beginIsolation() {
            attemptRunner.beginIsolation();
        }

        @Override
        public void endIsolation() {
            attemptRunner.endIsolation();
        }

        @Override
        public void sendNormally(DestinationId destination, LoadedDelivery loaded) {
            senderPool.startSender(states.addWaiting(destination, loaded));
        }

        @Override
        public void resumeOthers() {
            senderPool.startWaitingSenders();
        }
    }

    /// If the delivery is a probe, gives up the claim to the probe, so that another one can be
    /// claimed. Does nothing if the circuit already knows the probe's outcome.
    private void giveBackProbe(LoadedDelivery loaded) {
        loaded.probe().ifPresent(circuits::giveBack);
    }

    /// Whether the attempt may still start. Called again once the HTTP connection is open, because
    /// this node may have begun to shut down or lost its lease in the meantime.
    private boolean mayStart(LoadedDelivery loaded) {
        return !closing && node.mayStart(loaded.epoch());
    }

    /// Gives up the delivery for now. It waits in its lane, from which it is loaded again and sent
    /// later. A fresh delivery has not been stored as waiting yet, so this method queues a result
    /// that stores it as waiting. A waiting delivery is stored already, so [Backlog] only has to
    /// learn that the delivery is no longer in memory.
    private void putBack(LoadedDelivery loaded) throws InterruptedException {
        if (loaded.isFresh()) {
            results.add(
                    new DeliveryResult.ReleaseResult(loaded.delivery(), clock.instant()), false);
        } else {
            writtenWaiting.add(loaded.delivery());
        }
    }

    @Override
    public void written(List<DeliveryResult> batch, List<DeliveryResult> effective) {
        boolean isAnyWaiting = false;
        for (var result : batch) {
            if (!freshDeliveries.remove(result.delivery())) {
                writtenWaiting.add(result.delivery());
                isAnyWaiting = true;
            }
        }
        if (isAnyWaiting) {
            backlog.wake();
        }
    }

    /// Removes and returns the next waiting delivery that is no longer in memory, or empty if there
    /// is none.
    public Optional<UnfinishedDelivery> pollWritten() {
        return Optional.ofNullable(writtenWaiting.poll());
    }

    /// Whether this fresh delivery is in memory: it is queued, it is being sent, or its result has
    /// not been written yet.
    public boolean hasFresh(DeliveryId delivery) {
        return freshDeliveries.contains(delivery);
    }

    @Override
    public Optional<Instant> attemptStartedAt(DeliveryId delivery) {
        return Optional.ofNullable(activeAttempts.get(delivery)).map(attempt -> attempt.since);
    }

    @Override
    public boolean isThisNode(long epoch) {
        return node.epoch() == epoch;
    }

    /// Drops from this node's memory all deliveries that are not being sent, without writing a
    /// result. Called when this node has been declared dead, because other nodes may now own these
    /// deliveries.
    public void dropAll() {
        for (var queued : removeQueued()) {
            var loaded = queued.loaded();
            giveBackProbe(loaded);
            var _ = freshDeliveries.remove(loaded.delivery());
            admission.release(queued.state(), loaded);
            if (!loaded.isFresh()) {
                writtenWaiting.add(loaded.delivery());
            }
        }
    }

    private record QueuedDelivery(DestinationState state, LoadedDelivery loaded) {}

    /// Removes and returns all deliveries that are not being sent.
    private List<QueuedDelivery> removeQueued() {
        var all = new ArrayList<QueuedDelivery>();
        for (var suspect : quarantine.removeAll()) {
            all.add(new QueuedDelivery(states.of(suspect.destination()), suspect.loaded()));
        }
        for (var state : states.all()) {
            state.queue().removeAll().forEach(loaded -> all.add(new QueuedDelivery(state, loaded)));
        }
        return all;
    }

    /// Returns how many more attempts may start on this node.
    public int permitsLeft() {
        return senderPool.permitsLeft();
    }

    /// Returns for how many destinations this node has lowered the pace.
    public long pacedDestinations() {
        return states.all().stream().filter(state -> state.queue().hasLowerPace()).count();
    }

    /// Returns the memory used by payloads on this node, in bytes, including reservations.
    public long bytes() {
        return admission.bytes();
    }

    /// Returns what each workspace holds of this node's permits and payload memory.
    public List<WorkspaceGauge> workspaceGauges() {
        return List.of(
                new WorkspaceGauge(
                        "sluice_workspace_attempts_in_flight",
                        "Attempts of the workspace that are under way.",
                        () -> states.byWorkspace(each -> senderPool.held(each.permits()))),
                new WorkspaceGauge(
                        "sluice_workspace_payload_bytes",
                        "Memory of the payloads of the workspace's deliveries.",
                        () -> states.byWorkspace(each -> admission.bytes(each.memory()))));
    }

    /// Shuts the dispatcher down. Starts no more attempts and waits up to `budget` for the running
    /// ones to end. Puts all deliveries that are still in memory back into their lanes.
    public void stop(Duration budget) throws InterruptedException {
        closing = true;
        admission.close();
        for (var queued : removeQueued()) {
            giveBackProbe(queued.loaded());
            putBack(queued.loaded());
        }
        if (!senderPool.awaitIdle(budget)) {
            for (var attempt : List.copyOf(activeAttempts.values())) {
                giveBackProbe(attempt.loaded);
                putBack(attempt.loaded);
            }
        }
    }
}
