package dev.sluice.gateway.assembly;

import dev.sluice.account.access.Api;
import dev.sluice.account.assembly.AccountAssembly;
import dev.sluice.account.members.WorkspaceAccess;
import dev.sluice.account.plan.PlanCaps;
import dev.sluice.gateway.ChangeRate;
import dev.sluice.gateway.ConfigurationWriter;
import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.gateway.HistoryTrimmer;
import dev.sluice.gateway.alertconfig.AlertConfigRoutes;
import dev.sluice.gateway.alertconfig.AlertConfigStore;
import dev.sluice.gateway.alertconfig.MailboxConfirmationRoutes;
import dev.sluice.gateway.connection.ConnectionRoutes;
import dev.sluice.gateway.connection.ConnectionStore;
import dev.sluice.gateway.connection.ReplacedConnectionStore;
import dev.sluice.gateway.connection.SourceConnectionRoutes;
import dev.sluice.gateway.deletion.WorkspaceDeletion;
import dev.sluice.gateway.deletion.WorkspaceDeletionRoutes;
import dev.sluice.gateway.destination.DestinationRoutes;
import dev.sluice.gateway.destination.DestinationStore;
import dev.sluice.gateway.destination.ReplacedDestinationStore;
import dev.sluice.gateway.planchange.PlanChangeRoutes;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.source.ReplacedSourceStore;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.SourceRoutes;
import dev.sluice.gateway.source.SourceStore;
import dev.sluice.gateway.source.TrashPurger;
import dev.sluice.gateway.source.TrashRoutes;
import dev.sluice.platform.assembly.Foundation;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.loop.Chore;
import dev.sluice.platform.loop.Wake;
import dev.sluice.platform.net.AddressPolicy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// The gateway layer with all its parts: sources, destinations and connections, and the
/// [ConfigurationCache] that keeps them all in memory.
public final class GatewayAssembly {

    private final Foundation base;
    private final AccountAssembly account;
    private final AddressPolicy addresses;
    private final CustomHeaderRules headerRules;
    private final String baseUrl;
    private final List<String> trustedMailDomains;
    private final SourceStore sources;
    private final DestinationStore destinations;
    private final AlertConfigStore alertConfigs;
    private final ConfigurationCache configuration;
    private final Wake configurationChanged = new Wake();
    private final ChangeRate changeRate;

    private GatewayAssembly(
            Foundation base,
            AccountAssembly account,
            AddressPolicy addresses,
            CustomHeaderRules headerRules,
            String baseUrl,
            List<String> trustedMailDomains,
            SourceStore sources,
            DestinationStore destinations) {
        this.base = base;
        this.account = account;
        this.addresses = addresses;
        this.headerRules = headerRules;
        this.baseUrl = baseUrl;
        this.trustedMailDomains = trustedMailDomains;
        this.sources = sources;
        this.destinations = destinations;
        this.changeRate = new ChangeRate(base.clock());
        this.alertConfigs = new AlertConfigStore(base.sealer());
        this.configuration =
                ConfigurationCache.open(
                        base.pools().delivery(), sources, destinations, configurationChanged);
    }

    /// Builds the gateway layer and loads the configuration into memory.
    ///
    /// @param baseUrl the server's public address, without a slash at the end
    /// @param trustedMailDomains domains in lower case whose mailboxes get alerts without
    ///   confirmation
    public static GatewayAssembly open(
            Foundation base,
            AccountAssembly account,
            AddressPolicy addresses,
            CustomHeaderRules headerRules,
            String baseUrl,
            List<String> trustedMailDomains) {
        var sources = new SourceStore(base.sealer());
        var destinations = new DestinationStore(base.sealer());
        return new GatewayAssembly(
                base,
                account,
                addresses,
                headerRules,
                baseUrl,
                trustedMailDomains,
                sources,
                destinations);
    }

    /// Returns the object that erases the configuration of deleted workspaces.
    public WorkspaceDeletion deletion() {
        return new WorkspaceDeletion(destinations);
    }

    /// Returns the store of destinations' earlier settings, which are needed to rebuild sent
    /// requests.
    public ReplacedDestinationStore replacedDestinations() {
        return new ReplacedDestinationStore(destinations);
    }

    /// Returns the store of sources' earlier settings, which are needed to rebuild sent requests.
    public ReplacedSourceStore replacedSources() {
        return new ReplacedSourceStore(sources);
    }

    public ConfigurationCache routing() {
        return configuration;
    }

    /// Returns what is called after each change to the configuration in memory.
    public Wake configurationChanged() {
        return configurationChanged;
    }

    public List<Chore> chores() {
        var db = base.pools().relay();
        var writer = writer(db);
        var purge =
                new TrashPurger(db, GatewayAssembly::purgeDependents, writer, base.settledClock());
        return List.of(
                new Chore("configuration", Duration.ofMillis(500), configuration)
                        .idlingAt(
                                Duration.ofSeconds(
                                        1)), // other nodes' changes take effect within two seconds
                new Chore("trash", Duration.ofMinutes(1), purge));
    }

    private ConfigurationWriter writer(Db db) {
        return new ConfigurationWriter(
                db,
                new PlanCaps(account.plans()),
                changeRate,
                new HistoryTrimmer(
                        List.of(
                                ReplacedDestinationStore::deleteOf,
                                ReplacedConnectionStore::deleteOf,
                                ReplacedSourceStore::deleteOf,
                                DestinationStore::deleteRevisions)),
                configuration);
    }

    private static void purgeDependents(Tx tx, List<SourceId> sources, Instant now, long version) {
        ConnectionStore.purge(tx, sources, now, version);
        AlertConfigStore.deleteOfSources(tx, sources);
    }

    /// Returns the store of all workspaces' alert configs.
    public AlertConfigStore alertConfigs() {
        return alertConfigs;
    }

    public void addTo(Api routes) {
        var api = account.api();
        var db = api.db();
        var authenticator = api.authenticator();
        var plans = account.plans();
        var caps = new PlanCaps(plans);
        var writer = writer(db);
        var idempotency = account.idempotency();
        var clock = api.clock();
        new SourceRoutes(api, sources, plans, headerRules, writer, idempotency, baseUrl)
                .addTo(routes);
        new TrashRoutes(db, sources, plans, writer, clock, baseUrl).addTo(routes);
        new DestinationRoutes(
                        api,
                        destinations,
                        caps,
                        ConnectionStore::endLeftOver,
                        addresses,
                        headerRules,
                        writer,
                        idempotency)
                .addTo(routes);
        new ConnectionRoutes(api, caps, headerRules, writer, idempotency).addTo(routes);
        new SourceConnectionRoutes(db).addTo(routes);
        new AlertConfigRoutes(
                        api,
                        alertConfigs,
                        caps,
                        changeRate,
                        addresses,
                        idempotency,
                        trustedMailDomains)
                .addTo(routes);
        new MailboxConfirmationRoutes(db, clock).addTo(routes);
        var access = new WorkspaceAccess(db, authenticator);
        new WorkspaceDeletionRoutes(access, deletion(), writer, clock).addTo(routes);
        new PlanChangeRoutes(access, plans, account.planChangePolicy(), writer, clock)
                .addTo(routes);
    }
}
