package dev.sluice.relay.assembly;

import dev.sluice.account.access.Api;
import dev.sluice.account.assembly.AccountAssembly;
import dev.sluice.gateway.CustomHeaderRules;
import dev.sluice.gateway.assembly.GatewayAssembly;
import dev.sluice.relay.RequestPreview;
import dev.sluice.relay.preview.PreviewRoutes;
import dev.sluice.relay.preview.RoutePreview;
import dev.sluice.relay.preview.SampleEventQueries;
import dev.sluice.relay.preview.SentRequestRoutes;
import dev.sluice.relay.request.DryRun;
import dev.sluice.relay.send.HttpSender;
import dev.sluice.relay.trial.TestDeliveryRoutes;
import dev.sluice.relay.trial.TestEventRoutes;
import dev.sluice.relay.trial.VerificationTrialRoutes;

/// Builds the features with which users try things: previews, test deliveries, test events, and
/// verifications that are not saved.
public final class TryoutAssembly {

    private final AccountAssembly account;
    private final GatewayAssembly gateway;
    private final RelayAssembly relay;
    private final HttpSender sender;

    public TryoutAssembly(AccountAssembly account, GatewayAssembly gateway, RelayAssembly relay) {
        this.account = account;
        this.gateway = gateway;
        this.relay = relay;
        sender = relay.ownSender("connections of test deliveries");
    }

    public void addTo(Api routes) {
        var api = account.api();
        var db = api.db();
        var clock = api.clock();
        var configuration = gateway.routing();
        var headerRules = CustomHeaderRules.withPrefix(relay.headerPrefix());
        var dryRun = new DryRun(relay.headerPrefix());
        var decoder = relay.payloadDecoder();
        var events = new SampleEventQueries(account.plans(), configuration, decoder, clock);
        String baseUrl = relay.baseUrl();
        new PreviewRoutes(api, events, configuration, headerRules, dryRun).addTo(routes);
        new SentRequestRoutes(
                        db,
                        account.plans(),
                        gateway.replacedDestinations(),
                        gateway.replacedSources(),
                        decoder,
                        dryRun,
                        clock)
                .addTo(routes);
        new TestDeliveryRoutes(api, configuration, events, sender, dryRun, baseUrl).addTo(routes);
        new TestEventRoutes(
                        db, configuration, relay.endpoint(), account.idempotency(), baseUrl, clock)
                .addTo(routes);
        new VerificationTrialRoutes(db, configuration, events, headerRules, baseUrl).addTo(routes);
    }

    /// Returns an object that previews the requests that connections would send for an event.
    public RequestPreview requestPreview() {
        return new RoutePreview(new DryRun(relay.headerPrefix()), account.api().clock());
    }

    /// Aborts the test deliveries in flight, so that shutdown does not wait for them.
    public void endTestDeliveries() {
        sender.close();
    }
}
