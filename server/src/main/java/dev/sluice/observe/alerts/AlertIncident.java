package dev.sluice.observe.alerts;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/// How much one target was told about one destination, and when it is told more. Immutable; reads
/// no clock.
///
/// The first message is sent at once. What happens then is folded into one message after 10
/// minutes, the next after an hour, and each later one after six hours. A recovery is told at once,
/// and begins anew.
///
/// @param messages the number of messages since the destination worked last
/// @param lastAt when the last message was composed
/// @param isOpen whether the destination's circuit is open
/// @param isOpenTold whether the last message said so
record AlertIncident(int messages, Optional<Instant> lastAt, boolean isOpen, boolean isOpenTold) {

    /// What a message can be about. The database stores the number.
    enum NewsKind {
        FAILED(1),
        EXHAUSTED(2),
        /// Deliveries will expire within a day.
        EXPIRING(3),
        /// The circuit opened, or a probe failed.
        OPENED(4),
        RECOVERED(5),
        /// Settings of the destination cannot be read, so nothing is sent.
        UNREADABLE(6);

        private final int number;

        NewsKind(int number) {
            this.number = number;
        }

        int number() {
            return number;
        }

        static Optional<NewsKind> fromNumber(int number) {
            return Arrays.stream(values()).filter(kind -> kind.number == number).findFirst();
        }
    }

    static final AlertIncident NONE = new AlertIncident(0, Optional.empty(), false, false);

    private static final Duration FIRST_INTERVAL = Duration.ofMinutes(10);

    private static final Duration SECOND_INTERVAL = Duration.ofHours(1);
    private static final Duration LAST_INTERVAL = Duration.ofHours(6);

    /// After this time without news the next failure is a new incident.
    static final Duration QUIET = LAST_INTERVAL;

    /// The same after a recovery.
    static final Duration QUIET_AFTER_RECOVERY = FIRST_INTERVAL;

    /// Returns how long the next message waits after the last one.
    Duration interval() {
        return switch (messages) {
            case 0, 1 -> FIRST_INTERVAL;
            case 2 -> SECOND_INTERVAL;
            default -> LAST_INTERVAL;
        };
    }

    /// Returns when the news are to be told; empty if there are none.
    Optional<Instant> dueAt(Set<NewsKind> news, Instant now) {
        if (news.isEmpty()) {
            return Optional.empty();
        }
        if (lastAt.isEmpty() || news.contains(NewsKind.RECOVERED)) {
            return Optional.of(now);
        }
        boolean isUrgent = news.contains(NewsKind.EXPIRING) || news.contains(NewsKind.UNREADABLE);
        // after a clock was set back, the last message seems to be in the future
        var last = lastAt.get().isAfter(now) ? now : lastAt.get();
        var due = last.plus(isUrgent ? FIRST_INTERVAL : interval());
        return Optional.of(due.isAfter(now) ? due : now);
    }

    /// Returns the incident after the news were told.
    AlertIncident told(Set<NewsKind> news, Instant now) {
        boolean isOver = news.contains(NewsKind.RECOVERED);
        return new AlertIncident(
                isOver ? 0 : Math.min(messages, 1_000_000) + 1, Optional.of(now), isOpen, isOpen);
    }
}
