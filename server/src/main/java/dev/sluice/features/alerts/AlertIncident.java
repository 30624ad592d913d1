package dev.sluice.features.alerts;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/// The history of the alerts that one target (a mailbox, a chat or a URL) gets about one
/// destination. Decides when the next message is due. Immutable; reads no clock.
///
/// A message reports news: failures, an opened circuit, a recovery or other changes ([NewsKind])
/// that no message has reported yet. The first message is sent immediately. The second message
/// follows at least 10 minutes after the first, and the third at least an hour after the second.
/// Each further message follows at least six hours after the previous one. News about deliveries
/// that will expire, or about unreadable settings, is due at most 10 minutes after the last
/// message. A recovery is reported immediately and resets these intervals.
///
/// @param messages the number of messages since the last message that reported a recovery
/// @param lastAt when the last message was composed; empty if there was none
/// @param isOpen whether the destination's circuit is open
/// @param isOpenReported whether the circuit was open when the last message was composed
record AlertIncident(
        int messages, Optional<Instant> lastAt, boolean isOpen, boolean isOpenReported) {

    /// A kind of news that a message can report. The database stores each kind as its number.
    enum NewsKind {
        FAILED(1),
        EXHAUSTED(2),
        /// Waiting deliveries will expire within a day.
        EXPIRING(3),
        /// The circuit opened, or a probe failed.
        OPENED(4),
        RECOVERED(5),
        /// The destination's or source's settings cannot be read. Nothing is sent to such a
        /// destination, and webhooks to such a source are refused.
        UNREADABLE(6);

        private final int number;

        NewsKind(int number) {
            this.number = number;
        }

        int number() {
            return number;
        }

        /// Whether this news counts deliveries. Other news is about a state, and each state is
        /// reported only once.
        boolean isCount() {
            return switch (this) {
                case FAILED, EXHAUSTED, EXPIRING -> true;
                case OPENED, RECOVERED, UNREADABLE -> false;
            };
        }

        static Optional<NewsKind> fromNumber(int number) {
            return Arrays.stream(values()).filter(kind -> kind.number == number).findFirst();
        }
    }

    static final AlertIncident NONE = new AlertIncident(0, Optional.empty(), false, false);

    private static final Duration FIRST_INTERVAL = Duration.ofMinutes(10);

    private static final Duration SECOND_INTERVAL = Duration.ofHours(1);
    private static final Duration LAST_INTERVAL = Duration.ofHours(6);

    /// An incident without news is over once its last message is this old. The next failure then
    /// begins a new incident.
    static final Duration QUIET = LAST_INTERVAL;

    /// Like [#QUIET], but for an incident whose last message reported a recovery.
    static final Duration QUIET_AFTER_RECOVERY = FIRST_INTERVAL;

    /// Like [#QUIET], but for an incident with an abandoned message. That message's counts are kept
    /// for this long.
    static final Duration QUIET_AFTER_LOSS = Duration.ofDays(30);

    /// Returns the minimum time between the last message and the next one. [#dueAt] shortens this
    /// time for some kinds of news.
    Duration interval() {
        return switch (messages) {
            case 0, 1 -> FIRST_INTERVAL;
            case 2 -> SECOND_INTERVAL;
            default -> LAST_INTERVAL;
        };
    }

    /// Returns when the next message is due, or empty if `news` is empty.
    ///
    /// @param news the kinds of news that no message has reported yet
    Optional<Instant> dueAt(Set<NewsKind> news, Instant now) {
        if (news.isEmpty()) {
            return Optional.empty();
        }
        if (lastAt.isEmpty() || news.contains(NewsKind.RECOVERED)) {
            return Optional.of(now);
        }
        boolean isUrgent = news.contains(NewsKind.EXPIRING) || news.contains(NewsKind.UNREADABLE);
        // If the clock was set back, the last message seems to be in the future.
        var last = lastAt.get().isAfter(now) ? now : lastAt.get();
        var due = last.plus(isUrgent ? FIRST_INTERVAL : interval());
        return Optional.of(due.isAfter(now) ? due : now);
    }

    /// Returns the incident's state after a message has reported the news.
    ///
    /// @param news the kinds of news in the message
    AlertIncident reported(Set<NewsKind> news, Instant now) {
        boolean isOver = news.contains(NewsKind.RECOVERED);
        return new AlertIncident(
                isOver ? 0 : Math.min(messages, 1_000_000) + 1, Optional.of(now), isOpen, isOpen);
    }
}
