package dev.sluice.features.alerts;

import dev.sluice.account.access.Api;
import dev.sluice.account.access.Budget;
import dev.sluice.account.access.Caller;
import dev.sluice.account.access.Gate;
import dev.sluice.features.alerts.ChannelClient.SendResult;
import dev.sluice.gateway.alertconfig.AlertConfig;
import dev.sluice.gateway.alertconfig.AlertConfigStore;
import dev.sluice.gateway.alertconfig.MailboxConfirmationStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;
import dev.sluice.platform.http.Reply;
import dev.sluice.platform.http.Request;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.JsonObject;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;

/// The route `POST /api/v1/alert-configs/{id}/test`, which sends a test message over an alert
/// channel and reports whether it was sent.
public final class AlertTestRoutes {

    private static final int MAX_TESTS_PER_MINUTE = 10;

    private final Db db;
    private final AlertConfigStore configs;
    private final MailboxConfirmation confirmation;
    private final ChannelClient client;
    private final String baseUrl;
    private final Uuid7 ids;
    private final InstantSource clock;

    public AlertTestRoutes(
            Db db,
            AlertConfigStore configs,
            MailboxConfirmation confirmation,
            ChannelClient client,
            String baseUrl,
            Uuid7 ids,
            InstantSource clock) {
        this.db = db;
        this.configs = configs;
        this.confirmation = confirmation;
        this.client = client;
        this.baseUrl = baseUrl;
        this.ids = ids;
        this.clock = clock;
    }

    public void addTo(Api api) {
        api.post(
                "/api/v1/alert-configs/{id}/test",
                Gate.MEMBER,
                Set.of(Budget.DATABASE),
                this::test);
    }

    /// @param refusal why the message is not sent; empty to send it
    private record PreparedTest(
            AlertConfig config, Optional<String> refusal, AlertMessage message) {}

    private Reply test(Caller caller, Request request) {
        var id = request.id("alert config");
        var now = clock.instant();
        var prepared =
                db.call(tx -> {
                    var config =
                            configs.find(tx, caller.workspace(), id)
                                    .orElseThrow(() -> ApiException.notFound("alert config"));
                    var refusal = takeTest(tx, config, now);
                    caller.record(tx, "alert_config.tested", id, config.channel().text(), Set.of());
                    String name = AlertQueries.workspaceName(tx, caller.workspace());
                    return new PreparedTest(
                            config,
                            refusal,
                            AlertText.test(
                                    ids.next(), caller.workspace().value(), name, baseUrl, now));
                });
        var error = prepared.refusal().or(() -> send(prepared));
        var sentTo =
                db.call(tx -> {
                    var target = AlertConfigStore.storedTarget(tx, id);
                    target.ifPresent(to ->
                            error.ifPresentOrElse(
                                    reason -> AlertConfigStore.recordFailure(tx, to, reason),
                                    () -> AlertConfigStore.recordSent(tx, to, clock.instant())));
                    return target.filter(_ -> error.isEmpty());
                });
        // In a transaction of its own, because it locks incidents, and others lock them first.
        sentTo.ifPresent(target ->
                AlertSender.reportLost(db, caller.workspace().value(), target, clock.instant()));
        return Reply.ok(new JsonObject().put("sent", error.isEmpty()).put("error", error));
    }

    /// Sends the message and returns why it was refused, or empty if it was sent.
    private Optional<String> send(PreparedTest prepared) {
        return switch (client.send(prepared.config(), prepared.message())) {
            case SendResult.MessageSent() -> Optional.empty();
            case SendResult.MessageRefused refused -> Optional.of(refused.reason());
        };
    }

    /// Counts a test message against the workspace's limits, and throws an [ApiException] if a
    /// limit is reached. Returns the reason if the mailbox is not confirmed; its owner is asked
    /// again, at most once a day.
    private Optional<String> takeTest(Tx tx, AlertConfig config, Instant now) {
        var workspace = config.workspace().value();
        long second = now.getEpochSecond();
        long minute = Duration.ofMinutes(1).toSeconds();
        if (!AlertMessageStore.use(tx, workspace, "test", second / minute, MAX_TESTS_PER_MINUTE)) {
            throw ApiException.tooMany(
                    "A workspace may test its channels "
                            + MAX_TESTS_PER_MINUTE
                            + " times a minute.",
                    Duration.ofSeconds(minute - second % minute));
        }
        var unconfirmed =
                confirmation.check(
                        tx,
                        config,
                        AlertConfigStore.storedTarget(tx, config.id()).orElseThrow(),
                        MailboxConfirmationStore.MIN_INTERVAL,
                        now);
        if (unconfirmed.isPresent()) {
            return unconfirmed.map(AlertAllowance.LimitReached::reason);
        }
        var refusal = AlertAllowance.take(tx, config, now);
        if (refusal.isPresent()) {
            throw ApiException.tooMany(
                    refusal.get().reason(),
                    Duration.between(now, refusal.get().until()).plusSeconds(1));
        }
        return Optional.empty();
    }
}
