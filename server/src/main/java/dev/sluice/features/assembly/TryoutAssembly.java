package dev.sluice.features.assembly;

import dev.sluice.account.access.Api;
import dev.sluice.account.assembly.AccountAssembly;
import dev.sluice.engine.RequestPreview;
import dev.sluice.engine.assembly.EngineAssembly;
import dev.sluice.engine.send.DryRun;
import dev.sluice.engine.send.HttpSender;
import dev.sluice.features.tryout.PreviewRoutes;
import dev.sluice.features.tryout.RoutePreview;
import dev.sluice.features.tryout.SampleEventQueries;
import dev.sluice.features.tryout.SentRequestRoutes;
import dev.sluice.features.tryout.TestDeliveryRoutes;
import dev.sluice.features.tryout.TestEventRoutes;
import dev.sluice.features.tryout.VerificationTrialRoutes;
import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.gateway.assembly.GatewayAssembly;

/// Builds the features with which users try things: previews, test deliveries, test events, and
/// verifications that are not saved.
public final class TryoutAssembly {

    private final AccountAssembly account;
    private final GatewayAssembly gateway;
    private final EngineAssembly engine;
    private final HttpSender sender;

    public TryoutAssembly(AccountAssembly account, GatewayAssembly gateway, EngineAssembly engine) {
        this.account = account;
        this.gateway = gateway;
        this.engine = engine;
        sender = engine.ownSender("connections of test deliveries");
    }

    public void addTo(Api routes) {
        var api = account.api();
        var db = api.db();
        var clock = api.clock();
        var configuration = gateway.routing();
        var headerRules = CustomHeaderRules.withPrefix(engine.headerPrefix());
        var dryRun = new DryRun(engine.headerPrefix());
        var events = new SampleEventQueries(account.plans(), configuration, clock);
        String baseUrl = engine.baseUrl();
        new PreviewRoutes(api, events, configuration, headerRules, dryRun).addTo(routes);
        new SentRequestRoutes(
                        db,
                        account.plans(),
                        gateway.replacedDestinations(),
                        gateway.replacedSources(),
                        dryRun,
                        api.compute(),
                        clock)
                .addTo(routes);
        new TestDeliveryRoutes(api, configuration, events, sender, dryRun, baseUrl).addTo(routes);
        new TestEventRoutes(
                        db, configuration, engine.endpoint(), account.idempotency(), baseUrl, clock)
                .addTo(routes);
        new VerificationTrialRoutes(db, configuration, events, headerRules, api.compute(), baseUrl)
                .addTo(routes);
    }

    /// Returns an object that previews the requests that connections would send for an event.
    public RequestPreview requestPreview() {
        return new RoutePreview(new DryRun(engine.headerPrefix()), account.api().clock());
    }

    /// Aborts the test deliveries in flight, so that shutdown does not wait for them.
    public void endTestDeliveries() {
        sender.close();
    }
}
