package dev.sluice.engine.assembly;

import static dev.sluice.engine.HealthProblem.Component.INGEST;

import dev.sluice.account.plan.Plan;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.HealthProblem;
import dev.sluice.engine.RefusalReason;
import dev.sluice.engine.RelayMeters;
import dev.sluice.engine.accept.DiskSpaceMonitor;
import dev.sluice.engine.accept.InboundCheck;
import dev.sluice.engine.accept.IngestEndpoint;
import dev.sluice.engine.accept.IngestLimits;
import dev.sluice.engine.accept.IngestRateLimiter;
import dev.sluice.engine.accept.MonthlyQuota;
import dev.sluice.engine.accept.RefusalCounter;
import dev.sluice.engine.accept.RefusalRecorder;
import dev.sluice.engine.accept.UnverifiedEventLimiter;
import dev.sluice.engine.commit.Journal;
import dev.sluice.engine.commit.JournalListener;
import dev.sluice.engine.commit.PartitionStore;
import dev.sluice.engine.node.Node;
import dev.sluice.engine.send.EventTracer;
import dev.sluice.engine.send.PayloadAdmission;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.platform.assembly.Foundation;
import dev.sluice.platform.db.DedicatedConnection;
import dev.sluice.platform.loop.Chore;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// The part of the relay that accepts events and stores them: the journal, and the limits that are
/// checked before an event is stored.
final class IngestAssembly {

    /// The maximum time that an ingest request waits for quota to be reserved in the database.
    private static final Duration QUOTA_TIMEOUT = Duration.ofSeconds(3);

    private final Foundation base;
    private final ConfigurationCache configuration;
    private final EngineSettings settings;
    private final RelayMeters meters;
    private final Journal journal;
    private final DiskSpaceMonitor diskSpace;
    private final IngestRateLimiter rateLimiter;
    private final MonthlyQuota quota;
    private final RefusalCounter refusals;

    /// @param limits returns the limits of a workspace's plan
    IngestAssembly(
            Foundation base,
            ConfigurationCache configuration,
            EngineSettings settings,
            RelayMeters meters,
            Node node,
            Function<WorkspaceId, Plan.PlanLimits> limits) {
        this.base = base;
        this.configuration = configuration;
        this.settings = settings;
        this.meters = meters;
        var db = base.pools().relay();
        var clock = base.clock();
        journal =
                new Journal(
                        new DedicatedConnection(base.database(), "journal", meters.eventCommits()),
                        new PartitionStore(base.pools().delivery()),
                        node::epoch,
                        base.ids(),
                        clock);
        diskSpace = new DiskSpaceMonitor(settings.node().freeShare());
        rateLimiter = new IngestRateLimiter(db, limits, base.ids().next(), clock);
        quota = new MonthlyQuota(db, limits, configuration::source, QUOTA_TIMEOUT, clock);
        refusals = new RefusalCounter(clock);
    }

    /// Starts storing the events that ingest accepts.
    void start(JournalListener listener) {
        base.shutdown().start(journal.overdueChore());
        journal.start(listener);
        base.shutdown().closing("journal", journal);
    }

    /// Returns the endpoint that accepts events.
    ///
    /// @param admission reserves memory for an event's deliveries
    IngestEndpoint endpoint(PayloadAdmission admission, EventTracer tracer, String hopHeader) {
        return new IngestEndpoint(
                configuration,
                journal,
                IngestLimits.of(
                        diskSpace,
                        rateLimiter,
                        new UnverifiedEventLimiter(base.clock()),
                        quota,
                        admission),
                new IngestEndpoint.IngestMeters(refusals, meters.ingestDurations(), tracer),
                new InboundCheck(settings.baseUrl(), hopHeader),
                base.ids(),
                base.clock());
    }

    /// Returns the chores that keep the request and event counts in the database up to date.
    List<Chore> countingChores() {
        var refusalRecorder =
                new RefusalRecorder(refusals, base.pools().relay(), base.ids()::next, base.clock());
        return List.of(
                new Chore("ingest rate limits", Duration.ofSeconds(1), rateLimiter),
                new Chore("refusals", RefusalRecorder.INTERVAL, refusalRecorder)
                        .endingWith(refusalRecorder::finish),
                new Chore("quota", Duration.ofSeconds(1), quota).steady());
    }

    Chore diskSpaceChore() {
        return new Chore("free space", Duration.ofSeconds(2), diskSpace);
    }

    MonthlyQuota quota() {
        return quota;
    }

    /// Returns the number of events that are waiting to be committed.
    int queued() {
        return journal.queued();
    }

    /// Returns how many requests this process has refused for the given reason.
    long refused(RefusalReason reason) {
        return refusals.total(reason);
    }

    boolean isDiskNearlyFull() {
        return diskSpace.isNearlyFull();
    }

    Optional<HealthProblem> problem() {
        return journal.isFailing()
                ? Optional.of(new HealthProblem(INGEST, "Events cannot be stored: commits fail."))
                : Optional.empty();
    }
}
