package dev.sluice.features.alerts;

import dev.sluice.features.alerts.AlertIncident.NewsKind;
import dev.sluice.features.alerts.AlertMeter.Fate;
import dev.sluice.features.alerts.AlertQueries.SourceNews;
import dev.sluice.gateway.alertconfig.AlertConfig;
import dev.sluice.gateway.alertconfig.AlertConfigStore;
import dev.sluice.gateway.alertconfig.MailboxConfirmationStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.RoundParts;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.Json;
import dev.sluice.platform.json.JsonObject;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Composes the alert messages that are due, each in its own transaction. Workspaces take turns.
/// Not thread-safe: used only by the thread that runs [AlertWatcher].
public final class AlertComposer {

    private static final Logger log = LoggerFactory.getLogger(AlertComposer.class);

    private static final Duration POSTPONEMENT = Duration.ofMinutes(10);
    private static final int MAX_MESSAGES_PER_ROUND = 100;
    private static final int MAX_MESSAGES_PER_TURN = 10;

    /// The maximum number of unsent messages to one target. While that many are waiting, no further
    /// message to the target is composed. A later message then reports all the news together.
    static final int MAX_WAITING = 100;

    private static final UUID BEFORE_ALL = new UUID(0, 0);

    private final Db db;
    private final AlertConfigStore configs;
    private final MailboxConfirmation confirmation;
    private final String baseUrl;
    private final Uuid7 ids;
    private final AlertMeter meter;

    /// The last workspace that had a turn, or [#BEFORE_ALL] to begin with the first workspace.
    private UUID lastTurn = BEFORE_ALL;

    /// @param baseUrl the server's public address, for links
    public AlertComposer(
            Db db,
            AlertConfigStore configs,
            MailboxConfirmation confirmation,
            String baseUrl,
            Uuid7 ids,
            AlertMeter meter) {
        this.db = db;
        this.configs = configs;
        this.confirmation = confirmation;
        this.baseUrl = baseUrl;
        this.ids = ids;
        this.meter = meter;
    }

    /// Composes messages for the incidents that are due, at most [#MAX_MESSAGES_PER_ROUND]. Returns
    /// the number of incidents that were handled, including those that were postponed.
    int compose(RoundParts parts, Instant now) {
        var tried = new HashSet<AlertKey>();
        boolean isAnyNew = true;
        while (isAnyNew && tried.size() < MAX_MESSAGES_PER_ROUND) {
            boolean isFromStart = lastTurn.equals(BEFORE_ALL);
            var due = nextTurns(MAX_MESSAGES_PER_ROUND - tried.size(), now);
            isAnyNew = due.isEmpty() && !isFromStart;
            for (var key : due) {
                if (tried.add(key)) {
                    isAnyNew = true;
                    parts.run(() -> composeOrPostpone(key, now));
                }
            }
        }
        return tried.size();
    }

    boolean isFull(int looked) {
        return looked >= MAX_MESSAGES_PER_ROUND;
    }

    private List<AlertKey> nextTurns(int limit, Instant now) {
        var after = lastTurn;
        var due = db.call(tx -> AlertStore.due(tx, now, after, MAX_MESSAGES_PER_TURN, limit));
        lastTurn = due.isEmpty() ? BEFORE_ALL : due.getLast().workspace();
        return due;
    }

    /// Composes the message for an incident. If that fails, postpones the incident, so that it does
    /// not hold up the others. If the cause is a temporary database failure, rethrows the exception
    /// instead of postponing the incident.
    private void composeOrPostpone(AlertKey key, Instant now) {
        try {
            db.run(tx -> compose(tx, key, now));
        } catch (RuntimeException e) {
            if (e instanceof DbException failure && failure.failure().isPassing()) {
                throw e;
            }
            log.atError()
                    .addKeyValue("destination_id", key.destination())
                    .setCause(e)
                    .log("alert.compose_failed");
            db.run(tx -> AlertStore.postpone(tx, key, now.plus(POSTPONEMENT)));
        }
    }

    private void compose(Tx tx, AlertKey key, Instant now) {
        var stored = AlertStore.find(tx, key).filter(found -> found.isDue(now));
        if (stored.isEmpty()) {
            return; // another node has composed the message
        }
        var config = configs.findByTarget(tx, key.target());
        var facts = AlertQueries.facts(tx, key);
        if (config.isEmpty() || facts.isEmpty()) {
            AlertStore.delete(tx, key);
            return;
        }
        var news = AlertQueries.news(tx, key, AlertText.MAX_SOURCES);
        if (news.items().isEmpty()) {
            AlertStore.deleteNews(tx, key);
            AlertStore.setNothingDue(tx, key);
            return;
        }
        if (!takeAllowanceOrPostpone(tx, key, config.get(), now)) {
            meter.count(Fate.POSTPONED, config.get().channel());
            return;
        }
        var kinds = EnumSet.noneOf(NewsKind.class);
        news.items().forEach(one -> kinds.add(one.kind()));
        var reported = stored.get().incident().reported(kinds, now);
        var message =
                new AlertText(
                                baseUrl,
                                key,
                                facts.get(),
                                news,
                                lastError(tx, news.items()).or(facts.get()::circuitError),
                                reported.isOpen(),
                                reported.interval(),
                                now)
                        .compose(ids.next());
        AlertMessageStore.insert(
                tx, key, config.get().channel(), message, countsJson(news.items()), now);
        AlertStore.saveReported(tx, key, reported);
    }

    /// Counts one message against the hourly allowance. Postpones the incident if the allowance is
    /// used up, if the mailbox is not confirmed, or if too many messages to the target are waiting.
    /// If an allowance is used up, also records the reason on the target's channels.
    ///
    /// @return whether the message was counted
    private boolean takeAllowanceOrPostpone(Tx tx, AlertKey key, AlertConfig config, Instant now) {
        if (AlertMessageStore.waitingFor(tx, key.target(), MAX_WAITING) >= MAX_WAITING) {
            AlertStore.postpone(tx, key, now.plus(POSTPONEMENT));
            return false;
        }
        var refusal =
                confirmation
                        .check(tx, config, key.target(), MailboxConfirmationStore.LIFETIME, now)
                        .or(() -> AlertAllowance.take(tx, config, now));
        refusal.ifPresent(limit -> {
            var soonest = now.plus(POSTPONEMENT);
            AlertStore.postpone(tx, key, limit.until().isAfter(soonest) ? limit.until() : soonest);
            AlertConfigStore.recordFailure(
                    tx, key.target(), limit.reason() + " The rest is reported together later.");
        });
        return refusal.isEmpty();
    }

    /// Asks the owner of a target's mailbox to confirm it, if that is needed.
    void askToConfirm(Tx tx, UUID target, Instant now) {
        configs.findByTarget(tx, target)
                .ifPresent(config ->
                        confirmation.check(
                                tx, config, target, MailboxConfirmationStore.LIFETIME, now));
    }

    /// Returns the delivery counts in these news items as JSON, which is stored with the message.
    /// If the message is later abandoned, another message reports these counts.
    private static String countsJson(List<SourceNews> news) {
        var counts =
                news.stream()
                        .filter(one -> one.kind().isCount())
                        .map(one ->
                                new JsonObject()
                                        .put("source_id", one.source())
                                        .put("kind", one.kind().number())
                                        .put("n", one.n())
                                        .put("sample", Optional.ofNullable(one.sample()))
                                        .put("since", one.since()))
                        .toList();
        return Json.text(new JsonObject().put("counts", counts));
    }

    private static Optional<String> lastError(Tx tx, List<SourceNews> news) {
        var samples = new ArrayList<UUID>();
        var sources = new ArrayList<UUID>();
        for (var one : news) {
            if (one.sample() != null) {
                samples.add(one.sample());
                sources.add(one.source());
            }
        }
        return samples.isEmpty() ? Optional.empty() : AlertQueries.lastError(tx, samples, sources);
    }
}
