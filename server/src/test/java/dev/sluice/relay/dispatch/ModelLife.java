package dev.sluice.relay.dispatch;

import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Loop;
import dev.sluice.relay.Checked;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;
import dev.sluice.relay.OnTheWire;
import dev.sluice.relay.Payload;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.settle.Settlement;
import dev.sluice.relay.store.Accepted;
import dev.sluice.relay.store.JournalListener;
import dev.sluice.relay.store.Lane;
import dev.sluice.relay.store.LaneStore;
import dev.sluice.relay.store.Lanes;
import dev.sluice.relay.store.Receipt;
import dev.sluice.relay.store.Settled;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/// One life of a relay's process: the real dispatch and settle, wired as `Sluice` wires them, with
/// everything around them modelled.
final class ModelLife {

    /// A mistake in what surrounds dispatch, to see that the simulation would find it.
    enum Flaw {
        LEASE_IGNORED,
        ACKNOWLEDGES_IN_DOUBT
    }

    /// A thread that does rounds, as [Loop].
    private final class Rounds {

        private final Duration pause;
        private final Loop.Step step;
        private final Baton.Turn turn;
        private boolean isAwake;

        Rounds(String name, Duration pause, Loop.Step step) {
            this.pause = pause;
            this.step = step;
            this.turn = baton.start(process, name, this::rounds);
        }

        private void rounds() throws InterruptedException {
            while (!isStopping) {
                isAwake = false;
                if (!round() && !isAwake) {
                    baton.sleep(pause);
                } else {
                    baton.pause();
                }
            }
        }

        private boolean round() throws InterruptedException {
            try {
                return step.run();
            } catch (ModelDatabase.Lost e) {
                return false;
            }
        }

        void wake() {
            isAwake = true;
            turn.wake();
        }

        /// Soon, but not at once.
        void wakeIn(Duration time) {
            if (!isAwake) {
                isAwake = true;
                baton.start(
                        process,
                        "timer",
                        () -> {
                            baton.sleep(time);
                            turn.wake();
                        });
            }
        }
    }

    private static final Duration NEVER = Duration.ofDays(1);
    private static final Duration OLD = Duration.ofSeconds(60);

    private final Baton baton;
    private final RandomGenerator random;
    private final ModelDatabase database;
    private final Watch watch;
    private final Baton.Host process;
    private final UUID home;
    private final Duration[] skew = {Duration.ZERO};
    private final Uuid7 ids;
    private final ModelConfiguration.Known routing;
    private final ModelLease lease;
    private final ModelResults results;
    private final Dispatcher dispatcher;
    private final Backlog backlog;
    private final Holds holds;
    private final Map<Lane, Instant> wakes = new LinkedHashMap<>();
    private final List<Rounds> rounds = new ArrayList<>();
    private final boolean looks;
    private @Nullable ModelJournal journal;
    private @Nullable Rounds waking;
    private @Nullable Rounds sweeping;
    private Set<DeliveryId> suspects = Set.of();
    private int leaks;
    private boolean isUp;
    private boolean isStopping;
    private Instant cutOffUntil = Instant.MIN;

    ModelLife(
            String name,
            UUID home,
            Baton baton,
            RandomGenerator random,
            ModelDatabase database,
            ModelConfiguration configuration,
            ModelWire wire,
            Watch watch,
            Set<Flaw> flaws) {
        this.baton = baton;
        this.random = random;
        this.database = database;
        this.watch = watch;
        this.home = home;
        this.looks = !flaws.contains(Flaw.ACKNOWLEDGES_IN_DOUBT);
        process = new Baton.Host(name);
        ids = new Uuid7(clock(), random);
        routing = new ModelConfiguration.Known(configuration);
        lease = new ModelLease(baton, database, this, home, flaws.contains(Flaw.LEASE_IGNORED));
        results = new ModelResults(baton, random, database, this);
        var settlement = new Settlement(clock(), random, 0.2);
        var circuits =
                database.circuits()
                        .seenBy(
                                clock(),
                                lease::epoch,
                                claim -> () -> call("claim a probe", claim),
                                this::sweepSoon);
        holds = new Holds(circuits);
        var delivering =
                new Delivering(
                        routing,
                        (_, _, _) -> false,
                        wire.of(this),
                        settlement,
                        circuits,
                        OnTheWire.UNNOTED,
                        clock());
        dispatcher =
                new Dispatcher(
                        routing, lease, results, delivering, circuits, this::startSender, clock());
        lease.onFenced(dispatcher::dropAll);
        backlog =
                new Backlog(
                        lanes(),
                        routing,
                        lease,
                        dispatcher,
                        delivering,
                        results,
                        circuits,
                        clock(),
                        () -> 0);
        baton.start(process, "start", this::begin);
    }

    private void startSender(Runnable sender) {
        if (!process.isDead()) {
            baton.start(process, "send", sender::run);
        }
    }

    private void begin() {
        while (!isUp) {
            try {
                learn();
                lease.join();
                isUp = true;
            } catch (ModelDatabase.Lost e) {
                baton.sleep(Duration.ofSeconds(1));
            }
        }
        results.start((batch, effective) -> {
            dispatcher.written(batch, effective);
            noteWaiting(effective);
        });
        var reading = loop("backlog", Duration.ofSeconds(1), backlog);
        backlog.wakeBy(reading::wake);
        journal = new ModelJournal(baton, random, database, this, watch, journalListener(), looks);
        loop(
                "heartbeat",
                ModelLease.HEARTBEAT,
                () -> {
                    lease.round();
                    return false;
                });
        var configuration =
                loop(
                        "configuration",
                        Duration.ofSeconds(10),
                        () -> {
                            learn();
                            return false;
                        });
        routing.truth()
                .onChange(() -> configuration.wakeIn(Duration.ofMillis(random.nextInt(500))));
        waking = loop("lane wakes", NEVER, this::wakeLanes);
        var sweep = loop("sweep", Duration.ofSeconds(10), this::sweep);
        sweeping = sweep;
        routing.onChange(sweep::wake);
        var pacing = dispatcher.pacing();
        var pace =
                loop(
                        "pacing",
                        NEVER,
                        () -> {
                            pacing.look();
                            return false;
                        });
        pacing.wakeBy(() -> pace.wakeIn(Duration.ofMillis(50)));
        loop("leaks", OLD, this::lookForLeaks);
    }

    private Rounds loop(String name, Duration pause, Loop.Step step) {
        var loop = new Rounds(name, pause, step);
        rounds.add(loop);
        return loop;
    }

    private void learn() {
        routing.refresh(database.call(this, "configuration", () -> routing.truth().snapshot()));
    }

    /// The node that answered a PATCH knows of it when it answers.
    void learnAtOnce() {
        baton.start(
                process,
                "patch",
                () -> {
                    try {
                        learn();
                    } catch (ModelDatabase.Lost e) {
                        baton.note("learns of it later");
                    }
                });
    }

    private JournalListener journalListener() {
        return new JournalListener() {
            @Override
            public void stored(List<Accepted> events, long epoch) {
                dispatcher.intake().stored(events, epoch);
                for (var event : events) {
                    for (var planned : event.planned()) {
                        if (!planned.isFresh() && planned.route().hold(false).isEmpty()) {
                            noteWake(
                                    new Lane(planned.connection(), Trigger.INGEST, event.source()),
                                    clock().instant());
                        }
                    }
                }
            }

            @Override
            public void dropped(Accepted event) {
                dispatcher.intake().dropped(event);
            }
        };
    }

    // As Wakes, Sweep and Leaks.

    private void noteWaiting(List<Settled> effective) {
        for (var settled : effective) {
            switch (settled) {
                case Settled.Retried retried -> noteWake(Lane.of(retried.work()), retried.nextAt());
                case Settled.Released released ->
                        noteWake(Lane.of(released.work()), released.nextAt());
                case Settled.Finished _ -> {}
            }
        }
    }

    private void noteWake(Lane lane, Instant at) {
        wakes.merge(lane, at, (one, other) -> one.isBefore(other) ? one : other);
        var loop = waking;
        if (loop != null) {
            loop.wakeIn(Duration.ofMillis(random.nextInt(50)));
        }
    }

    private boolean wakeLanes() {
        var noted = new ArrayList<LaneStore.Wake>();
        wakes.forEach((lane, at) -> noted.add(new LaneStore.Wake(lane, at)));
        wakes.clear();
        wake(noted);
        return false;
    }

    private void wake(List<LaneStore.Wake> lanes) {
        if (!lanes.isEmpty()) {
            database.call(
                    this,
                    "wake " + lanes.size(),
                    () -> {
                        database.store().wake(lanes);
                        return "woken";
                    });
        }
    }

    private boolean sweep() {
        var found = new ArrayList<LaneStore.Wake>();
        for (var wake : database.call(this, "sweep", () -> database.store().sweep())) {
            var route = routing.route(wake.lane().connection());
            if (route.isEmpty()) {
                if (routing.gone(wake.lane().connection()).isPresent()) {
                    found.add(new LaneStore.Wake(wake.lane(), clock().instant()));
                }
            } else {
                holds.wakeAt(route.get(), wake.lane().trigger(), wake.at())
                        .ifPresent(at -> found.add(new LaneStore.Wake(wake.lane(), at)));
            }
        }
        wake(found);
        return false;
    }

    /// As the lanes of a circuit that moved are woken.
    private void sweepSoon() {
        var sweep = sweeping;
        if (sweep != null) {
            sweep.wakeIn(Duration.ofMillis(random.nextInt(1_000)));
        }
    }

    private boolean lookForLeaks() {
        var store = database.store();
        var now = clock().instant();
        var forgotten = new HashSet<>(database.call(this, "owners", store::owners));
        forgotten.addAll(database.call(this, "lane owners", store::laneOwners));
        forgotten.removeAll(database.call(this, "epochs", () -> store.nodes().epochs()));
        for (long orphan : forgotten.stream().sorted().toList()) {
            lease.takeOver(orphan);
        }
        long epoch = lease.epoch();
        var unknown = new HashSet<DeliveryId>();
        var leaked = new HashSet<DeliveryId>();
        var floor = Uuid7.floor(now.minus(OLD));
        for (var delivery : database.call(this, "owned", () -> store.ownedSince(epoch, floor))) {
            if (!dispatcher.knows(delivery)) {
                (suspects.contains(delivery) ? leaked : unknown).add(delivery);
            }
        }
        if (!leaked.isEmpty()) {
            leaks += (int) leaked.stream().filter(one -> !watch.isGivenUp(one)).count();
            database.call(
                    this,
                    "leaked " + leaked,
                    () -> {
                        store.release(leaked, epoch, now);
                        return "released";
                    });
        }
        suspects = unknown;
        return false;
    }

    private Lanes lanes() {
        return new Lanes() {
            @Override
            public List<Lane> lease(long epoch, Instant now, int limit) {
                return call("lease", () -> database.store().lease(epoch, now, limit));
            }

            @Override
            public List<Lane> leased(long epoch) {
                return call("leased", () -> database.store().leased(epoch));
            }

            @Override
            public void release(Lane lane, long epoch, Optional<Instant> wakeAt) {
                Supplier<Optional<Instant>> released =
                        () -> {
                            database.store().release(lane, epoch, wakeAt);
                            return wakeAt;
                        };
                String what = "release " + name(lane);
                if (watch.isTimeTrue()) {
                    call(what, released);
                } else {
                    // A late one together with a clock that leaps over its doubt frees a lane in
                    // use.
                    database.callInTime(ModelLife.this, what, released);
                }
            }

            @Override
            public List<LaneStore.Waiting> due(
                    Lane lane, Instant until, Instant afterNextAt, UUID afterId, int limit) {
                return call(
                        "due in " + name(lane),
                        () -> database.store().due(lane, until, afterNextAt, afterId, limit));
            }

            @Override
            public Optional<Instant> firstDue(Lane lane) {
                return call("first due in " + name(lane), () -> database.store().firstDue(lane));
            }

            @Override
            public Map<EventId, Payload> payloads(SourceId source, Collection<EventId> events) {
                return call("payloads", () -> database.store().payloads(source, events));
            }
        };
    }

    /// Connections are made one after the other: the middle tells them apart.
    private static String name(Lane lane) {
        return lane.connection().value().toString().substring(14, 18) + " " + lane.trigger();
    }

    private <T> T call(String what, Supplier<T> transaction) {
        return database.call(this, what, transaction);
    }

    /// As ingest does, to a source by its number. Its sender is told by the watch.
    void ingest(int source, Payload payload, boolean isRoom) {
        var receiver = journal;
        if (receiver == null || isStopping || !isUp) {
            return;
        }
        var routes = routing.inlet(source);
        if (routes.isEmpty()) {
            return;
        }
        var id = new EventId(ids.next(12));
        var planned = new ArrayList<Accepted.Planned>();
        for (var route : routes) {
            boolean isFresh =
                    isRoom
                            && route.hold(false).isEmpty()
                            && dispatcher
                                    .intake()
                                    .reserve(route.destination().id(), payload.size());
            var delivery = DeliveryId.of(id, planned.size() + 1);
            watch.made(
                    delivery,
                    new Watch.Made(
                            route.connection().id(),
                            Trigger.INGEST,
                            route.destination().spec().retryPolicy()));
            planned.add(new Accepted.Planned(delivery, route, isFresh));
        }
        var event =
                new Accepted(
                        id,
                        routes.getFirst().source().id(),
                        "POST",
                        Optional.empty(),
                        Checked.SKIPPED,
                        payload,
                        planned,
                        List.of(),
                        new Receipt(0));
        baton.note("%s offers %s to %s", process, id, planned.size());
        if (!receiver.offer(event)) {
            dispatcher.intake().cancel(planned, payload.size());
        }
    }

    // What is done to it.

    void kill() {
        baton.note("%s is killed", process);
        baton.kill(process);
    }

    void freeze(Duration time) {
        baton.note("%s stands still for %s", process, time);
        process.freeze(baton.now().plus(time));
    }

    void thaw() {
        process.freeze(Instant.MIN);
        cutOffUntil = Instant.MIN;
    }

    void cutOff(Duration time) {
        baton.note("%s is cut off for %s", process, time);
        cutOffUntil = baton.now().plus(time);
    }

    boolean isCutOff() {
        return baton.now().isBefore(cutOffUntil);
    }

    void setClock(Duration ahead) {
        baton.note("%s has its clock at %s", process, ahead);
        skew[0] = ahead;
    }

    /// Stops in the order in which `Sluice` closes. Attempts under way have no time left.
    void stop() {
        if (isStopping || !isUp) {
            return;
        }
        baton.note("%s stops", process);
        isStopping = true;
        baton.start(
                process,
                "stop",
                () -> {
                    rounds.forEach(Rounds::wake);
                    while (rounds.stream().anyMatch(loop -> !loop.turn.isDone())) {
                        baton.sleep(Duration.ofMillis(50));
                        rounds.forEach(Rounds::wake);
                    }
                    var receiver = journal;
                    if (receiver != null) {
                        receiver.close();
                    }
                    dispatcher.stop(Duration.ZERO);
                    baton.sleep(Duration.ofMillis(random.nextInt(8_000)));
                    results.close();
                    try {
                        wakeLanes();
                        backlog.leave();
                        lease.leave();
                    } catch (ModelDatabase.Lost e) {
                        baton.note("its lease ends by itself");
                    }
                    baton.kill(process);
                });
    }

    // What is seen of it.

    InstantSource clock() {
        return () -> baton.now().plus(skew[0]);
    }

    Baton.Host process() {
        return process;
    }

    UUID home() {
        return home;
    }

    long epoch() {
        return lease.epoch();
    }

    ModelConfiguration.Known routing() {
        return routing;
    }

    boolean isDead() {
        return process.isDead();
    }

    boolean isStopping() {
        return isStopping;
    }

    boolean isUp() {
        return isUp && !isStopping && !isDead();
    }

    boolean isQuiet() {
        var receiver = journal;
        return results.isEmpty() && (receiver == null || receiver.isEmpty());
    }

    /// When nothing is left to do, nothing is left in memory.
    void checkEmpty(Collection<DeliveryId> deliveries) {
        if (dispatcher.permitsLeft() != Dispatcher.PERMITS) {
            baton.violated("%s has %s permits left", process, dispatcher.permitsLeft());
        }
        if (dispatcher.bytes() != 0) {
            baton.violated("%s counts %s bytes", process, dispatcher.bytes());
        }
        for (var delivery : deliveries) {
            if (dispatcher.knows(delivery)) {
                baton.violated("%s has %s in memory", process, delivery);
            }
        }
        if (leaks > 0) {
            baton.violated("%s found %s leaks", process, leaks);
        }
    }

    @Override
    public String toString() {
        return process.toString();
    }
}
