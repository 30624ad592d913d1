package dev.sluice.faults;

import dev.sluice.bench.platform.Wait;

import java.time.Duration;

/// Queries the database for the work that a relay process has in memory.
///
/// @param epoch that process's epoch
record OwnedWorkQueries(TestbedQueries queries, long epoch) {

    /// The maximum duration of a takeover: the duration of a lease, plus a heartbeat interval and a
    /// small margin.
    static final double TAKEOVER_TIMEOUT_SECONDS = 20;

    private static final Duration TAKEOVER_WATCH_TIMEOUT = Duration.ofSeconds(40);

    /// Returns the number of deliveries that may be in the relay's memory: fresh deliveries, and
    /// deliveries in the lanes that it has leased. Each may be sent again if the relay dies now.
    long deliveries() {
        return queries.number(
                """
                select (select count(*) from delivery_work where owner = %1$d)
                     + (select count(*) from delivery_work w
                          join lane l on l.connection_id = w.connection_id and l.trigger = w.trigger
                         where l.owner = %1$d and w.next_at is not null)
                """
                        .formatted(epoch));
    }

    /// Returns whether other relays have taken over all of the work.
    boolean isTakenOver() {
        return queries.number(
                        """
                        select (select count(*) from delivery_work where owner = %1$d)
                             + (select count(*) from lane where owner = %1$d)
                             + (select count(*) from node where epoch = %1$d and state = 'live')
                        """
                                .formatted(epoch))
                == 0;
    }

    double secondsUntilTakenOver() {
        return Wait.secondsUntil(TAKEOVER_WATCH_TIMEOUT, this::isTakenOver);
    }
}
