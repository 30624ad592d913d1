package dev.sluice.observe.assembly;

import dev.sluice.account.assembly.AccountAssembly;
import dev.sluice.gateway.assembly.GatewayAssembly;
import dev.sluice.observe.audit.AuditLoop;
import dev.sluice.observe.deadletters.DeadLetterRoutes;
import dev.sluice.observe.events.EventRoutes;
import dev.sluice.observe.openapi.OpenApiRoutes;
import dev.sluice.observe.pages.PageRoutes;
import dev.sluice.observe.status.StatusRoutes;
import dev.sluice.platform.assembly.Foundation;
import dev.sluice.platform.http.Router;
import dev.sluice.platform.loop.Chore;
import dev.sluice.relay.assembly.RelayAssembly;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/// Builds the observe layer: the API's read-only views of events and deliveries, the status
/// endpoint, the dashboard's files, and the audit. Nothing in this layer changes data that the
/// relay has written.
public final class ObserveAssembly {

    private final Foundation base;
    private final AccountAssembly account;
    private final GatewayAssembly gateway;
    private final RelayAssembly relay;

    public ObserveAssembly(
            Foundation base,
            AccountAssembly account,
            GatewayAssembly gateway,
            RelayAssembly relay) {
        this.base = base;
        this.account = account;
        this.gateway = gateway;
        this.relay = relay;
    }

    public List<Chore> chores() {
        var auditLoop = new AuditLoop(base.pools().relay(), base.settledClock(), base.ids().next());
        return List.of(
                new Chore("audit", Duration.ofSeconds(1), auditLoop)
                        .endingWith(auditLoop::releaseLease));
    }

    /// @param isStopping whether the server is shutting down
    /// @param version the server's version
    /// @param baseUrl the server's public address
    public void addTo(Router router, BooleanSupplier isStopping, String version, String baseUrl) {
        var db = base.pools().api();
        var authenticator = account.authenticator();
        var plans = account.plans();
        var clock = base.clock();
        OpenApiRoutes.addTo(router);
        PageRoutes.addTo(router, baseUrl);
        new StatusRoutes(db, relay::isIngesting, relay::isDelivering, isStopping, clock, version)
                .addTo(router);
        new EventRoutes(
                        db,
                        authenticator,
                        plans,
                        gateway.routing(),
                        relay.inFlightAttempts(),
                        clock)
                .addTo(router);
        new DeadLetterRoutes(db, authenticator, plans, relay.inFlightAttempts(), clock)
                .addTo(router);
    }
}
