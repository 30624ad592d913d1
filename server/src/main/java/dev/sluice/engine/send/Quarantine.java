package dev.sluice.engine.send;

import dev.sluice.engine.share.FairPermits;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.platform.loop.Activity;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Pause;
import dev.sluice.platform.loop.Wake;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/// Sends suspect deliveries alone. A suspect is a delivery during whose attempts the process has
/// died at least three times (see [dev.sluice.engine.PoisonPolicy]). If the process dies again
/// while only the suspect is being sent, the death is blamed on the suspect.
///
/// In each turn, one suspect is sent. The turn first closes the gate, so that no other attempt can
/// start, and waits at most ten seconds for running attempts to end. It then takes all
/// [FairPermits] and sends the suspect, which is alone for at most thirty seconds. After that, the
/// gate opens, and other attempts may start even if the suspect is still being sent. The gate then
/// stays open for at least nine times as long as it was closed.
///
/// A turn fails if, within the ten seconds, the other attempts do not end or the destination's rate
/// limit allows no attempt. After ten failed turns, the suspect is sent like any other delivery. If
/// the process dies during that attempt, the death is not blamed on the suspect.
///
/// A round starts the next step of a turn, if one is due, and does not wait for that step to
/// finish. Thread-safe.
public final class Quarantine implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(Quarantine.class);

    static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(10);
    static final Duration MAX_TIME_ALONE = Duration.ofSeconds(30);
    static final int MAX_TURNS = 10;
    private static final int COOLDOWN_FACTOR = 9;

    /// The maximum time for which a turn keeps the gate closed, if its rounds run on time.
    private static final Duration MAX_TIME_CLOSED = DRAIN_TIMEOUT.plus(MAX_TIME_ALONE);

    /// The operations of the [Dispatcher] that a turn needs.
    interface IsolatedSender {

        /// Counts one attempt against the destination's rate limit. Returns false, without counting
        /// it, if the limit does not allow an attempt now.
        boolean tryAcquireRateLimit(DestinationId destination);

        /// Sends the delivery on its own thread, then calls `end`. If this method throws, `end` is
        /// not called.
        void sendAlone(DestinationId destination, LoadedDelivery loaded, Runnable end);

        /// Begins isolation: until [#endIsolation] is called, at most one attempt is made at a
        /// time. Called while nothing is being sent.
        void beginIsolation();

        /// Ends isolation: other attempts may now run at the same time as the isolated one.
        void endIsolation();

        /// Sends the delivery through its destination's queue.
        void sendNormally(DestinationId destination, LoadedDelivery loaded);

        /// Starts the senders that were held back by the closed gate. Called once the gate is open
        /// again.
        void resumeOthers();
    }

    /// A suspect delivery that is waiting for its turn.
    record QuarantinedDelivery(DestinationId destination, LoadedDelivery loaded, int failedTurns) {}

    private enum QuarantineState {
        /// The gate is open and no suspect is being sent.
        IDLE,
        /// The gate is closed. The first suspect is sent once all other attempts have ended and its
        /// destination's rate limit allows it.
        DRAINING,
        /// A suspect is being sent while no other attempt is in progress.
        ALONE,
        /// A suspect is being sent, and other deliveries may be sent at the same time.
        SHARED
    }

    private final FairPermits<?> fairPermits;
    private final IsolatedSender sender;
    private final InstantSource clock;
    private final Wake wake;

    /// Guarded by this object's monitor, like the four fields below.
    private final ArrayDeque<QuarantinedDelivery> waiting = new ArrayDeque<>();

    private QuarantineState state = QuarantineState.IDLE;
    private Pause drain = Pause.NONE;
    private Pause isolation = Pause.NONE;
    private Pause rest = Pause.NONE;

    /// @param wake called when the next round should run early
    Quarantine(FairPermits<?> fairPermits, IsolatedSender sender, InstantSource clock, Wake wake) {
        this.fairPermits = fairPermits;
        this.sender = sender;
        this.clock = clock;
        this.wake = wake;
    }

    void add(DestinationId destination, LoadedDelivery loaded) {
        synchronized (this) {
            waiting.add(new QuarantinedDelivery(destination, loaded, 0));
        }
        wake.wake();
    }

    /// Returns how long the next round may wait if nothing wakes it. While there is a suspect,
    /// returns zero, because rounds must then run on time.
    public synchronized Duration rest() {
        return state == QuarantineState.IDLE && waiting.isEmpty()
                ? Activity.MAX_IDLE_INTERVAL
                : Duration.ZERO;
    }

    @Override
    public boolean run() {
        next().run();
        return false;
    }

    /// Returns the next action. The caller must run it without holding the monitor.
    private synchronized Runnable next() {
        var now = clock.instant();
        if (state == QuarantineState.IDLE && !waiting.isEmpty() && rest.isOver(now)) {
            fairPermits.close();
            drain = Pause.of(now, DRAIN_TIMEOUT);
            state = QuarantineState.DRAINING;
        }
        if (state == QuarantineState.DRAINING) {
            return tryBeginTurn(now);
        }
        return state == QuarantineState.ALONE && isolation.isOver(now)
                ? endIsolationEarly(now)
                : () -> {};
    }

    private Runnable tryBeginTurn(Instant now) {
        if (fairPermits.tryAcquireAll()) {
            if (sender.tryAcquireRateLimit(waiting.element().destination())) {
                var suspect = waiting.remove();
                state = QuarantineState.ALONE;
                isolation = Pause.of(now, MAX_TIME_ALONE);
                sender.beginIsolation();
                return () -> send(suspect);
            }
            fairPermits.releaseAll();
        }
        if (!drain.isOver(now)) {
            return () -> {};
        }
        open(now);
        var first = waiting.remove();
        if (first.failedTurns() + 1 < MAX_TURNS) {
            waiting.add(
                    new QuarantinedDelivery(
                            first.destination(), first.loaded(), first.failedTurns() + 1));
            return sender::resumeOthers;
        }
        log.atWarn()
                .addKeyValue("delivery_id", first.loaded().delivery().id())
                .log("quarantine.turns_exhausted");
        return () -> {
            sender.resumeOthers();
            sender.sendNormally(first.destination(), first.loaded());
        };
    }

    private void send(QuarantinedDelivery suspect) {
        log.atInfo()
                .addKeyValue("delivery_id", suspect.loaded().delivery().id())
                .log("quarantine.turn_started");
        boolean isStarted = false;
        try {
            sender.sendAlone(suspect.destination(), suspect.loaded(), this::endTurn);
            isStarted = true;
        } finally {
            if (!isStarted) {
                add(suspect.destination(), suspect.loaded());
                endTurn();
            }
        }
    }

    private Runnable endIsolationEarly(Instant now) {
        state = QuarantineState.SHARED;
        sender.endIsolation();
        fairPermits.releaseAllButOne();
        open(now);
        return sender::resumeOthers;
    }

    private void open(Instant now) {
        fairPermits.open();
        var closed = Duration.between(drain.from(), now);
        boolean isClockTrue = !closed.isNegative() && closed.compareTo(MAX_TIME_CLOSED) <= 0;
        rest =
                Pause.of(
                        now,
                        (isClockTrue ? closed : MAX_TIME_CLOSED).multipliedBy(COOLDOWN_FACTOR));
        if (state == QuarantineState.DRAINING) {
            state = QuarantineState.IDLE;
        }
    }

    /// Ends the turn. Called when the suspect's attempt is over, whatever its outcome.
    private void endTurn() {
        synchronized (this) {
            if (state == QuarantineState.ALONE) {
                fairPermits.releaseAll();
                open(clock.instant());
            } else {
                fairPermits.releaseRemaining();
            }
            state = QuarantineState.IDLE;
        }
        sender.resumeOthers();
    }

    /// Removes and returns the quarantined deliveries that are not being sent. Reopens the gate if
    /// it was closed for one of them.
    synchronized List<QuarantinedDelivery> removeAll() {
        var all = new ArrayList<>(waiting);
        waiting.clear();
        if (state == QuarantineState.DRAINING) {
            open(clock.instant());
        }
        return all;
    }
}
