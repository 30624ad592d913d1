package dev.sluice.relay.dispatch;

import dev.sluice.platform.id.Uuid7;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.Payload;
import dev.sluice.relay.Trigger;
import dev.sluice.relay.Work;
import dev.sluice.relay.store.ModelStore;
import dev.sluice.testkit.Some;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.random.RandomGenerator;

/// A relay of a few nodes, its database and its receivers, for a minute or two of their time, from
/// one seed: first trouble, then peace, in which everything must come to its end.
final class Simulation {

    /// How much trouble there is of a kind: none in some seeds, so that what one kind hides from
    /// another shows as well.
    private record Troubles(
            int kill, int freeze, int stop, int cutOff, int outage, int clock, int change) {

        static Troubles of(RandomGenerator random) {
            return new Troubles(
                    some(random, 6),
                    some(random, 6),
                    some(random, 4),
                    some(random, 4),
                    some(random, 3),
                    some(random, 4),
                    some(random, 10));
        }

        private static int some(RandomGenerator random, int most) {
            return random.nextInt(5) < 2 ? 0 : random.nextInt(most + 1);
        }

        private int all() {
            return kill + freeze + stop + cutOff + outage + clock + change;
        }
    }

    /// Of one seed, for the statistics.
    record Numbers(long steps, long fingerprint, int events, int attempts, int duplicates) {}

    private static final int MOST_LIVES = 3;
    private static final long MOST_STEPS = 300_000;

    /// In peace everything ends within this, and what clocks that ran ahead have put off.
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    /// Shared by all payloads that are to be large.
    private static final byte[] LARGE = new byte[50 << 20];

    private final RandomGenerator random;
    private final Baton baton;
    private final Watch watch;
    private final ModelStore store;
    private final ModelDatabase database;
    private final ModelConfiguration configuration;
    private final ModelWire wire;
    private final Uuid7 ids;
    private final Troubles troubles;
    private final Set<ModelLife.Flaw> flaws;
    private final List<ModelLife> lives = new ArrayList<>();
    private final List<UUID> homes = new ArrayList<>();
    private final Baton.Host world = new Baton.Host("world");
    private final boolean isSkewKept;
    private int born;
    private int resends;
    private Duration mostAhead = Duration.ZERO;

    Simulation(
            long seed,
            Set<ModelStore.Flaw> storeFlaws,
            Set<ModelLife.Flaw> flaws,
            boolean isTraced) {
        random = new SplittableRandom(seed);
        baton = new Baton(random, Some.NOON, isTraced);
        this.flaws = flaws;
        ids = new Uuid7(baton::now, random);
        troubles = Troubles.of(random);
        watch = new Watch(baton, troubles.clock() == 0);
        store = new ModelStore(0, storeFlaws);
        database = new ModelDatabase(baton, random, store, watch);
        configuration = new ModelConfiguration(random, ids, Some.NOON);
        wire = new ModelWire(baton, random, database, watch);
        isSkewKept = random.nextInt(4) == 0;
        for (int i = random.nextInt(MOST_LIVES); i >= 0; i--) {
            homes.add(ids.next());
        }
    }

    /// What went wrong, if anything.
    Optional<Throwable> run() {
        var fate = baton.start(world, "fate", this::live);
        while (baton.failure().isEmpty() && !fate.isDone() && baton.step()) {
            if (baton.steps() > MOST_STEPS) {
                baton.violated("it does not come to an end");
            }
        }
        baton.end();
        return baton.failure();
    }

    List<String> log() {
        return baton.log();
    }

    Numbers numbers() {
        return new Numbers(
                baton.steps(),
                baton.fingerprint(),
                store.eventCount(),
                watch.flightCount(),
                watch.duplicates());
    }

    private void live() {
        baton.note("%s, %s", troubles, configuration.snapshot());
        homes.forEach(this::begin);
        var peace = baton.now().plusSeconds(20 + random.nextInt(40));
        while (baton.now().isBefore(peace)) {
            baton.sleep(Duration.ofMillis(random.nextInt(random.nextInt(10) == 0 ? 4_000 : 600)));
            if (random.nextInt(3) == 0) {
                trouble();
            } else {
                traffic();
            }
        }
        makePeace();
        awaitEnd();
    }

    private ModelLife begin(UUID home) {
        var life =
                new ModelLife(
                        "node-" + ++born,
                        home,
                        baton,
                        random,
                        database,
                        configuration,
                        wire,
                        watch,
                        flaws);
        lives.add(life);
        return life;
    }

    private Optional<ModelLife> someLife() {
        var up = lives.stream().filter(ModelLife::isUp).toList();
        return up.isEmpty() ? Optional.empty() : Optional.of(up.get(random.nextInt(up.size())));
    }

    private void traffic() {
        if (random.nextInt(8) == 0) {
            resend();
            return;
        }
        for (int i = random.nextInt(4); i >= 0; i--) {
            someLife()
                    .ifPresent(life ->
                            life.ingest(
                                    random.nextInt(configuration.snapshot().sources().size()),
                                    somePayload(),
                                    random.nextInt(6) > 0));
        }
    }

    private Payload somePayload() {
        return random.nextInt(20) == 0
                ? Payload.stored(new byte[0], LARGE)
                : Payload.stored(new byte[0], new byte[random.nextInt(100)]);
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
        var id = DeliveryId.of(event.id(), DeliveryId.FIRST_RESEND + resends++);
        watch.made(
                id,
                new Watch.Made(
                        connection.id(),
                        Trigger.RESEND,
                        route.get().destination().spec().retryPolicy()));
        watch.resent();
        baton.note("resend %s", id);
        store.resend(
                new Work(
                        id,
                        event.source(),
                        connection.id(),
                        Trigger.RESEND,
                        0,
                        Optional.of(baton.now())),
                baton.now());
    }

    private void trouble() {
        database.beWayward();
        var destinations = configuration.snapshot().destinations();
        wire.changeMood(destinations.get(random.nextInt(destinations.size())).id());
        if (troubles.all() == 0) {
            return;
        }
        int which = random.nextInt(troubles.all());
        if ((which -= troubles.kill()) < 0) {
            someLife().ifPresent(this::kill);
        } else if ((which -= troubles.freeze()) < 0) {
            someLife().ifPresent(life -> life.freeze(someSeconds(40)));
        } else if ((which -= troubles.stop()) < 0) {
            someLife().ifPresent(this::stop);
        } else if ((which -= troubles.cutOff()) < 0) {
            someLife().ifPresent(life -> life.cutOff(someSeconds(30)));
        } else if ((which -= troubles.outage()) < 0) {
            database.goAway(someSeconds(20));
        } else if ((which -= troubles.clock()) < 0) {
            someLife().ifPresent(this::setClock);
        } else {
            change();
        }
    }

    private Duration someSeconds(int most) {
        return Duration.ofMillis(random.nextInt(random.nextInt(2) == 0 ? 1_000 : most * 1_000));
    }

    private void kill(ModelLife life) {
        life.kill();
        beginAgain(life);
    }

    private void stop(ModelLife life) {
        life.stop();
        beginAgain(life);
    }

    /// In its own directory when it is gone, or in another.
    private void beginAgain(ModelLife life) {
        var home = random.nextInt(3) == 0 ? ids.next() : life.home();
        baton.start(
                world,
                "operator",
                () -> {
                    baton.sleep(someSeconds(25));
                    while (!life.isDead()) {
                        baton.sleep(Duration.ofSeconds(1));
                    }
                    begin(home);
                });
    }

    private void setClock(ModelLife life) {
        long most = random.nextInt(4) == 0 ? 3_600_000 : 30_000;
        var ahead = Duration.ofMillis(random.nextLong(most) - most * 3 / 4);
        life.setClock(ahead);
        if (ahead.compareTo(mostAhead) > 0) {
            mostAhead = ahead;
        }
    }

    private void change() {
        baton.note("%s", configuration.change());
        someLife().ifPresent(ModelLife::learnAtOnce);
    }

    private void makePeace() {
        baton.note("peace");
        database.beGood();
        configuration.liftAll();
        wire.letGo();
        boolean isFirst = true;
        for (var life : lives) {
            life.thaw();
            if (isFirst || !isSkewKept) {
                life.setClock(Duration.ZERO);
            }
            isFirst &= !life.isUp();
        }
        baton.sleep(Duration.ofSeconds(30)); // those that stop are gone, those that begin are there
        if (lives.stream().noneMatch(ModelLife::isUp)) {
            begin(ids.next());
        }
    }

    private void awaitEnd() {
        var until = baton.now().plus(PATIENCE).plus(mostAhead);
        while (!isOver()) {
            if (baton.now().isAfter(until)) {
                baton.note("left: %s, %s", store.work(), store.lanes());
                baton.violated(
                        "%s deliveries not ended after %s, the first of them %s",
                        store.work().size(), PATIENCE, store.work().stream().findFirst());
                return;
            }
            baton.sleep(Duration.ofSeconds(1));
        }
        watch.checkEnds(store);
        var deliveries = new ArrayList<DeliveryId>();
        for (var id : store.history().keySet()) {
            deliveries.add(new DeliveryId(id));
        }
        lives.stream().filter(ModelLife::isUp).forEach(life -> life.checkEmpty(deliveries));
    }

    private boolean isOver() {
        return store.work().isEmpty()
                && store.lanes().stream().allMatch(lane -> lane.owner().isEmpty())
                && !watch.isAnythingOnTheWire()
                && lives.stream().filter(ModelLife::isUp).allMatch(ModelLife::isQuiet);
    }
}
