package dev.sluice.gateway;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/// Chooses the time that is stored for a change to a resource. Each change gets a later time than
/// the previous one, because the resource's entity tag is derived from the time.
public final class ChangeTime {

    private ChangeTime() {}

    /// Returns the time of a change: `now` in whole microseconds or, if that is not after `before`,
    /// the microsecond after `before`.
    ///
    /// @param before the time of the resource's previous change, as stored in the database
    public static Instant next(Instant before, Instant now) {
        var time = now.truncatedTo(ChronoUnit.MICROS); // the database stores microseconds
        return time.isAfter(before) ? time : before.plus(1, ChronoUnit.MICROS);
    }
}
