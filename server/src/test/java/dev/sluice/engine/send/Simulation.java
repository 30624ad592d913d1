package dev.sluice.engine.send;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.Payload;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.engine.commit.ModelStore;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.testkit.Some;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.random.RandomGenerator;

/// One simulated run of a relay from a seed: several nodes, a database and receivers, for a minute
/// or two of simulated time. A phase of faults comes first, then a quiet phase in which every
/// delivery must end.
final class Simulation {

    /// How often each kind of fault happens. Some seeds have none of a kind, so that it cannot hide
    /// what another kind breaks.
    private record FaultWeights(
            int kill, int freeze, int stop, int cutOff, int outage, int clock, int change) {

        static FaultWeights of(RandomGenerator random) {
            return new FaultWeights(
                    some(random, 6),
                    some(random, 6),
                    some(random, 4),
                    some(random, 4),
                    some(random, 3),
                    some(random, 4),
                    some(random, 10));
        }

        private static int some(RandomGenerator random, int maximum) {
            return random.nextInt(5) < 2 ? 0 : random.nextInt(maximum + 1);
        }

        private int all() {
            return kill + freeze + stop + cutOff + outage + clock + change;
        }
    }

    /// The statistics of one seed.
    record SimulationStatistics(
            long steps, long fingerprint, int events, int attempts, int duplicates) {}

    private static final int MAX_NODES = 3;
    private static final long MAX_STEPS = 300_000;

    /// In the quiet phase, everything ends within this time, even what fast clocks have postponed.
    private static final Duration SETTLE_TIMEOUT = Duration.ofMinutes(5);

    /// A stored payload of this size cannot be read.
    private static final int DAMAGED_BODY_BYTES = 13;

    /// Shared by all payloads that are meant to be large.
    private static final byte[] LARGE_BODY = new byte[50 << 20];

    private final RandomGenerator random;
    private final DeterministicScheduler scheduler;
    private final InvariantChecker invariants;
    private final ModelStore store;
    private final SimulatedDatabase database;
    private final SimulatedConfiguration configuration;
    private final SimulatedReceivers receivers;
    private final Uuid7 ids;
    private final FaultWeights faultWeights;
    private final Set<SimulatedNode.NodeFlaw> flaws;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<UUID> dataDirectoryIds = new ArrayList<>();
    private final DeterministicScheduler.SimulatedProcess world =
            new DeterministicScheduler.SimulatedProcess("world");
    private final boolean isSkewKept;
    private int nodesStarted;
    private int resends;
    private Duration maxClockAhead = Duration.ZERO;

    Simulation(
            long seed,
            Set<ModelStore.InjectedFlaw> storeFlaws,
            Set<SimulatedNode.NodeFlaw> flaws,
            boolean isTraced) {
        random = new SplittableRandom(seed);
        scheduler = new DeterministicScheduler(random, Some.NOON, isTraced);
        this.flaws = flaws;
        ids = new Uuid7(scheduler::now, random);
        faultWeights = FaultWeights.of(random);
        invariants = new InvariantChecker(scheduler, faultWeights.clock() == 0);
        store = new ModelStore(0, storeFlaws);
        database = new SimulatedDatabase(scheduler, random, store, invariants);
        configuration = new SimulatedConfiguration(random, ids, Some.NOON);
        receivers = new SimulatedReceivers(scheduler, random, database, invariants);
        isSkewKept = random.nextInt(4) == 0;
        for (int i = random.nextInt(MAX_NODES); i >= 0; i--) {
            dataDirectoryIds.add(ids.next());
        }
    }

    /// Runs the simulation and returns the first failure, if any.
    Optional<Throwable> run() {
        var worldTask = scheduler.start(world, "fate", this::runWorld);
        while (scheduler.failure().isEmpty() && !worldTask.isDone() && scheduler.step()) {
            if (scheduler.steps() > MAX_STEPS) {
                scheduler.reportViolation("the run does not end");
            }
        }
        scheduler.endAll();
        return scheduler.failure();
    }

    List<String> log() {
        return scheduler.log();
    }

    SimulationStatistics numbers() {
        return new SimulationStatistics(
                scheduler.steps(),
                scheduler.fingerprint(),
                store.eventCount(),
                invariants.attemptCount(),
                invariants.duplicates());
    }

    private void runWorld() {
        scheduler.trace("%s, %s", faultWeights, configuration.snapshot());
        dataDirectoryIds.forEach(this::begin);
        var peace = scheduler.now().plusSeconds(20 + random.nextInt(40));
        while (scheduler.now().isBefore(peace)) {
            scheduler.sleep(
                    Duration.ofMillis(random.nextInt(random.nextInt(10) == 0 ? 4_000 : 600)));
            if (random.nextInt(3) == 0) {
                injectFault();
            } else {
                traffic();
            }
        }
        stopFaults();
        awaitSettled();
    }

    private SimulatedNode begin(UUID dataDirectoryId) {
        var node =
                new SimulatedNode(
                        "node-" + ++nodesStarted,
                        dataDirectoryId,
                        new SimulatedNode.NodeEnvironment(
                                scheduler, random, database, configuration, receivers, invariants),
                        flaws);
        nodes.add(node);
        return node;
    }

    private Optional<SimulatedNode> someNode() {
        var up = nodes.stream().filter(SimulatedNode::isUp).toList();
        return up.isEmpty() ? Optional.empty() : Optional.of(up.get(random.nextInt(up.size())));
    }

    private void traffic() {
        if (random.nextInt(8) == 0) {
            resend();
            return;
        }
        for (int i = random.nextInt(4); i >= 0; i--) {
            someNode()
                    .ifPresent(node ->
                            node.ingest(
                                    random.nextInt(configuration.snapshot().sources().size()),
                                    somePayload(),
                                    random.nextInt(6) > 0));
        }
    }

    private Payload somePayload() {
        return random.nextInt(20) == 0
                ? Payload.fromStored(new byte[0], LARGE_BODY)
                : Payload.fromStored(new byte[0], new byte[random.nextInt(100)]);
    }

    /// Whether the database cannot read this payload once it is stored.
    static boolean isDamaged(Payload payload) {
        return payload.body().length == DAMAGED_BODY_BYTES;
    }

    private void resend() {
        var events = store.events();
        if (events.isEmpty() || resends > 40) {
            return;
        }
        var event = events.get(random.nextInt(events.size()));
        var of =
                configuration.snapshot().connections().stream()
                        .filter(connection -> connection.source().equals(event.source()))
                        .toList();
        var connection = of.get(random.nextInt(of.size()));
        var route = configuration.snapshot().route(connection.id());
        if (route.isEmpty()) {
            return;
        }
        var id = DeliveryId.of(event.id(), DeliveryId.MIN_RESEND_ORDINAL + resends++);
        invariants.expected(
                id,
                new InvariantChecker.ExpectedDelivery(
                        connection.id(),
                        Trigger.RESEND,
                        route.get().destination().spec().retrySchedule()));
        invariants.resent();
        scheduler.trace("resend %s", id);
        store.resend(
                new UnfinishedDelivery(
                        id,
                        event.source(),
                        connection.id(),
                        Trigger.RESEND,
                        0,
                        Optional.of(scheduler.now())),
                scheduler.now());
    }

    private void injectFault() {
        database.enableFaults();
        var destinations = configuration.snapshot().destinations();
        receivers.changeHealth(destinations.get(random.nextInt(destinations.size())).id());
        if (faultWeights.all() == 0) {
            return;
        }
        int which = random.nextInt(faultWeights.all());
        if ((which -= faultWeights.kill()) < 0) {
            someNode().ifPresent(this::kill);
        } else if ((which -= faultWeights.freeze()) < 0) {
            someNode().ifPresent(node -> node.freeze(someSeconds(40)));
        } else if ((which -= faultWeights.stop()) < 0) {
            someNode().ifPresent(this::stop);
        } else if ((which -= faultWeights.cutOff()) < 0) {
            someNode().ifPresent(node -> node.cutOff(someSeconds(30)));
        } else if ((which -= faultWeights.outage()) < 0) {
            database.startOutage(someSeconds(20));
        } else if ((which -= faultWeights.clock()) < 0) {
            someNode().ifPresent(this::setClock);
        } else {
            change();
        }
    }

    private Duration someSeconds(int maximum) {
        return Duration.ofMillis(random.nextInt(random.nextInt(2) == 0 ? 1_000 : maximum * 1_000));
    }

    private void kill(SimulatedNode node) {
        node.kill();
        beginAgain(node);
    }

    private void stop(SimulatedNode node) {
        node.stop();
        beginAgain(node);
    }

    /// Starts a node again some time after it has ended; one in three gets a new data directory.
    private void beginAgain(SimulatedNode node) {
        var dataDirectoryId = random.nextInt(3) == 0 ? ids.next() : node.dataDirectoryId();
        scheduler.start(
                world,
                "operator",
                () -> {
                    scheduler.sleep(someSeconds(25));
                    while (!node.isDead()) {
                        scheduler.sleep(Duration.ofSeconds(1));
                    }
                    begin(dataDirectoryId);
                });
    }

    private void setClock(SimulatedNode node) {
        long range = random.nextInt(4) == 0 ? 3_600_000 : 30_000;
        var ahead = Duration.ofMillis(random.nextLong(range) - range * 3 / 4);
        node.setClock(ahead);
        if (ahead.compareTo(maxClockAhead) > 0) {
            maxClockAhead = ahead;
        }
    }

    private void change() {
        scheduler.trace("%s", configuration.change());
        someNode().ifPresent(SimulatedNode::refreshConfigurationSoon);
    }

    private void stopFaults() {
        scheduler.trace("peace");
        database.disableFaults();
        configuration.liftAll();
        receivers.recoverAll();
        boolean isFirst = true;
        for (var node : nodes) {
            node.thaw();
            if (isFirst || !isSkewKept) {
                node.setClock(Duration.ZERO);
            }
            isFirst &= !node.isUp();
        }
        scheduler.sleep(
                Duration.ofSeconds(30)); // nodes that stop have ended, nodes that start are running
        if (nodes.stream().noneMatch(SimulatedNode::isUp)) {
            begin(ids.next());
        }
    }

    private void awaitSettled() {
        var until = scheduler.now().plus(SETTLE_TIMEOUT).plus(maxClockAhead);
        while (!isOver()) {
            if (scheduler.now().isAfter(until)) {
                scheduler.trace("left: %s, %s", store.work(), store.lanes());
                scheduler.reportViolation(
                        "%s deliveries not ended after %s, the first of them %s",
                        store.work().size(), SETTLE_TIMEOUT, store.work().stream().findFirst());
                return;
            }
            scheduler.sleep(Duration.ofSeconds(1));
        }
        invariants.checkEnds(store);
        var deliveries = new ArrayList<DeliveryId>();
        for (var id : store.history().keySet()) {
            deliveries.add(new DeliveryId(id));
        }
        nodes.stream().filter(SimulatedNode::isUp).forEach(node -> node.checkEmpty(deliveries));
    }

    private boolean isOver() {
        return store.work().isEmpty()
                && store.lanes().stream().allMatch(lane -> lane.owner().isEmpty())
                && !invariants.isAnythingOnTheWire()
                && nodes.stream().filter(SimulatedNode::isUp).allMatch(SimulatedNode::isQuiet);
    }
}
