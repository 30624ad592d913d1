package dev.sluice.observe.alerts;

import dev.sluice.gateway.alertconfig.AlertChannel;
import dev.sluice.gateway.alertconfig.AlertConfigStore;
import dev.sluice.gateway.destination.Destination;
import dev.sluice.observe.alerts.AlertIncident.NewsKind;
import dev.sluice.observe.alerts.AlertQueries.CircuitNews;
import dev.sluice.observe.alerts.AlertQueries.NewsItem;
import dev.sluice.observe.alerts.AlertQueries.SourceNews;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.RoundParts;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.db.TxSnapshot;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Pause;
import dev.sluice.relay.ExpiringDeliveries;
import dev.sluice.relay.ExpiryListener;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// Finds what is to be told, and composes the messages. One node at a time does it.
///
/// A round takes over the failures of the commits since the last round, in one transaction with its
/// new position. So each failure is told once, whichever process dies when. A message is composed
/// in one transaction too; [AlertSender] sends it.
///
/// While no workspace has a channel, a round is one short read.
public final class AlertWatcher implements Loop.Step, ExpiryListener {

    public static final Duration ROUND_INTERVAL = Duration.ofSeconds(2);

    private static final Logger log = LoggerFactory.getLogger(AlertWatcher.class);

    /// How long the position stays when nothing failed. Commits are kept for a quarter of an hour.
    private static final Duration MOVE_INTERVAL = Duration.ofSeconds(30);

    private static final Duration UPKEEP_INTERVAL = Duration.ofSeconds(10);
    private static final Duration POSTPONEMENT = Duration.ofMinutes(10);
    private static final int MAX_MESSAGES_PER_ROUND = 100;
    private static final int MAX_FORGOTTEN_PER_ROUND = 1_000;
    private static final int EXPIRY_BATCH_SIZE = 500;

    /// Mails that are composed for a workspace in an hour.
    static final int MAX_MAILS_PER_HOUR = 60;

    private final Db db;
    private final AlertConfigStore configs;
    private final Supplier<List<Destination>> unreadableDestinations;
    private final String baseUrl;
    private final Uuid7 ids;
    private final InstantSource clock;
    private final UUID holder;
    private final Runnable onComposed;

    /// Used only by the thread that runs the rounds.
    private Pause upkeepPause = Pause.NONE;

    /// @param unreadableDestinations those with settings that this node cannot read
    /// @param baseUrl the server's public address, for links
    /// @param onComposed called when there are messages to send
    public AlertWatcher(
            Db db,
            AlertConfigStore configs,
            Supplier<List<Destination>> unreadableDestinations,
            String baseUrl,
            Uuid7 ids,
            InstantSource clock,
            Runnable onComposed) {
        this.db = db;
        this.configs = configs;
        this.unreadableDestinations = unreadableDestinations;
        this.baseUrl = baseUrl;
        this.ids = ids;
        this.clock = clock;
        this.holder = ids.next();
        this.onComposed = onComposed;
    }

    @Override
    public boolean run() {
        var now = clock.instant();
        var position = db.call(AlertQueries::position);
        boolean isOld = Pause.of(position.movedAt(), MOVE_INTERVAL).isOver(now);
        if (!position.hasChannels()) {
            if (isOld) {
                db.run(tx -> AlertStore.moveWithoutChannels(tx, now));
            }
            return false;
        }
        if (!db.call(tx -> AlertStore.LEASE.acquire(tx, holder, AlertStore.LEASE_DURATION))) {
            return false;
        }
        var parts = new RoundParts();
        parts.run(() -> takeOver(position.seen(), isOld, now));
        if (upkeepPause.isOver(now)) {
            upkeepPause = Pause.of(now, UPKEEP_INTERVAL);
            parts.run(() -> noteUnreadable(now));
            parts.run(() -> forget(now));
        }
        var due = db.call(tx -> AlertStore.due(tx, now, MAX_MESSAGES_PER_ROUND));
        for (var key : due) {
            parts.run(() -> composeOrPostpone(key, now));
        }
        if (!due.isEmpty()) {
            onComposed.run();
        }
        parts.end();
        return due.size() == MAX_MESSAGES_PER_ROUND;
    }

    /// What became visible since an earlier snapshot.
    private record Findings(
            TxSnapshot snapshot, List<NewsItem> failures, List<CircuitNews> circuits) {

        List<AlertKey> keys() {
            var keys = new ArrayList<AlertKey>();
            failures.forEach(one -> keys.add(one.key()));
            circuits.forEach(one -> keys.add(one.key()));
            return keys.stream().distinct().toList();
        }
    }

    /// Takes over what failed since the last round.
    private void takeOver(TxSnapshot seen, boolean isMoveDue, Instant now) {
        var found =
                db.snapshot(tx ->
                        new Findings(
                                AlertQueries.snapshot(tx),
                                AlertQueries.failures(tx, seen, now),
                                AlertQueries.circuitChanges(tx, seen)));
        var keys = found.keys();
        if (keys.isEmpty() && !isMoveDue) {
            return;
        }
        db.run(tx -> {
            if (AlertStore.move(tx, seen, found.snapshot(), now)) {
                AlertStore.lock(tx, keys);
                AlertStore.add(tx, found.failures());
                AlertStore.noteCircuits(tx, found.circuits(), now);
                AlertStore.schedule(tx, keys, now);
            }
        });
    }

    /// Takes over deliveries that will expire. When it returns, they are stored.
    @Override
    public void expiring(List<ExpiringDeliveries> soon) {
        for (int from = 0; from < soon.size(); from += EXPIRY_BATCH_SIZE) {
            var batch = soon.subList(from, Math.min(from + EXPIRY_BATCH_SIZE, soon.size()));
            var byConnection =
                    batch.stream()
                            .collect(
                                    Collectors.toMap(
                                            one -> one.connection().value(),
                                            one -> one,
                                            (one, _) -> one));
            db.run(tx -> {
                var news = new ArrayList<NewsItem>();
                for (var target : AlertQueries.targets(tx, byConnection.keySet())) {
                    var one = byConnection.get(target.connection());
                    if (one != null) {
                        news.add(
                                new NewsItem(
                                        target.key(),
                                        target.source(),
                                        NewsKind.EXPIRING,
                                        one.deliveries(),
                                        null,
                                        one.first()));
                    }
                }
                addAndSchedule(tx, news, clock.instant());
            });
        }
    }

    private static void addAndSchedule(Tx tx, List<NewsItem> news, Instant now) {
        var keys = news.stream().map(NewsItem::key).distinct().toList();
        AlertStore.lock(tx, keys);
        AlertStore.add(tx, news);
        AlertStore.schedule(tx, keys, now);
    }

    private void noteUnreadable(Instant now) {
        var unreadable =
                unreadableDestinations.get().stream().map(one -> one.id().value()).toList();
        db.run(tx -> {
            var keys = AlertQueries.targetsOfDestinations(tx, unreadable);
            AlertStore.lock(tx, keys);
            var news =
                    keys.stream()
                            .filter(key -> AlertStore.noteUnreadable(tx, key))
                            .map(key ->
                                    new NewsItem(
                                            key,
                                            key.destination(),
                                            NewsKind.UNREADABLE,
                                            1,
                                            null,
                                            now))
                            .toList();
            AlertStore.add(tx, news);
            AlertStore.schedule(tx, keys, now);
            AlertStore.noteReadable(tx, unreadable);
        });
    }

    /// Removes incidents that are over, and those that nobody is told of any more. What is told
    /// when a channel is enabled again begins anew.
    private void forget(Instant now) {
        var lastBefore = now.minus(AlertIncident.SHORTEST_QUIET);
        for (var key : db.call(tx -> AlertStore.idle(tx, lastBefore, MAX_FORGOTTEN_PER_ROUND))) {
            db.run(tx ->
                    AlertStore.find(tx, key)
                            .filter(stored ->
                                    !AlertStore.hasChannel(tx, key.target())
                                            || stored.isForgotten(now))
                            .ifPresent(_ -> AlertStore.delete(tx, key)));
        }
        db.run(AlertMessageStore::deleteUseOfDeleted);
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
            db.run(tx -> AlertStore.setDue(tx, key, Optional.of(now.plus(POSTPONEMENT))));
        }
    }

    private void compose(Tx tx, AlertKey key, Instant now) {
        var stored = AlertStore.find(tx, key).filter(found -> found.isDue(now));
        if (stored.isEmpty()) {
            return; // another node has composed it
        }
        var config = configs.findByTarget(tx, key.target());
        var destination = AlertQueries.destination(tx, key.destination());
        if (config.isEmpty() || destination.isEmpty()) {
            AlertStore.delete(tx, key);
            return;
        }
        var news = AlertQueries.news(tx, key);
        if (news.isEmpty()) {
            AlertStore.deleteNews(tx, key);
            AlertStore.setDue(tx, key, Optional.empty());
            return;
        }
        var channel = config.get().channel();
        if (channel == AlertChannel.EMAIL && !takeMail(tx, key, now)) {
            return;
        }
        var kinds = EnumSet.noneOf(NewsKind.class);
        news.forEach(one -> kinds.add(one.kind()));
        var told = stored.get().incident().told(kinds, now);
        var message =
                new AlertText(
                                baseUrl,
                                key,
                                destination.get(),
                                news,
                                lastError(tx, news).or(destination.get()::circuitError),
                                told.isOpen(),
                                told.interval(),
                                now)
                        .compose(ids.next());
        AlertMessageStore.insert(tx, key, channel, message, now);
        AlertStore.saveTold(tx, key, told);
    }

    /// Takes one of the workspace's mails. Without one, the news wait for the next hour.
    private static boolean takeMail(Tx tx, AlertKey key, Instant now) {
        long hour = now.getEpochSecond() / Duration.ofHours(1).toSeconds();
        if (AlertMessageStore.use(tx, key.workspace(), "mail", hour, MAX_MAILS_PER_HOUR)) {
            return true;
        }
        var next = Instant.ofEpochSecond((hour + 1) * Duration.ofHours(1).toSeconds());
        AlertStore.setDue(tx, key, Optional.of(next));
        AlertConfigStore.recordFailure(
                tx,
                key.target(),
                "The workspace has used its "
                        + MAX_MAILS_PER_HOUR
                        + " mails of this hour. The rest is told in the next one.");
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

    /// Gives up the lease, so that another node goes on at once.
    public void releaseLease() {
        db.run(tx -> AlertStore.LEASE.release(tx, holder));
    }
}
