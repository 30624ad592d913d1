package dev.sluice.engine.send;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.Attempt;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.EventId;
import dev.sluice.engine.EventVerification;
import dev.sluice.engine.InFlightRecorder;
import dev.sluice.engine.Payload;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.commit.AcceptedEvent;
import dev.sluice.engine.commit.DeliveryResult;
import dev.sluice.engine.commit.JournalListener;
import dev.sluice.engine.commit.ModelStore;
import dev.sluice.engine.commit.Receipt;
import dev.sluice.engine.commit.SimulatedCommit;
import dev.sluice.engine.lanes.Backlog;
import dev.sluice.engine.lanes.Lane;
import dev.sluice.engine.lanes.LaneStore;
import dev.sluice.engine.lanes.Lanes;
import dev.sluice.engine.lanes.ProbeStore;
import dev.sluice.engine.settle.Probe;
import dev.sluice.engine.settle.Settlement;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.DbRefusals;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Wake;

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

/// One process of a relay: the real dispatch and settle, wired as `Sluice` wires them, with
/// everything around them simulated.
final class SimulatedNode {

    /// A bug built into the code around dispatch, to show that the simulation finds it.
    enum NodeFlaw {
        LEASE_IGNORED,
        ACKNOWLEDGES_IN_DOUBT,
        PROBES_WITH_THE_OLDEST
    }

    /// A thread that runs rounds, like [Loop].
    private final class SimulatedLoop {

        private final Duration pause;
        private final Loop.Step step;
        private final Optional<Wake> wake;
        private final DeterministicScheduler.SimulatedTask task;
        private boolean isAwake;

        SimulatedLoop(String name, Duration pause, Loop.Step step, Optional<Wake> wake) {
            this.pause = pause;
            this.step = step;
            this.wake = wake;
            this.task = scheduler.start(process, name, this::rounds);
        }

        private void rounds() throws InterruptedException {
            while (!isStopping) {
                isAwake = false;
                wake.ifPresent(Wake::take);
                if (!round() && !isAwake) {
                    scheduler.sleep(pause);
                } else {
                    scheduler.yieldPoint();
                }
            }
        }

        private boolean round() throws InterruptedException {
            try {
                return step.run();
            } catch (SimulatedDatabase.ConnectionLost e) {
                return false;
            }
        }

        void wake() {
            isAwake = true;
            task.wake();
        }

        /// Starts a round after `time`, unless one is due already.
        void wakeIn(Duration time) {
            if (!isAwake) {
                isAwake = true;
                scheduler.start(
                        process,
                        "timer",
                        () -> {
                            scheduler.sleep(time);
                            task.wake();
                        });
            }
        }
    }

    /// What all nodes of a simulation share.
    record NodeEnvironment(
            DeterministicScheduler scheduler,
            RandomGenerator random,
            SimulatedDatabase database,
            SimulatedConfiguration configuration,
            SimulatedReceivers receivers,
            InvariantChecker invariants) {}

    private static final Duration RECEIPT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration OVERDUE_CHECK_INTERVAL = Duration.ofMillis(500);

    /// The SQLSTATEs with which batches are refused: disk full, raised by a trigger, not
    /// representable.
    private static final List<String> EVENT_REFUSALS =
            List.of("53100", "P0001", "22021", SimulatedWriter.MISSING_DAY);

    /// A result whose row is bad is given up, which the invariants would call a leak.
    private static final List<String> RESULT_REFUSALS =
            List.of("53100", "P0001", SimulatedWriter.MISSING_DAY);

    private static final SimulatedWriter.SimulatedTable<AcceptedEvent> EVENTS =
            new SimulatedWriter.SimulatedTable<>() {
                @Override
                public List<AcceptedEvent> write(
                        ModelStore store, List<AcceptedEvent> events, long epoch, Instant now) {
                    store.store(events, epoch, now);
                    return events;
                }

                @Override
                public boolean isStored(ModelStore store, AcceptedEvent event) {
                    return store.isStored(event.id());
                }
            };

    private static final SimulatedWriter.SimulatedTable<DeliveryResult> RESULTS =
            new SimulatedWriter.SimulatedTable<>() {
                @Override
                public List<DeliveryResult> write(
                        ModelStore store, List<DeliveryResult> results, long epoch, Instant now) {
                    return store.write(
                            results.stream().map(result -> result.notDueBefore(now)).toList(),
                            epoch);
                }

                @Override
                public boolean isStored(ModelStore store, DeliveryResult result) {
                    throw new IllegalStateException("a result is written again, not looked up");
                }
            };

    private static final Duration WAKE_ONLY_INTERVAL = Duration.ofDays(1);
    private static final Duration LEAK_AGE = Duration.ofSeconds(60);

    private final DeterministicScheduler scheduler;
    private final RandomGenerator random;
    private final SimulatedDatabase database;
    private final InvariantChecker invariants;
    private final DeterministicScheduler.SimulatedProcess process;
    private final UUID dataDirectoryId;
    private final Duration[] skew = {Duration.ZERO};
    private final Uuid7 ids;
    private final SimulatedConfiguration.NodeConfiguration routing;
    private final SimulatedLease lease;
    private final SimulatedWriter<DeliveryResult> results;
    private final SimulatedWriter<AcceptedEvent> journal;
    private final int maxQueuedResults;
    private final Dispatcher dispatcher;
    private final Backlog backlog;
    private final HoldPolicy holdPolicy;
    private final DispatchWakes dispatchWakes = DispatchWakes.create();
    private final Map<Lane, Instant> wakes = new LinkedHashMap<>();
    private final List<SimulatedLoop> rounds = new ArrayList<>();
    private final boolean isProbedWithTheOldest;
    private @Nullable SimulatedCommit<AcceptedEvent> eventCommit;
    private @Nullable SimulatedLoop wakeLoop;
    private @Nullable SimulatedLoop sweepLoop;
    private Set<DeliveryId> suspects = Set.of();
    private int leaks;
    private boolean isUp;
    private boolean isStopping;
    private Instant cutOffUntil = Instant.MIN;

    SimulatedNode(
            String name, UUID dataDirectoryId, NodeEnvironment environment, Set<NodeFlaw> flaws) {
        scheduler = environment.scheduler();
        random = environment.random();
        database = environment.database();
        invariants = environment.invariants();
        this.dataDirectoryId = dataDirectoryId;
        this.isProbedWithTheOldest = flaws.contains(NodeFlaw.PROBES_WITH_THE_OLDEST);
        process = new DeterministicScheduler.SimulatedProcess(name);
        ids = new Uuid7(clock(), random);
        routing = new SimulatedConfiguration.NodeConfiguration(environment.configuration());
        lease =
                new SimulatedLease(
                        scheduler,
                        database,
                        this,
                        dataDirectoryId,
                        flaws.contains(NodeFlaw.LEASE_IGNORED));
        results =
                new SimulatedWriter<>(
                        this, environment, "results", RESULTS, RESULT_REFUSALS, false);
        journal =
                new SimulatedWriter<>(
                        this,
                        environment,
                        "journal",
                        EVENTS,
                        EVENT_REFUSALS,
                        flaws.contains(NodeFlaw.ACKNOWLEDGES_IN_DOUBT));
        maxQueuedResults = random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 1_000;
        var settlement = new Settlement(clock(), random, 0.2);
        var circuits =
                database.circuits()
                        .viewOf(
                                clock(),
                                lease::epoch,
                                claim -> () -> call("claim a probe", () -> noted(claim.get())),
                                this::sweepSoon);
        holdPolicy = new HoldPolicy(circuits);
        var attemptRunner =
                new AttemptRunner(
                        routing,
                        (_, _) -> false,
                        environment.receivers().of(this),
                        settlement,
                        circuits,
                        InFlightRecorder.NO_OP,
                        clock());
        dispatcher =
                TestDispatchers.with(
                        new DispatchEnvironment(
                                routing, lease, this::addResult, circuits, clock(), dispatchWakes),
                        attemptRunner,
                        this::startSender);
        lease.onFenced(dispatcher::dropAll);
        backlog =
                new Backlog(
                        new DispatchEnvironment(
                                routing, lease, this::addResult, circuits, clock(), dispatchWakes),
                        lanes(),
                        dispatcher,
                        attemptRunner,
                        () -> 0);
        scheduler.start(process, "start", this::begin);
    }

    /// Notes for the checker which deliveries a probe that was claimed may ask with.
    private Optional<Probe> noted(Optional<Probe> claimed) {
        claimed.ifPresent(probe -> invariants.probeClaimed(database.store(), this, probe, now()));
        return claimed;
    }

    private Instant now() {
        return clock().instant();
    }

    private void addResult(DeliveryResult result, boolean isAwaited) {
        scheduler.yieldPoint();
        while (results.queue().size() >= maxQueuedResults) {
            scheduler.sleep(Duration.ofMillis(20));
        }
        scheduler.trace("result %s", result);
        // an exception of ours: these receivers never give such an answer
        if (result.attemptMade()
                .flatMap(Attempt::errorCode)
                .filter(code -> code == ErrorCode.INVALID_RESPONSE)
                .isPresent()) {
            scheduler.reportViolation(
                    "%s failed because of an internal error", result.delivery().id());
        }
        results.add(result);
    }

    private void startSender(Runnable sender) {
        if (!process.isDead()) {
            scheduler.start(process, "send", sender::run);
        }
    }

    private void begin() {
        while (!isUp) {
            try {
                refreshConfiguration();
                lease.join();
                isUp = true;
            } catch (SimulatedDatabase.ConnectionLost e) {
                scheduler.sleep(Duration.ofSeconds(1));
            }
        }
        results.start(
                SimulatedCommit.ofResults(
                        results,
                        (batch, effective) -> {
                            if (!isDead()) {
                                dispatcher.written(batch, effective);
                                noteWaiting(effective);
                            }
                        },
                        lease::epoch));
        var reading = loop("backlog", Duration.ofSeconds(1), backlog, dispatchWakes.backlog());
        dispatchWakes.backlog().listen(reading::wake);
        var probes =
                loop("probes", Duration.ofSeconds(1), backlog.probeLoop(), dispatchWakes.probes());
        dispatchWakes.probes().listen(probes::wake);
        var events = SimulatedCommit.ofEvents(journal, journalListener(), lease::epoch);
        eventCommit = events;
        journal.start(events);
        loop(
                "overdue",
                OVERDUE_CHECK_INTERVAL,
                () -> {
                    SimulatedCommit.refuseOverdue(journal.queue(), journal.nanoTime());
                    SimulatedCommit.refuseOverdue(events, journal.nanoTime());
                    return false;
                });
        loop(
                "heartbeat",
                SimulatedLease.HEARTBEAT_INTERVAL,
                () -> {
                    lease.heartbeat();
                    return false;
                });
        loop(
                "takeover",
                SimulatedLease.HEARTBEAT_INTERVAL,
                () -> {
                    lease.takeOver();
                    return false;
                });
        var configuration =
                loop(
                        "configuration",
                        Duration.ofSeconds(10),
                        () -> {
                            refreshConfiguration();
                            return false;
                        });
        routing.configuration()
                .onChange(() -> configuration.wakeIn(Duration.ofMillis(random.nextInt(500))));
        wakeLoop = loop("lane wakes", WAKE_ONLY_INTERVAL, this::wakeLanes);
        var sweep = loop("sweep", Duration.ofSeconds(10), this::sweep);
        sweepLoop = sweep;
        routing.onChange(sweep::wake);
        routing.onChange(reading::wake);
        var rateLimitQueue = dispatcher.rateLimitQueue();
        var rateLimitLoop =
                loop(
                        "pacing",
                        Duration.ofSeconds(1),
                        () -> {
                            rateLimitQueue.retryAll();
                            return false;
                        },
                        dispatchWakes.rateLimits());
        dispatchWakes.rateLimits().listen(() -> rateLimitLoop.wakeIn(Duration.ofMillis(50)));
        loop("leaks", LEAK_AGE, this::detectLeaks);
    }

    private SimulatedLoop loop(String name, Duration pause, Loop.Step step) {
        return start(new SimulatedLoop(name, pause, step, Optional.empty()));
    }

    private SimulatedLoop loop(String name, Duration pause, Loop.Step step, Wake wake) {
        return start(new SimulatedLoop(name, pause, step, Optional.of(wake)));
    }

    private SimulatedLoop start(SimulatedLoop loop) {
        rounds.add(loop);
        return loop;
    }

    private void refreshConfiguration() {
        routing.refresh(
                database.call(this, "configuration", () -> routing.configuration().snapshot()));
    }

    /// Reads the configuration soon: the node that answered a PATCH knows the change when it
    /// answers.
    void refreshConfigurationSoon() {
        scheduler.start(
                process,
                "patch",
                () -> {
                    try {
                        refreshConfiguration();
                    } catch (SimulatedDatabase.ConnectionLost e) {
                        scheduler.trace("reads the configuration later");
                    }
                });
    }

    private JournalListener journalListener() {
        return new JournalListener() {
            @Override
            public void stored(List<AcceptedEvent> events, long epoch) {
                if (isDead()) {
                    return;
                }
                for (var event : events) {
                    if (!event.receipt().isRefused()) {
                        invariants.acknowledged(event.id());
                    }
                }
                dispatcher.admission().stored(events, epoch);
                for (var event : events) {
                    for (var planned : event.deliveries()) {
                        if (!planned.isFresh() && planned.route().holdReason(false).isEmpty()) {
                            noteWake(
                                    new Lane(planned.connection(), Trigger.INGEST, event.source()),
                                    clock().instant());
                        }
                    }
                }
            }

            @Override
            public void dropped(AcceptedEvent event) {
                if (!isDead()) {
                    invariants.givenUp(event.id());
                    dispatcher.admission().dropped(event);
                }
            }
        };
    }

    // Wakes lanes as `LaneWaker`, `LaneSweeper` and `LeakDetector` do.

    private void noteWaiting(List<DeliveryResult> effective) {
        for (var result : effective) {
            switch (result) {
                case DeliveryResult.RetryResult retried ->
                        noteWake(Lane.of(retried.delivery()), retried.nextAt());
                case DeliveryResult.ReleaseResult released ->
                        noteWake(Lane.of(released.delivery()), released.nextAt());
                case DeliveryResult.FinalResult _ -> {}
            }
        }
    }

    private void noteWake(Lane lane, Instant at) {
        wakes.merge(lane, at, (one, other) -> one.isBefore(other) ? one : other);
        var loop = wakeLoop;
        if (loop != null) {
            loop.wakeIn(Duration.ofMillis(random.nextInt(50)));
        }
    }

    private boolean wakeLanes() {
        var noted = new ArrayList<LaneStore.LaneWake>();
        wakes.forEach((lane, at) -> noted.add(new LaneStore.LaneWake(lane, at)));
        wakes.clear();
        wake(noted);
        return false;
    }

    private void wake(List<LaneStore.LaneWake> lanes) {
        wake(lanes, false);
    }

    private void wake(List<LaneStore.LaneWake> lanes, boolean isLeasedLeftAlone) {
        if (!lanes.isEmpty()) {
            database.call(
                    this,
                    "wake " + lanes.size(),
                    () -> {
                        database.store().wake(lanes, isLeasedLeftAlone);
                        return "woken";
                    });
        }
    }

    private boolean sweep() {
        var found = new ArrayList<LaneStore.LaneWake>();
        for (var wake : database.call(this, "sweep", () -> database.store().sweep())) {
            var route = routing.route(wake.lane().connection());
            if (route.isEmpty()) {
                if (routing.deletion(wake.lane().connection()).isPresent()) {
                    found.add(new LaneStore.LaneWake(wake.lane(), clock().instant()));
                }
            } else {
                holdPolicy
                        .wakeAt(route.get(), wake.lane().trigger(), wake.at())
                        .ifPresent(at -> found.add(new LaneStore.LaneWake(wake.lane(), at)));
            }
        }
        wake(found, true);
        return false;
    }

    /// Sweeps soon, replacing the wakes that follow a circuit change.
    private void sweepSoon() {
        var sweep = sweepLoop;
        if (sweep != null) {
            sweep.wakeIn(Duration.ofMillis(random.nextInt(1_000)));
        }
    }

    private boolean detectLeaks() {
        var store = database.store();
        var now = clock().instant();
        long epoch = lease.epoch();
        var unknown = new HashSet<DeliveryId>();
        var leaked = new HashSet<DeliveryId>();
        var floor = Uuid7.floor(now.minus(LEAK_AGE));
        for (var delivery : database.call(this, "owned", () -> store.ownedSince(epoch, floor))) {
            if (!dispatcher.hasFresh(delivery)) {
                (suspects.contains(delivery) ? leaked : unknown).add(delivery);
            }
        }
        if (!leaked.isEmpty()) {
            leaks += (int) leaked.stream().filter(one -> !invariants.isGivenUp(one)).count();
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
            public List<LaneStore.DueLane> dueFor(
                    long epoch, Instant now, Collection<WorkspaceId> excluded, int limit) {
                return call("due lanes", () -> database.store().dueFor(epoch, now, limit));
            }

            @Override
            public List<Lane> lease(long epoch, Instant now, Collection<Lane> wanted) {
                return call("lease", () -> database.store().lease(epoch, now, wanted));
            }

            @Override
            public List<LaneStore.LeasedLane> leased(long epoch) {
                return call("leased", () -> database.store().leased(epoch));
            }

            @Override
            public void wake(Lane lane, Instant at) {
                SimulatedNode.this.wake(List.of(new LaneStore.LaneWake(lane, at)));
            }

            @Override
            public void release(Lane lane, long epoch, Optional<Instant> wakeAt) {
                Supplier<Optional<Instant>> released =
                        () -> {
                            database.store().release(lane, epoch, wakeAt);
                            return wakeAt;
                        };
                String what = "release " + name(lane);
                if (invariants.isTimeTrue()) {
                    call(what, released);
                } else {
                    // A late release, together with a clock that jumps past the time of its doubt,
                    // would free a lane in use.
                    database.callInTime(SimulatedNode.this, what, released);
                }
            }

            @Override
            public List<LaneStore.WaitingDelivery> due(
                    Lane lane, Instant until, Instant afterNextAt, UUID afterId, int limit) {
                return call(
                        "due in " + name(lane),
                        () -> database.store().due(lane, until, afterNextAt, afterId, limit));
            }

            @Override
            public Optional<ProbeStore.ProbeCandidate> leaseForProbe(
                    long epoch, ProbeStore.ProbeLanes lanes, boolean isNewest, Instant now) {
                if (isProbedWithTheOldest) {
                    return Optional.empty();
                }
                return call(
                        "lease for a probe",
                        () ->
                                database.store()
                                        .leaseForProbe(
                                                epoch,
                                                lane -> mayProbe(lanes.destination(), lane),
                                                lanes.readable(),
                                                isNewest,
                                                now));
            }

            @Override
            public Optional<Instant> firstDue(Lane lane) {
                return call("first due in " + name(lane), () -> database.store().firstDue(lane));
            }

            @Override
            public Map<EventId, Payload> payloads(SourceId source, Collection<EventId> events) {
                var payloads = call("payloads", () -> database.store().payloads(source, events));
                if (payloads.values().stream().anyMatch(Simulation::isDamaged)) {
                    throw DbRefusals.of("XX001");
                }
                return payloads;
            }
        };
    }

    /// Whether a lane leads to this destination and is not on hold, as far as this node knows.
    boolean mayProbe(DestinationId destination, Lane lane) {
        return routing.route(lane.connection())
                .filter(route -> route.destination().id().equals(destination))
                .filter(route -> lane.trigger().holdReason(route).isEmpty())
                .isPresent();
    }

    /// A short name. Connections are made one after the other, so the middle of their ids differs.
    private static String name(Lane lane) {
        return lane.connection().value().toString().substring(14, 18) + " " + lane.trigger();
    }

    private <T> T call(String what, Supplier<T> transaction) {
        return database.call(this, what, transaction);
    }

    /// Offers an event as ingest does, to a source by its number. `InvariantChecker` records the
    /// answer.
    void ingest(int source, Payload payload, boolean isRoom) {
        if (eventCommit == null || isStopping || !isUp) {
            return;
        }
        var routes = routing.routesOf(source);
        if (routes.isEmpty()) {
            return;
        }
        var id = new EventId(ids.next(12));
        var planned = new ArrayList<AcceptedEvent.PlannedDelivery>();
        for (var route : routes) {
            boolean isFresh =
                    isRoom
                            && route.holdReason(false).isEmpty()
                            && dispatcher
                                    .admission()
                                    .reserve(route.destination().id(), payload.memoryBytes());
            var delivery = DeliveryId.of(id, planned.size() + 1);
            invariants.expected(
                    delivery,
                    new InvariantChecker.ExpectedDelivery(
                            route.connection().id(),
                            Trigger.INGEST,
                            route.destination().spec().retrySchedule()));
            planned.add(new AcceptedEvent.PlannedDelivery(delivery, route, isFresh));
        }
        var event =
                new AcceptedEvent(
                        id,
                        routes.getFirst().source(),
                        "POST",
                        Optional.empty(),
                        EventVerification.SKIPPED,
                        payload,
                        new AcceptedEvent.DeliveryPlan(planned, List.of()),
                        new Receipt(journal.nanoTime() + RECEIPT_TIMEOUT.toNanos()));
        scheduler.trace("%s offers %s to %s", process, id, planned.size());
        journal.add(event);
    }

    // Faults that the simulation injects.

    void kill() {
        scheduler.trace("%s is killed", process);
        scheduler.kill(process);
    }

    void freeze(Duration time) {
        scheduler.trace("%s is frozen for %s", process, time);
        process.freeze(scheduler.now().plus(time));
    }

    void thaw() {
        process.freeze(Instant.MIN);
        cutOffUntil = Instant.MIN;
    }

    void cutOff(Duration time) {
        scheduler.trace("%s is cut off for %s", process, time);
        cutOffUntil = scheduler.now().plus(time);
    }

    boolean isCutOff() {
        return scheduler.now().isBefore(cutOffUntil);
    }

    void setClock(Duration ahead) {
        scheduler.trace("%s has its clock off by %s", process, ahead);
        skew[0] = ahead;
    }

    /// Stops in the order in which `Sluice` closes. Attempts under way have no time left.
    void stop() {
        if (isStopping || !isUp) {
            return;
        }
        scheduler.trace("%s stops", process);
        isStopping = true;
        scheduler.start(
                process,
                "stop",
                () -> {
                    rounds.forEach(SimulatedLoop::wake);
                    while (rounds.stream().anyMatch(loop -> !loop.task.isDone())) {
                        scheduler.sleep(Duration.ofMillis(50));
                        rounds.forEach(SimulatedLoop::wake);
                    }
                    journal.close();
                    dispatcher.stop(Duration.ZERO);
                    scheduler.sleep(Duration.ofMillis(random.nextInt(8_000)));
                    results.close();
                    try {
                        wakeLanes();
                        backlog.leave();
                        lease.leave();
                    } catch (SimulatedDatabase.ConnectionLost e) {
                        scheduler.trace("its lease expires");
                    }
                    scheduler.kill(process);
                });
    }

    // What others see of the node.

    InstantSource clock() {
        return () -> scheduler.now().plus(skew[0]);
    }

    DeterministicScheduler.SimulatedProcess process() {
        return process;
    }

    UUID dataDirectoryId() {
        return dataDirectoryId;
    }

    long epoch() {
        return lease.epoch();
    }

    SimulatedConfiguration.NodeConfiguration routing() {
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
        return results.isEmpty() && journal.isEmpty();
    }

    /// Checks that nothing is left in memory when nothing is left to do.
    void checkEmpty(Collection<DeliveryId> deliveries) {
        if (dispatcher.permitsLeft() != Dispatcher.MAX_ATTEMPTS_IN_FLIGHT) {
            scheduler.reportViolation("%s has %s permits left", process, dispatcher.permitsLeft());
        }
        if (dispatcher.bytes() != 0) {
            scheduler.reportViolation("%s has %s bytes reserved", process, dispatcher.bytes());
        }
        for (var delivery : deliveries) {
            if (dispatcher.hasFresh(delivery)) {
                scheduler.reportViolation("%s has %s in memory", process, delivery);
            }
        }
        if (leaks > 0) {
            scheduler.reportViolation("%s found %s leaks", process, leaks);
        }
    }

    @Override
    public String toString() {
        return process.toString();
    }
}
