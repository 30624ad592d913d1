package dev.sluice.relay.replay;

import dev.sluice.platform.db.Tx;
import dev.sluice.relay.DeliveryId;
import dev.sluice.relay.EventId;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;

/// How an event stands on the connection of a selection.
///
/// @param isMeant one of its deliveries there has a status that was asked for
/// @param isDead the newest of them failed or is exhausted
/// @param isDone this job resent it already
/// @param isResent it was resent since the job was made, or by a job beside it
record Candidate(EventId event, boolean isMeant, boolean isDead, boolean isDone, boolean isResent) {

    /// Of a selection that is no job.
    private static final Instant NEVER = Instant.parse("9999-01-01T00:00:00Z");

    /// What becomes of it.
    enum Fate {
        /// It is resent.
        RESEND,
        /// This job did it already.
        DONE,
        /// Somebody else resent it meanwhile.
        SKIPPED,
        /// It is not one of those that were asked for.
        OTHER
    }

    Fate fate(boolean isOfSucceeded) {
        if (isDone) {
            return Fate.DONE;
        }
        if (!isMeant) {
            return Fate.OTHER;
        }
        if (isResent) {
            return Fate.SKIPPED;
        }
        return isDead || isOfSucceeded ? Fate.RESEND : Fate.OTHER;
    }

    static List<Candidate> of(Tx tx, Selection selection, List<EventId> events) {
        return of(tx, selection, events, NEVER, List.of());
    }

    /// @param since when the job was made, which is when its deliveries are said to be made
    /// @param beside when other jobs were made whose resends it leaves alone
    static List<Candidate> of(
            Tx tx, Selection selection, List<EventId> events, Instant since, List<Instant> beside) {
        if (events.isEmpty()) {
            return List.of();
        }
        return tx.query(
                """
                select wanted.id, made.*
                  from unnest(?, ?) as wanted (id, last),
                       lateral (select coalesce(bool_or(status = any (?)), false) as is_meant,
                                       coalesce((array_agg(status order by id desc))[1] in (4, 5), false)
                                         as is_dead,
                                       coalesce(bool_or(trigger = 2 and created_at = ?), false) as is_done,
                                       coalesce(bool_or(trigger = 2
                                           and (created_at >= ?
                                                or (extract(epoch from created_at) * 1000000)::bigint
                                                   = any (?))), false)
                                         as is_resent
                                  from (select id, status, trigger, created_at
                                          from delivery
                                         where id > wanted.id and id <= wanted.last and source_id = ?
                                           and connection_id = ?
                                        union all
                                        select id, 0::smallint, trigger, created_at
                                          from delivery_work
                                         where id > wanted.id and id <= wanted.last and source_id = ?
                                           and connection_id = ?) as place) as made
                 order by wanted.id
                """,
                row ->
                        new Candidate(
                                new EventId(row.uuid("id")),
                                row.bool("is_meant"),
                                row.bool("is_dead"),
                                row.bool("is_done"),
                                row.bool("is_resent")),
                events.stream().map(EventId::value).toList(),
                events.stream().map(DeliveryId::lastOf).toList(),
                selection.statuses().stream().map(status -> (int) status.number()).toList(),
                since,
                since,
                Stream.concat(Stream.of(since), beside.stream()).map(Candidate::micros).toList(),
                selection.source().value(),
                selection.connection().value(),
                selection.source().value(),
                selection.connection().value());
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}
