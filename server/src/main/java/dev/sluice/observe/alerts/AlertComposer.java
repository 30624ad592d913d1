package dev.sluice.observe.alerts;

import dev.sluice.gateway.alertconfig.AlertChannel;
import dev.sluice.gateway.alertconfig.AlertConfigStore;
import dev.sluice.observe.alerts.AlertIncident.NewsKind;
import dev.sluice.observe.alerts.AlertQueries.SourceNews;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.RoundParts;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

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

/// Composes the messages that are due, each in one transaction. Workspaces take turns. Used by the
/// thread of [AlertWatcher] only.
final class AlertComposer {

    private static final Logger log = LoggerFactory.getLogger(AlertComposer.class);

    private static final Duration POSTPONEMENT = Duration.ofMinutes(10);
    private static final int MAX_MESSAGES_PER_ROUND = 100;
    private static final int MAX_MESSAGES_PER_TURN = 10;

    /// Messages that wait for one target. What is over is folded.
    static final int MAX_WAITING = 100;

    private static final UUID BEFORE_ALL = new UUID(0, 0);

    private final Db db;
    private final AlertConfigStore configs;
    private final String baseUrl;
    private final Uuid7 ids;

    /// The workspace that had the last turn.
    private UUID lastTurn = BEFORE_ALL;

    AlertComposer(Db db, AlertConfigStore configs, String baseUrl, Uuid7 ids) {
        this.db = db;
        this.configs = configs;
        this.baseUrl = baseUrl;
        this.ids = ids;
    }

    /// Composes some of what is due. Returns how many incidents it looked at.
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

    /// Composes a message. One that cannot be composed does not keep the others.
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
            return; // another node has composed it
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
        var channel = config.get().channel();
        if (AlertMessageStore.waitingFor(tx, key.target(), MAX_WAITING) >= MAX_WAITING) {
            AlertStore.postpone(tx, key, now.plus(POSTPONEMENT));
            return;
        }
        if (!takeMessage(tx, key, channel, now)) {
            return;
        }
        var kinds = EnumSet.noneOf(NewsKind.class);
        news.items().forEach(one -> kinds.add(one.kind()));
        var told = stored.get().incident().told(kinds, now);
        var message =
                new AlertText(
                                baseUrl,
                                key,
                                facts.get(),
                                news,
                                lastError(tx, news.items()).or(facts.get()::circuitError),
                                told.isOpen(),
                                told.interval(),
                                now)
                        .compose(ids.next());
        AlertMessageStore.insert(tx, key, channel, message, now);
        AlertStore.saveTold(tx, key, told);
    }

    /// Takes one of the workspace's messages of this hour. Without one, the news wait for the next
    /// hour.
    private static boolean takeMessage(Tx tx, AlertKey key, AlertChannel channel, Instant now) {
        var allowance = AlertAllowance.of(channel);
        if (allowance.take(tx, key.workspace(), now)) {
            return true;
        }
        AlertStore.postpone(tx, key, AlertAllowance.nextHour(now));
        AlertConfigStore.recordFailure(
                tx,
                key.target(),
                "The workspace has used its "
                        + allowance.words()
                        + " of this hour. The rest is told in the next one.");
        return false;
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
