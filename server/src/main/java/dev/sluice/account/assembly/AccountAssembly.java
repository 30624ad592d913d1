package dev.sluice.account.assembly;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.ApiContext;
import dev.sluice.account.access.ApiKeyRoutes;
import dev.sluice.account.access.Authenticator;
import dev.sluice.account.access.CallerRoutes;
import dev.sluice.account.access.ClientAddress;
import dev.sluice.account.access.InitialSetup;
import dev.sluice.account.access.SessionStore;
import dev.sluice.account.access.SessionUseStore;
import dev.sluice.account.changes.AuditLogTrimmer;
import dev.sluice.account.idempotency.IdempotencyKeyPruner;
import dev.sluice.account.idempotency.IdempotencyKeys;
import dev.sluice.account.members.InviteMailer;
import dev.sluice.account.people.PasswordResetStore;
import dev.sluice.account.plan.MinuteWindow;
import dev.sluice.account.plan.PlanCatalog;
import dev.sluice.account.plan.PlanChangePolicy;
import dev.sluice.account.plan.PlanStore;
import dev.sluice.account.workspace.InviteStore;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.assembly.Foundation;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.loop.Chore;
import dev.sluice.platform.mail.MailQueue;
import dev.sluice.platform.meter.WorkspaceGauge;
import dev.sluice.platform.secret.SecretGenerator;
import dev.sluice.platform.share.ComputePool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/// The account layer with all its parts: authentication of API requests, people and workspaces,
/// plans and the audit log.
///
/// @param idempotency answers repeated requests that have an `Idempotency-Key`
/// @param planChangePolicy who may change a workspace's plan
/// @param firstStart the newly created credentials if this is the first start with this database;
///   otherwise empty
/// @param chores the background tasks, in the order in which they start
/// @param routes functions that add the layer's routes
public record AccountAssembly(
        ApiContext api,
        IdempotencyKeys idempotency,
        PlanCatalog plans,
        PlanChangePolicy planChangePolicy,
        Optional<InitialSetup.InitialCredentials> firstStart,
        List<Chore> chores,
        List<Consumer<Api>> routes) {

    private static final Logger log = LoggerFactory.getLogger(AccountAssembly.class);

    /// Builds the account layer. Creates the first workspace if there is none.
    ///
    /// @param saveCredentials stores the newly created credentials before the commit; if it throws
    ///   an exception, nothing is created
    public static AccountAssembly open(
            Foundation base,
            AccountSettings settings,
            Consumer<InitialSetup.InitialCredentials> saveCredentials) {
        var db = base.pools().api();
        var credentials =
                InitialSetup.run(
                        db,
                        settings.initialSetup(),
                        base.ids(),
                        new SecretGenerator(),
                        base.now(),
                        saveCredentials);
        if (credentials.isEmpty()) {
            warnOfInvalidKey(db, settings, base.now());
        }
        warnOfOpenPlans(settings);
        var plans =
                db.call(tx -> {
                    PlanStore.save(tx, settings.plans(), base.now());
                    return PlanStore.withVanished(tx, settings.plans());
                });
        var mail = base.mail().map(sender -> new MailQueue(sender, base.clock()));
        var authenticator =
                new Authenticator(
                        base.pools().access(),
                        plans,
                        settings.people().baseUrl(),
                        new ClientAddress(settings.people().trustedProxies()),
                        base.ids(),
                        base.activity(),
                        base.clock());
        var compute = base.shutdown().closing("compute", ComputePool.forThisMachine());
        var api =
                new ApiContext(
                        db,
                        authenticator,
                        authenticator.budgets(db, compute),
                        compute,
                        base.ids(),
                        base.clock());
        var idempotency = new IdempotencyKeys(db, base.sealer(), base.clock());
        var random = new SecretGenerator();
        var signIn = new SignInAssembly(api, settings.people(), mail, random);
        var members =
                new MembersAssembly(
                        api,
                        idempotency,
                        new InviteMailer(mail, settings.people().baseUrl(), base.clock()),
                        plans,
                        random);
        var chores = new ArrayList<Chore>();
        mail.map(MailQueue::chore).ifPresent(chores::add);
        chores.add(signIn.resetMails());
        chores.addAll(expiryChores(base));
        return new AccountAssembly(
                api,
                idempotency,
                plans,
                settings.planChangePolicy(),
                credentials,
                List.copyOf(chores),
                List.of(
                        new CallerRoutes(db, settings.headerPrefix())::addTo,
                        new ApiKeyRoutes(db, idempotency, base.ids(), random, base.clock())::addTo,
                        signIn::addTo,
                        members::addTo,
                        routes ->
                                routes.openGet(
                                        "/api/v1/plans", Set.of(), _ -> Reply.ok(plans.json()))));
    }

    /// Returns the chores that delete expired sessions, invites and password resets, counts of
    /// earlier minutes, old audit log entries, and old idempotency keys.
    private static List<Chore> expiryChores(Foundation base) {
        var db = base.pools().api();
        var background = base.pools().relay();
        var clock = base.settledClock();
        return List.of(
                Chore.of(
                        "expired sessions",
                        Duration.ofMinutes(10),
                        () -> db.run(tx -> deleteExpired(tx, clock.instant()))),
                new Chore(
                        "audit log",
                        Duration.ofMinutes(10),
                        new AuditLogTrimmer(background, clock)),
                new Chore(
                        "idempotency keys",
                        Duration.ofMinutes(1),
                        new IdempotencyKeyPruner(background, clock)));
    }

    /// Warns if the configured API key is not in the database or has expired. The setting is used
    /// only at the first start, so a key that was configured later does not work.
    private static void warnOfInvalidKey(Db db, AccountSettings settings, Instant now) {
        if (!InitialSetup.isKeyValid(db, settings.initialSetup(), now)) {
            log.atWarn().log("admin_key.ignored");
        }
    }

    /// Warns if registration is open and owners may change plans, because anyone could then
    /// register and take the largest plan.
    private static void warnOfOpenPlans(AccountSettings settings) {
        if (settings.people().isRegistrationOpen()
                && settings.planChangePolicy() == PlanChangePolicy.OWNER
                && settings.plans().names().size() > 1) {
            log.atWarn().log("plans.exposed");
        }
    }

    private static void deleteExpired(Tx tx, Instant now) {
        SessionStore.deleteExpired(tx, now);
        InviteStore.deleteExpired(tx, now);
        PasswordResetStore.deleteExpired(tx, now);
        SessionUseStore.deleteBefore(tx, MinuteWindow.number(now));
    }

    /// Returns what each workspace's management requests hold of what workspaces share.
    public List<WorkspaceGauge> workspaceGauges() {
        return List.of(
                new WorkspaceGauge(
                        "sluice_workspace_compute_requests",
                        "Management requests of a workspace that compute or wait for it.",
                        () -> byWorkspace(api.compute().heldByOwner())),
                new WorkspaceGauge(
                        "sluice_workspace_database_connections",
                        "Database connections that a workspace's management requests hold.",
                        () -> byWorkspace(api.db().heldByOwner())));
    }

    /// Leaves out owners that are no workspaces: people without one, and networks.
    private static Map<UUID, Long> byWorkspace(Map<Object, Integer> byOwner) {
        var held = new HashMap<UUID, Long>();
        byOwner.forEach((owner, count) -> {
            if (owner instanceof WorkspaceId workspace) {
                held.put(workspace.value(), (long) count);
            }
        });
        return held;
    }

    public void addTo(Api api) {
        routes.forEach(group -> group.accept(api));
    }
}
