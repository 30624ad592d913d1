package dev.sluice.features.alerts;

import dev.sluice.features.alerts.AlertMessageStore.ClaimedMessage;
import dev.sluice.features.alerts.AlertMessageStore.WaitingMessage;
import dev.sluice.features.alerts.AlertMeter.Fate;
import dev.sluice.features.alerts.ChannelClient.SendResult;
import dev.sluice.gateway.alertconfig.AlertChannel;
import dev.sluice.gateway.alertconfig.AlertConfigStore;
import dev.sluice.gateway.alertconfig.MailboxConfirmationStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.loop.Loop;
import dev.sluice.platform.loop.Wake;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Sends the alert messages that [AlertComposer] has composed. Every node runs a sender. Before a
/// node sends a message, it claims the message in the database, so that no other node sends it at
/// the same time.
///
/// If a node dies while it sends a message, its claim expires, and another node sends the message
/// with the same id. A message that is refused temporarily is tried up to five times. The tries
/// span about two and a half hours, or more if the channel asks for longer pauses. The counts of an
/// abandoned message are reported with a later message.
///
/// A chat gets at most one message a second. A node sends only a few of a workspace's messages at a
/// time, so that a channel that hangs does not delay other workspaces.
public final class AlertSender implements Loop.Step {

    public static final Duration ROUND_INTERVAL = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(AlertSender.class);

    static final int MAX_SENDING = 32;
    static final int MAX_SENDING_MAILS = 16;
    static final int MAX_SENDING_PER_WORKSPACE = 4;

    /// How long a message stays claimed. Sending usually takes less time. It may take longer if a
    /// mail server sends its replies byte by byte. Another node may then send the message a second
    /// time, with the same id.
    static final Duration CLAIM_DURATION = Duration.ofMinutes(5);

    /// The minimum pause before each of a message's four retries.
    static final List<Duration> RETRY_INTERVALS =
            List.of(
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(5),
                    Duration.ofMinutes(30),
                    Duration.ofHours(2));

    private static final SendResult.MessageRefused INTERRUPTED =
            new SendResult.MessageRefused(
                    "This server could not send the message.", true, Duration.ZERO);

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(3);

    private final Db db;
    private final AlertConfigStore configs;
    private final ChannelClient client;
    private final Executor threads;
    private final InstantSource clock;
    private final AlertMeter meter;
    private final Wake wake;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();

    /// The messages that this node is sending, by id. Written under `lock`.
    private final Map<UUID, WaitingMessage> sending = new ConcurrentHashMap<>();

    /// @param threads runs a task for each message that is sent
    /// @param wake wakes the loop that runs this sender's rounds
    public AlertSender(
            Db db,
            AlertConfigStore configs,
            ChannelClient client,
            Executor threads,
            InstantSource clock,
            AlertMeter meter,
            Wake wake) {
        this.db = db;
        this.configs = configs;
        this.client = client;
        this.threads = threads;
        this.clock = clock;
        this.meter = meter;
        this.wake = wake;
    }

    @Override
    public boolean run() {
        var chosen = choose();
        if (chosen.isEmpty()) {
            return false;
        }
        var now = clock.instant();
        var ids = chosen.keySet();
        var claimed =
                db.call(tx -> AlertMessageStore.claim(tx, ids, now, now.plus(CLAIM_DURATION)));
        for (var message : claimed) {
            var id = message.message().id();
            var waiting = chosen.get(id);
            if (waiting != null) {
                begin(id, waiting);
                threads.execute(() -> sendAndEnd(message));
            }
        }
        return false;
    }

    /// Chooses waiting messages to send now, within the limits on how many messages are sent at the
    /// same time.
    private Map<UUID, WaitingMessage> choose() {
        var busy = new HashMap<UUID, Integer>();
        var busyChats = new HashSet<UUID>();
        int mails = 0;
        for (var message : sending.values()) {
            if (message.channel() == AlertChannel.MESSENGER) {
                busyChats.add(message.target());
            }
            busy.merge(message.workspace(), 1, Integer::sum);
            mails += message.channel() == AlertChannel.EMAIL ? 1 : 0;
        }
        int room = MAX_SENDING - sending.size();
        if (room <= 0) {
            return Map.of();
        }
        var full = new ArrayList<UUID>();
        busy.forEach((workspace, n) -> {
            if (n >= MAX_SENDING_PER_WORKSPACE) {
                full.add(workspace);
            }
        });
        boolean hasMailRoom = mails < MAX_SENDING_MAILS;
        var now = clock.instant();
        var waiting =
                db.call(tx ->
                        AlertMessageStore.waiting(
                                tx, full, busyChats, hasMailRoom, now, MAX_SENDING * 4));
        var chosen = new HashMap<UUID, WaitingMessage>();
        for (var message : waiting) {
            boolean isMail = message.channel() == AlertChannel.EMAIL;
            int ofWorkspace = busy.getOrDefault(message.workspace(), 0);
            if (chosen.size() < room
                    && ofWorkspace < MAX_SENDING_PER_WORKSPACE
                    && (!isMail || mails < MAX_SENDING_MAILS)
                    && (message.channel() != AlertChannel.MESSENGER
                            || busyChats.add(message.target()))) {
                chosen.put(message.id(), message);
                busy.put(message.workspace(), ofWorkspace + 1);
                mails += isMail ? 1 : 0;
            }
        }
        return chosen;
    }

    private void begin(UUID id, WaitingMessage message) {
        lock.lock();
        try {
            sending.put(id, message);
        } finally {
            lock.unlock();
        }
    }

    private void sendAndEnd(ClaimedMessage message) {
        try {
            sendOrRefuse(message);
        } catch (RuntimeException e) {
            // The database failed. The claim will expire, and the message will then be tried again.
            logInterrupted(message, e);
        } finally {
            lock.lock();
            try {
                sending.remove(message.message().id());
                ended.signalAll();
            } finally {
                lock.unlock();
            }
            wake.wake();
        }
    }

    /// Sends a message. An exception other than a [DbException] counts as a temporary refusal, so
    /// that the number of tries is limited.
    private void sendOrRefuse(ClaimedMessage message) {
        try {
            send(message);
        } catch (DbException e) {
            throw e;
        } catch (RuntimeException e) {
            logInterrupted(message, e);
            refuse(message, INTERRUPTED);
        }
    }

    private static void logInterrupted(ClaimedMessage message, RuntimeException e) {
        log.atWarn()
                .addKeyValue("message_id", message.message().id())
                .setCause(e)
                .log("alert.send_interrupted");
    }

    private void send(ClaimedMessage claimed) {
        var id = claimed.message().id();
        var config = db.call(tx -> configs.findByTarget(tx, claimed.key().target()));
        if (config.isEmpty()) {
            db.run(tx -> AlertMessageStore.delete(tx, id)); // the channel is gone or disabled
            return;
        }
        switch (client.send(config.get(), claimed.message())) {
            case SendResult.MessageSent() -> {
                db.run(tx -> {
                    AlertConfigStore.recordSent(tx, claimed.key().target(), clock.instant());
                    AlertMessageStore.delete(tx, id);
                });
                meter.count(Fate.SENT, claimed.channel());
                log.atDebug()
                        .addKeyValue("workspace_id", claimed.key().workspace())
                        .addKeyValue("message_id", id)
                        .log("alert.sent");
                reportLost(db, claimed.key().workspace(), claimed.key().target(), clock.instant());
            }
            case SendResult.MessageRefused refused -> refuse(claimed, refused);
        }
    }

    /// Marks the counts from abandoned messages to the same target as unreported, so that a later
    /// message includes them, because the target now accepts messages. If this fails, the next
    /// message sent to the target triggers another attempt. The message that was just sent is not
    /// sent again.
    static void reportLost(Db db, UUID workspace, UUID target, Instant now) {
        try {
            db.run(tx -> AlertStore.reportLost(tx, target, now));
        } catch (RuntimeException e) {
            log.atWarn()
                    .addKeyValue("workspace_id", workspace)
                    .setCause(e)
                    .log("alert.report_postponed");
        }
    }

    private void refuse(ClaimedMessage claimed, SendResult.MessageRefused refused) {
        boolean isRetried = refused.isTemporary() && claimed.tries() <= RETRY_INTERVALS.size();
        boolean isDropped =
                db.call(tx -> {
                    if (!isRetried) {
                        return giveUp(tx, claimed, refused);
                    }
                    retry(tx, claimed, refused);
                    return false;
                });
        meter.count(Fate.FAILED, claimed.channel());
        if (isDropped) {
            meter.count(Fate.DROPPED, claimed.channel());
        }
        log.atWarn()
                .addKeyValue("workspace_id", claimed.key().workspace())
                .addKeyValue("message_id", claimed.message().id())
                .addKeyValue("reason", refused.reason())
                .addKeyValue("is_retried", isRetried)
                .log("alert.failed");
    }

    /// Schedules another try. If the channel asks for a pause, also delays its other messages.
    private void retry(Tx tx, ClaimedMessage claimed, SendResult.MessageRefused refused) {
        var now = clock.instant();
        var pause = RETRY_INTERVALS.get(claimed.tries() - 1);
        var wait = refused.retryAfter().compareTo(pause) > 0 ? refused.retryAfter() : pause;
        AlertConfigStore.recordFailure(tx, claimed.key().target(), refused.reason());
        AlertMessageStore.retry(tx, claimed, now.plus(wait));
        if (refused.retryAfter().isPositive()) {
            AlertMessageStore.pause(tx, claimed.key().target(), now.plus(refused.retryAfter()));
        }
    }

    /// Abandons a message, and keeps its counts for a later message. If another node has claimed
    /// the message in the meantime, only records the failure. Returns whether the message was
    /// abandoned.
    private boolean giveUp(Tx tx, ClaimedMessage claimed, SendResult.MessageRefused refused) {
        var key = claimed.key();
        if (key.isOfTarget()) {
            AlertConfigStore.recordFailure(tx, key.target(), refused.reason());
            boolean isGivenUp = AlertMessageStore.giveUp(tx, claimed).isPresent();
            if (isGivenUp) {
                MailboxConfirmationStore.endLink(tx, key.target());
            }
            return isGivenUp;
        }
        AlertStore.lockRoom(tx);
        AlertStore.lock(tx, List.of(key));
        AlertConfigStore.recordFailure(tx, claimed.key().target(), refused.reason());
        var news = AlertMessageStore.giveUp(tx, claimed);
        news.ifPresent(counts -> AlertStore.keepLost(tx, key, counts, clock.instant()));
        return news.isPresent();
    }

    /// Waits up to three seconds for this node to finish sending messages.
    public void awaitSent() throws InterruptedException {
        lock.lock();
        try {
            long left = STOP_TIMEOUT.toNanos();
            while (!sending.isEmpty() && left > 0) {
                left = ended.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
