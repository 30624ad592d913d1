package dev.sluice.platform.mail;

import dev.sluice.platform.loop.Chore;
import dev.sluice.platform.loop.Pause;
import dev.sluice.platform.loop.Wake;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;

/// Sends messages in the background, one after another, so that no request waits for a mail server.
///
/// The queue is bounded. It is kept in memory only, so messages that are still in it when the
/// server stops are lost. A message that fails temporarily is retried at most twice. Thread-safe.
public final class MailQueue {

    static final int MAX_MESSAGES = 1_000;

    private static final Logger log = LoggerFactory.getLogger(MailQueue.class);
    private static final Duration LOOK_INTERVAL = Duration.ofSeconds(5);

    /// The pauses before the first and the second retry of a message.
    private static final List<Duration> RETRY_INTERVALS =
            List.of(Duration.ofMinutes(1), Duration.ofMinutes(5));

    private record QueuedMail(MailMessage message, int failures, Pause pause) {}

    private final MailSender sender;
    private final InstantSource clock;
    private final Queue<QueuedMail> queue = new ArrayDeque<>();
    private final Wake wake = new Wake();

    public MailQueue(MailSender sender, InstantSource clock) {
        this.sender = sender;
        this.clock = clock;
    }

    /// Adds a message and returns immediately. If the queue is full, discards the message, logs a
    /// warning and returns false.
    public boolean offer(MailMessage message) {
        return offer(new QueuedMail(message, 0, Pause.NONE));
    }

    private boolean offer(QueuedMail mail) {
        synchronized (queue) {
            if (queue.size() >= MAX_MESSAGES) {
                log.atWarn().addKeyValue("reason", "the queue is full").log("mail.discarded");
                return false;
            }
            queue.add(mail);
        }
        wake.wake();
        return true;
    }

    /// Returns the chore that sends the messages.
    public Chore chore() {
        return new Chore("mail", LOOK_INTERVAL, this::sendNext)
                .wokenBy(wake)
                .endingWith(this::discard);
    }

    /// Sends the first message that is due. Returns false if there is none.
    boolean sendNext() {
        var next = takeDue();
        next.ifPresent(this::send);
        return next.isPresent();
    }

    private Optional<QueuedMail> takeDue() {
        var now = clock.instant();
        synchronized (queue) {
            var due = queue.stream().filter(mail -> mail.pause().isOver(now)).findFirst();
            due.ifPresent(queue::remove);
            return due;
        }
    }

    private void send(QueuedMail mail) {
        try {
            sender.send(mail.message());
            log.atDebug().log("mail.sent");
        } catch (MailException e) {
            boolean isRetried = e.isTemporary() && mail.failures() < RETRY_INTERVALS.size();
            log.atWarn()
                    .addKeyValue("reason", e.getMessage())
                    .addKeyValue("is_retried", isRetried)
                    .log("mail.failed");
            if (isRetried) {
                var pause = Pause.of(clock.instant(), RETRY_INTERVALS.get(mail.failures()));
                offer(new QueuedMail(mail.message(), mail.failures() + 1, pause));
            }
        }
    }

    private void discard() {
        synchronized (queue) {
            if (!queue.isEmpty()) {
                log.atWarn()
                        .addKeyValue(
                                "reason", queue.size() + " were waiting when the server stopped")
                        .log("mail.discarded");
            }
            queue.clear();
        }
    }
}
