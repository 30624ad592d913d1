package dev.sluice.relay.dispatch;

import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.platform.loop.Loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/// Deliveries that were on the wire whenever the process died. Each is sent with nothing else on
/// the wire of this node, so that it can be told whether the process dies of it.
///
/// The others pay for that, so their share is bounded: a turn waits at most ten seconds for the
/// wire to be empty and keeps it for at most thirty, after which others are let in beside; and the
/// next turn comes only after nine times as long as the gate was closed. One that does not come to
/// be alone in ten turns, because there are always attempts that last longer, is sent like others:
/// it cannot be convicted then, but it is not kept from being delivered either.
///
/// A round looks what is to be done next and waits for nothing.
public final class Quarantine implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(Quarantine.class);

    static final Duration MOST_WAIT = Duration.ofSeconds(10);
    static final Duration MOST_ALONE = Duration.ofSeconds(30);
    static final int MOST_TURNS = 10;
    private static final int REST = 9;

    /// What a turn needs of the [Dispatcher].
    interface Ward {

        /// Whether the destination may be sent to by its rate limit; if so, it counts as sent.
        boolean mayGo(DestinationId destination);

        /// Sends it on a thread of its own and calls `end` after that, unless this throws.
        void sendAlone(DestinationId destination, Ready ready, Runnable end);

        /// Nothing is on the wire, and only one will be until that ends.
        void beginSolitude();

        /// Others are let in beside the one that is alone.
        void endSolitude();

        /// Sends it like others.
        void sendAmongOthers(DestinationId destination, Ready ready);

        /// The gate is open again.
        void goOn();
    }

    /// One that waits for its turn.
    record Suspect(DestinationId destination, Ready ready, int turns) {}

    private enum State {
        /// The gate is open, nothing of ours is on the wire.
        REST,
        /// The gate is closed; the first in line is next.
        WAIT,
        /// One is on the wire, alone.
        ALONE,
        /// It is still there, and others too.
        COMPANY
    }

    private final Turns<?> gate;
    private final Ward ward;
    private final InstantSource clock;

    /// All guarded by this object, which is held only for a moment.
    private final ArrayDeque<Suspect> line = new ArrayDeque<>();

    private State state = State.REST;
    private Instant closedAt = Instant.EPOCH;
    private Instant aloneAt = Instant.EPOCH;
    private Instant restUntil = Instant.EPOCH;

    Quarantine(Turns<?> gate, Ward ward, InstantSource clock) {
        this.gate = gate;
        this.ward = ward;
        this.clock = clock;
    }

    /// Calls `wake` when there is something to do before the next round; must be quick.
    public void wakeBy(Runnable wake) {
        gate.onQuiet(wake);
    }

    synchronized void add(DestinationId destination, Ready ready) {
        line.add(new Suspect(destination, ready, 0));
    }

    @Override
    public boolean run() {
        next().run();
        return false;
    }

    /// What is to be done now, with nothing held.
    private synchronized Runnable next() {
        var now = clock.instant();
        if (state == State.REST && !line.isEmpty() && !now.isBefore(restUntil)) {
            gate.close();
            closedAt = now;
            state = State.WAIT;
        }
        if (state == State.WAIT) {
            return begin(now);
        }
        boolean isLong = !aloneAt.plus(MOST_ALONE).isAfter(now);
        return state == State.ALONE && isLong ? letOthersIn(now) : () -> {};
    }

    private Runnable begin(Instant now) {
        if (gate.takeAll()) {
            if (ward.mayGo(line.element().destination())) {
                var suspect = line.remove();
                state = State.ALONE;
                aloneAt = now;
                ward.beginSolitude();
                return () -> send(suspect);
            }
            gate.giveBackAll();
        }
        if (now.isBefore(closedAt.plus(MOST_WAIT))) {
            return () -> {};
        }
        open(now);
        var first = line.remove();
        if (first.turns() + 1 < MOST_TURNS) {
            line.add(new Suspect(first.destination(), first.ready(), first.turns() + 1));
            return ward::goOn;
        }
        log.atWarn()
                .addKeyValue("delivery_id", first.ready().work().id())
                .log("quarantine.never_alone");
        return () -> {
            ward.goOn();
            ward.sendAmongOthers(first.destination(), first.ready());
        };
    }

    private void send(Suspect suspect) {
        log.atInfo().addKeyValue("delivery_id", suspect.ready().work().id()).log("quarantine.turn");
        boolean isBegun = false;
        try {
            ward.sendAlone(suspect.destination(), suspect.ready(), this::end);
            isBegun = true;
        } finally {
            if (!isBegun) {
                add(suspect.destination(), suspect.ready());
                end();
            }
        }
    }

    private Runnable letOthersIn(Instant now) {
        state = State.COMPANY;
        ward.endSolitude();
        gate.giveBackOthers();
        open(now);
        return ward::goOn;
    }

    private void open(Instant now) {
        gate.open();
        restUntil = now.plus(Duration.between(closedAt, now).multipliedBy(REST));
        if (state == State.WAIT) {
            state = State.REST;
        }
    }

    /// It is off the wire, whatever came of it.
    private void end() {
        synchronized (this) {
            if (state == State.ALONE) {
                gate.giveBackAll();
                open(clock.instant());
            } else {
                gate.giveBackOne();
            }
            state = State.REST;
        }
        ward.goOn();
    }

    /// Everything that is not on the wire. The gate is open after it.
    synchronized List<Suspect> drain() {
        var all = new ArrayList<>(line);
        line.clear();
        if (state == State.WAIT) {
            open(clock.instant());
        }
        return all;
    }
}
