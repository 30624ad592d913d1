package dev.sluice.engine.assembly;

import static dev.sluice.engine.HealthProblem.Component.DELIVERY;

import dev.sluice.engine.HealthProblem;
import dev.sluice.engine.InFlightRecorder;
import dev.sluice.engine.RelayMeters;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.engine.commit.ResultJournal;
import dev.sluice.engine.commit.ResultListener;
import dev.sluice.engine.lanes.Backlog;
import dev.sluice.engine.lanes.DueWorkMonitor;
import dev.sluice.engine.lanes.LaneStore;
import dev.sluice.engine.lanes.LaneSweeper;
import dev.sluice.engine.lanes.LaneWaker;
import dev.sluice.engine.lanes.Lanes;
import dev.sluice.engine.node.Heartbeat;
import dev.sluice.engine.node.LeakDetector;
import dev.sluice.engine.node.Node;
import dev.sluice.engine.node.TakeoverLoop;
import dev.sluice.engine.send.AttemptRunner;
import dev.sluice.engine.send.DispatchEnvironment;
import dev.sluice.engine.send.DispatchWakes;
import dev.sluice.engine.send.Dispatcher;
import dev.sluice.engine.send.EventTracer;
import dev.sluice.engine.send.HoldPolicy;
import dev.sluice.engine.send.HttpSender;
import dev.sluice.engine.send.TracedSender;
import dev.sluice.engine.settle.FailureLog;
import dev.sluice.engine.settle.Settlement;
import dev.sluice.engine.settle.SharedCircuits;
import dev.sluice.engine.share.PermitLimit;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.routing.ExpiryPolicy;
import dev.sluice.platform.assembly.Foundation;
import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.http.HttpServer;
import dev.sluice.platform.loop.Chore;
import dev.sluice.platform.loop.Wake;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/// The part of the relay that delivers stored events: the dispatcher, the lanes, the circuits and
/// the result journal.
final class DeliveryAssembly {

    private static final Duration SWEEP_WAKE_DELAY = Duration.ofMillis(200);

    private static final Logger log = LoggerFactory.getLogger(DeliveryAssembly.class);

    /// How long shutdown waits for attempts in flight to finish. This is longer than a
    /// destination's default timeout. A delivery whose attempt takes longer is put back into its
    /// lane and sent again later, although the receiver may still be processing the first request.
    private static final Duration ATTEMPTS_TIMEOUT = Duration.ofSeconds(11);

    private static final Executor SENDER_THREADS =
            sender -> Thread.ofVirtual().name("send").start(sender);

    private final Foundation base;
    private final ConfigurationCache configuration;
    private final EngineSettings settings;
    private final Node node;
    private final DispatchWakes wakes;
    private final Wake configurationChanged;
    private final Wake circuitsWake = new Wake();
    private final Wake laneWakerWake = new Wake();
    private final int permits =
            PermitLimit.of(Runtime.getRuntime().maxMemory(), HttpServer.maxOpenFiles());
    private final HttpSender sender;
    private final int slowPermits =
            PermitLimit.slow(Runtime.getRuntime().maxMemory(), HttpServer.maxOpenFiles(), permits);
    private final ResultJournal resultJournal;
    private final SharedCircuits circuits;
    private final Dispatcher dispatcher;
    private final Backlog backlog;
    private final LaneWaker laneWaker;
    private final LaneSweeper laneSweeper;
    private final DueWorkMonitor dueWorkMonitor;
    private final FailureLog failureLog;

    /// What wakes the loops of this part.
    ///
    /// @param configurationChanged called after each configuration change
    record DeliveryWakes(DispatchWakes loops, Wake configurationChanged) {}

    /// The parts of the relay that this node's attempts use.
    ///
    /// @param expiry decides which deliveries have expired
    /// @param recorder records which attempts are in flight
    record AttemptSupport(ExpiryPolicy expiry, InFlightRecorder recorder, EventTracer tracer) {}

    DeliveryAssembly(
            Foundation base,
            ConfigurationCache configuration,
            EngineSettings settings,
            RelayMeters meters,
            Node node,
            DeliveryWakes wakes,
            AttemptSupport support) {
        this.base = base;
        this.configuration = configuration;
        this.settings = settings;
        this.node = node;
        this.wakes = wakes.loops();
        this.configurationChanged = wakes.configurationChanged();
        var db = base.pools().relay();
        var delivery = base.pools().delivery();
        var clock = base.clock();
        resultJournal =
                new ResultJournal(
                        new DedicatedConnection(base.database(), "results", meters.resultCommits()),
                        new PartitionStore(delivery),
                        node::epoch,
                        base.ids(),
                        clock);
        failureLog = new FailureLog(clock);
        circuits =
                SharedCircuits.open(
                        delivery,
                        node,
                        settings.cooldowns(),
                        LaneStore::wake,
                        clock,
                        circuitsWake,
                        this.wakes.backlog());
        sender = HttpSender.open(settings.addresses(), clock, settings.headerPrefix(), permits());
        var attemptRunner = attemptRunner(support);
        var environment =
                new DispatchEnvironment(
                        configuration, node, resultJournal, circuits, clock, this.wakes);
        dispatcher =
                new Dispatcher(environment, attemptRunner, SENDER_THREADS, permits, slowPermits);
        log.atInfo()
                .addKeyValue("open_files", HttpServer.maxOpenFiles())
                .addKeyValue("attempts", permits)
                .addKeyValue("slow_attempts", slowPermits)
                .log("attempts.limited");
        backlog =
                new Backlog(
                        environment,
                        Lanes.of(delivery),
                        dispatcher,
                        attemptRunner,
                        System::nanoTime);
        var holdPolicy = new HoldPolicy(circuits);
        laneWaker =
                new LaneWaker(
                        delivery, configuration, holdPolicy, laneWakerWake, this.wakes.backlog());
        laneSweeper = new LaneSweeper(db, configuration, holdPolicy, clock, this::wakeBacklogLater);
        dueWorkMonitor =
                new DueWorkMonitor(db, configuration, holdPolicy, backlog, dispatcher, clock);
    }

    private AttemptRunner attemptRunner(AttemptSupport support) {
        var clock = base.clock();
        return new AttemptRunner(
                configuration,
                support.expiry(),
                new TracedSender(sender, support.tracer()),
                new Settlement(
                        clock, RandomGenerator.getDefault(), settings.retryJitter(), failureLog),
                circuits,
                support.recorder(),
                clock);
    }

    /// Starts this node's heartbeat. During shutdown, the heartbeat continues until each delivery
    /// that the node owns has been finished or put back. The first takeover begins immediately, in
    /// parallel with the rest of startup.
    void startNode() {
        var shutdown = base.shutdown();
        var heartbeat = new Heartbeat(node, dispatcher::dropAll);
        shutdown.start(new Chore("heartbeat", Heartbeat.INTERVAL, heartbeat).steady());
        var takeover = new TakeoverLoop(base.pools().node(), node, base.clock(), wakes.backlog());
        shutdown.start(new Chore("takeover", Heartbeat.INTERVAL, takeover).steady());
        shutdown.closing("connections to destinations", sender);
    }

    /// Starts delivering events.
    ///
    /// @param returnQuota returns unused quota; runs during shutdown, after the last result has
    ///   been written
    void start(ResultListener listener, AutoCloseable returnQuota) {
        var shutdown = base.shutdown();
        shutdown.first("give back lanes", backlog::leave);
        shutdown.first("give back quota", returnQuota);
        resultJournal.start(listener);
        shutdown.first("write circuits", circuits::run);
        shutdown.first("write lane wakes", laneWaker::run);
        shutdown.closing("results", resultJournal);
        shutdown.first("write counted failures", failureLog::flush);
        shutdown.first("dispatcher", () -> dispatcher.stop(ATTEMPTS_TIMEOUT));
        shutdown.start(
                new Chore("backlog", Duration.ofMillis(200), backlog)
                        .restingFor(backlog::rest)
                        .wokenBy(wakes.backlog(), configurationChanged));
        shutdown.start(
                new Chore("probes", Duration.ofSeconds(1), backlog.probeLoop())
                        .wokenBy(wakes.probes()));
    }

    /// Wakes the backlog after a sweep. A sweep may know less than a node that has just set a hold.
    /// The delay gives this node time to read that change before it leases the lane.
    private void wakeBacklogLater() {
        CompletableFuture.delayedExecutor(SWEEP_WAKE_DELAY.toMillis(), TimeUnit.MILLISECONDS)
                .execute(wakes.backlog()::wake);
    }

    /// Returns the chores that share circuits with other nodes and the chores that wake lanes.
    List<Chore> laneChores() {
        return List.of(
                new Chore("circuits", Duration.ofSeconds(1), circuits)
                        .idlingAt(Duration.ofSeconds(2))
                        .wokenBy(circuitsWake),
                new Chore("lane wakes", Duration.ofSeconds(1), laneWaker)
                        .withGap(Duration.ofMillis(50))
                        .wokenBy(laneWakerWake),
                laneSweeper.chore(configurationChanged));
    }

    /// Returns the dispatcher's chores.
    List<Chore> dispatchChores() {
        var rateLimitQueue = dispatcher.rateLimitQueue();
        var quarantine = dispatcher.quarantine();
        return List.of(
                new Chore("rate limits", Duration.ofSeconds(1), rateLimitQueue)
                        .wokenBy(wakes.rateLimits()),
                new Chore("standings", Duration.ofSeconds(1), dispatcher::updateStandings),
                new Chore("quarantine", Duration.ofMillis(200), quarantine)
                        .restingFor(quarantine::rest)
                        .wokenBy(wakes.quarantine()));
    }

    /// Returns the chores that look for late or lost deliveries.
    List<Chore> checkingChores() {
        var leakDetector = new LeakDetector(base.pools().relay(), node, dispatcher, base.clock());
        return List.of(
                new Chore("due work", DueWorkMonitor.INTERVAL, dueWorkMonitor),
                new Chore("leaks", Duration.ofSeconds(60), leakDetector));
    }

    Chore failureLogChore() {
        return Chore.of("failure log", Duration.ofSeconds(5), failureLog::summarize);
    }

    Dispatcher dispatcher() {
        return dispatcher;
    }

    LaneWaker laneWaker() {
        return laneWaker;
    }

    /// Returns the number of results that are waiting to be committed.
    int queued() {
        return resultJournal.queued();
    }

    /// Returns how many attempts this node may have in flight, slow ones included.
    int permits() {
        return permits + slowPermits;
    }

    List<HealthProblem> problems() {
        var problems = new ArrayList<HealthProblem>();
        if (resultJournal.isFailing()) {
            problems.add(new HealthProblem(DELIVERY, "Results cannot be written: commits fail."));
        }
        if (dueWorkMonitor.isLate()) {
            problems.add(
                    new HealthProblem(
                            DELIVERY, "Deliveries that are due have waited for over 30 seconds."));
        }
        return problems;
    }
}
