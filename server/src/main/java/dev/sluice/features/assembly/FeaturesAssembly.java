package dev.sluice.features.assembly;

import dev.sluice.account.access.Api;
import dev.sluice.account.assembly.AccountAssembly;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.HealthProblem;
import dev.sluice.engine.assembly.EngineAssembly;
import dev.sluice.features.alerts.AlertComposer;
import dev.sluice.features.alerts.AlertMeter;
import dev.sluice.features.alerts.AlertSender;
import dev.sluice.features.alerts.AlertTestRoutes;
import dev.sluice.features.alerts.AlertWatcher;
import dev.sluice.features.alerts.ChannelClient;
import dev.sluice.features.alerts.MailboxConfirmation;
import dev.sluice.features.audit.AuditLoop;
import dev.sluice.features.lists.DeadLetterRoutes;
import dev.sluice.features.lists.DeliveryRoutes;
import dev.sluice.features.lists.EventRoutes;
import dev.sluice.features.metrics.MetricsRoutes;
import dev.sluice.features.pages.OpenApiRoutes;
import dev.sluice.features.pages.PageRoutes;
import dev.sluice.features.stats.RefusalRoutes;
import dev.sluice.features.stats.StatsRoutes;
import dev.sluice.features.status.StatusRoutes;
import dev.sluice.features.streams.OpenStreams;
import dev.sluice.features.streams.StreamFeed;
import dev.sluice.features.streams.StreamReader;
import dev.sluice.features.streams.StreamRoutes;
import dev.sluice.features.usage.UsageRoutes;
import dev.sluice.gateway.assembly.GatewayAssembly;
import dev.sluice.platform.assembly.Foundation;
import dev.sluice.platform.http.AnswerMemory;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.loop.Chore;
import dev.sluice.platform.loop.Wake;
import dev.sluice.platform.meter.WorkspaceGauge;
import dev.sluice.platform.secret.SecretGenerator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/// Builds the features: the API's read-only views of events, deliveries and usage, the live
/// streams, the alerts, the status endpoint, the metrics, the dashboard's files, the audit, and
/// what [RecoveryAssembly] and [TryoutAssembly] build.
public final class FeaturesAssembly {

    private static final String MESSENGER_API_URL = "https://api.telegram.org";

    private static final Executor ALERT_THREADS =
            sender -> Thread.ofVirtual().name("alert").start(sender);

    private final Foundation base;
    private final AccountAssembly account;
    private final GatewayAssembly gateway;
    private final EngineAssembly engine;
    private final AuditLoop auditLoop;
    private final StreamReader streamReader;
    private final Wake feedWake = new Wake();
    private final Wake streamsWake = new Wake();
    private final Wake alertSenderWake = new Wake();
    private final StreamFeed streamFeed;
    private final OpenStreams openStreams;
    private final ChannelClient channelClient;
    private final MailboxConfirmation mailboxConfirmation;
    private final AlertMeter alertMeter = new AlertMeter();
    private final AlertSender alertSender;
    private final AlertWatcher alertWatcher;
    private final RecoveryAssembly recovery;
    private final TryoutAssembly tryout;

    /// The URLs that are needed to compose and send alert messages.
    ///
    /// @param baseUrl the server's public address
    /// @param messengerApiUrl the base URL of the messenger's bot API, if the operator has
    ///   configured one; empty to use the default
    public record AlertSettings(String baseUrl, Optional<String> messengerApiUrl) {}

    public FeaturesAssembly(
            Foundation base,
            AccountAssembly account,
            GatewayAssembly gateway,
            EngineAssembly engine,
            AlertSettings alerts) {
        this.base = base;
        this.account = account;
        this.gateway = gateway;
        this.engine = engine;
        auditLoop = new AuditLoop(base.pools().relay(), base.settledClock(), base.ids().next());
        streamReader = new StreamReader(base.pools().api(), gateway.routing());
        streamFeed = new StreamFeed(streamReader, feedWake);
        openStreams =
                new OpenStreams(
                        base.pools().api(),
                        gateway.routing(),
                        this::maxStreams,
                        engine::epoch,
                        base.ids(),
                        base.clock(),
                        base.activity(),
                        streamsWake);
        channelClient = channelClient(alerts.messengerApiUrl());
        mailboxConfirmation =
                new MailboxConfirmation(alerts.baseUrl(), new SecretGenerator(), base.ids());
        alertSender =
                new AlertSender(
                        base.pools().relay(),
                        gateway.alertConfigs(),
                        channelClient,
                        ALERT_THREADS,
                        base.clock(),
                        alertMeter,
                        alertSenderWake);
        alertWatcher =
                new AlertWatcher(
                        base.pools().relay(),
                        new AlertComposer(
                                base.pools().relay(),
                                gateway.alertConfigs(),
                                mailboxConfirmation,
                                alerts.baseUrl(),
                                base.ids(),
                                alertMeter),
                        gateway.routing()::unreadableDestinations,
                        gateway.routing()::unreadableSources,
                        base.ids(),
                        base.clock(),
                        alertSenderWake);
        recovery = new RecoveryAssembly(base, account, gateway, engine, alertWatcher);
        tryout = new TryoutAssembly(account, gateway, engine);
    }

    private ChannelClient channelClient(Optional<String> messengerApiUrl) {
        var webhooks = engine.ownSender("connections of alerts");
        return new ChannelClient(
                base.mail(),
                webhooks,
                messengerApiUrl.isEmpty()
                        ? webhooks
                        : engine.operatorsJsonPoster("connections to the messenger"),
                messengerApiUrl.orElse(MESSENGER_API_URL));
    }

    public List<Chore> chores() {
        return Stream.concat(recovery.chores().stream(), ownChores().stream()).toList();
    }

    private List<Chore> ownChores() {
        return List.of(
                new Chore("stream feed", StreamFeed.ROUND_INTERVAL, streamFeed)
                        .restingFor(streamFeed::rest)
                        .wokenBy(feedWake),
                new Chore("stream access", OpenStreams.CHECK_INTERVAL, openStreams)
                        .restingFor(openStreams::rest)
                        .wokenBy(streamsWake),
                new Chore("alert messages", AlertSender.ROUND_INTERVAL, alertSender)
                        .wokenBy(alertSenderWake)
                        .endingWith(alertSender::awaitSent),
                new Chore("alerts", AlertWatcher.ROUND_INTERVAL, alertWatcher)
                        .steady()
                        .endingWith(alertWatcher::releaseLease),
                new Chore("audit", Duration.ofSeconds(1), auditLoop)
                        .endingWith(auditLoop::releaseLease));
    }

    private OptionalInt maxStreams(WorkspaceId workspace) {
        return account.plans()
                .byNameOrLast(gateway.routing().plan(workspace))
                .limits()
                .concurrentStreams();
    }

    /// Returns the problems that keep events or deliveries waiting, and the background tasks that
    /// are failing.
    private List<HealthProblem> problems() {
        var problems = new ArrayList<>(engine.problems());
        for (var chore : base.shutdown().failingChores()) {
            problems.add(
                    new HealthProblem(
                            HealthProblem.Component.BACKGROUND,
                            "The background task \"" + chore + "\" fails again and again."));
        }
        return problems;
    }

    /// Adds the metrics route.
    ///
    /// @param router the router of the metrics port
    /// @param answers the memory of answers to HTTP requests
    /// @param version the server's version
    public void addMetricsTo(Router router, AnswerMemory answers, String version) {
        new MetricsRoutes(
                        engine.meters(),
                        engine.gauges(),
                        base.pools().all(),
                        account.plans()::longestRetention,
                        Stream.concat(
                                        alertMeter.counters().stream(),
                                        Stream.of(
                                                auditLoop.counters(),
                                                account.api().budgets().refusedRequests()))
                                .toList(),
                        workspaceGauges(answers),
                        base.clock(),
                        version)
                .addTo(router);
    }

    /// Returns what each workspace holds of the resources that workspaces share.
    private List<WorkspaceGauge> workspaceGauges(AnswerMemory answers) {
        var gauges = new ArrayList<>(engine.workspaceGauges());
        gauges.addAll(account.workspaceGauges());
        gauges.add(
                new WorkspaceGauge(
                        "sluice_workspace_answer_bytes",
                        "Memory of answers that are being built or read by clients.",
                        answers::bytesByWorkspace));
        return gauges;
    }

    /// Aborts the test deliveries in flight, so that shutdown does not wait for them.
    public void endTestDeliveries() {
        tryout.endTestDeliveries();
    }

    /// Ends the live streams, so that they do not delay the HTTP server's shutdown.
    public void closeStreams() {
        openStreams.close();
    }

    /// Adds all routes of this layer except the metrics route.
    ///
    /// @param isStopping returns whether the server is shutting down
    /// @param version the server's version
    /// @param baseUrl the server's public address
    /// @param isRegistrationOpen whether anyone may register an account
    public void addTo(
            Api routes,
            Router router,
            BooleanSupplier isStopping,
            String version,
            String baseUrl,
            boolean isRegistrationOpen) {
        var db = account.api().db();
        var plans = account.plans();
        var clock = account.api().clock();
        recovery.addTo(routes);
        tryout.addTo(routes);
        OpenApiRoutes.addTo(routes);
        PageRoutes.addTo(router, baseUrl);
        new StatusRoutes(
                        db,
                        engine::isIngesting,
                        engine::isDelivering,
                        isStopping,
                        this::problems,
                        clock,
                        version,
                        isRegistrationOpen)
                .addTo(routes);
        new UsageRoutes(db, plans, OpenStreams::count, clock).addTo(routes);
        new EventRoutes(
                        account.api(),
                        plans,
                        gateway.routing(),
                        engine.inFlightAttempts(),
                        engine.hopHeader(),
                        engine.challenges())
                .addTo(routes);
        new StatsRoutes(db, clock).addTo(routes);
        new RefusalRoutes(db, clock).addTo(routes);
        new StreamRoutes(
                        account.api(),
                        plans,
                        gateway.routing(),
                        openStreams,
                        streamReader,
                        streamFeed,
                        tryout.requestPreview())
                .addTo(routes);
        new AlertTestRoutes(
                        db,
                        gateway.alertConfigs(),
                        mailboxConfirmation,
                        channelClient,
                        baseUrl,
                        base.ids(),
                        clock)
                .addTo(routes);
        new DeliveryRoutes(db, plans, gateway.routing(), engine.inFlightAttempts(), clock)
                .addTo(routes);
        new DeadLetterRoutes(db, plans, gateway.routing(), engine.inFlightAttempts(), clock)
                .addTo(routes);
    }
}
