package dev.sluice.features.recovery;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatusSql;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Trigger;
import dev.sluice.platform.db.PlannerFeature;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/// Reads the candidate events for a selection, page by page. Also reads the state of their
/// deliveries, which determines whether an event is included.
public final class SelectionQueries {

    /// The maximum number of dead letters to read for one page, counted across all of the source's
    /// connections. If the page's maximum number of events is higher, that number applies instead.
    /// A single event always has fewer dead letters than this, so a page that reaches the limit
    /// contains at least one complete event.
    private static final int MIN_DEAD_LETTER_ROWS = 5_000;

    private SelectionQueries() {}

    /// Makes PostgreSQL use indexes. Each transaction that reads many events must call this method
    /// first. Otherwise, the planner would rely on outdated table statistics and might read whole
    /// tables.
    public static void forceIndexScan(Tx tx) {
        tx.disable(PlannerFeature.SEQUENTIAL_SCAN, PlannerFeature.JIT);
    }

    /// Returns the next page of a selection.
    ///
    /// @param maxEvents the maximum number of events
    public static SelectionPage page(Tx tx, ResendSelection selection, int maxEvents) {
        return selection.includesSucceeded()
                ? events(tx, selection, maxEvents)
                : readDeadLetters(tx, selection, maxEvents);
    }

    /// Reads a page of failed and exhausted deliveries, which have their own index. The index also
    /// contains deliveries on other connections, which [SelectionPage] leaves out.
    private static SelectionPage readDeadLetters(Tx tx, ResendSelection selection, int maxEvents) {
        int limit = Math.max(MIN_DEAD_LETTER_ROWS, maxEvents);
        var rows =
                selection
                        .condition()
                        .map(condition -> deadLetters(tx, selection, condition, limit))
                        .orElseGet(() -> deadLetters(tx, selection, limit));
        return rows.size() < limit
                ? SelectionPage.of(selection, rows, Optional.empty(), maxEvents)
                : SelectionPage.of(
                        selection, rows, Optional.of(rows.getLast().id().event()), maxEvents);
    }

    private static List<SelectionPage.DeadLetterRow> deadLetters(
            Tx tx, ResendSelection selection, int limit) {
        return tx.query(
                """
                select id, connection_id, status
                  from delivery
                 where source_id = ? and id > ? and id <= ? and %s
                 order by id
                 limit ?
                """
                        .formatted(DeliveryStatusSql.IS_DEAD),
                row ->
                        new SelectionPage.DeadLetterRow(
                                new DeliveryId(row.uuid("id")),
                                row.uuid("connection_id"),
                                row.integer("status"),
                                true),
                selection.source().value(),
                selection.after(),
                selection.to(),
                limit);
    }

    /// Reads dead letters, and checks the condition against columns that the index does not
    /// contain.
    private static List<SelectionPage.DeadLetterRow> deadLetters(
            Tx tx, ResendSelection selection, FailureCondition condition, int limit) {
        return tx.query(
                """
                select id, connection_id, status, error_code, response_status, finished_at,
                       (select true
                          from dismissal
                         where dismissal.source_id = delivery.source_id
                           and dismissal.delivery_id = delivery.id
                         limit 1) is not null as is_dismissed
                  from delivery
                 where source_id = ? and id > ? and id <= ? and %s
                 order by id
                 limit ?
                """
                        .formatted(DeliveryStatusSql.IS_DEAD),
                row ->
                        new SelectionPage.DeadLetterRow(
                                new DeliveryId(row.uuid("id")),
                                row.uuid("connection_id"),
                                row.integer("status"),
                                isFulfilled(condition, row)),
                selection.source().value(),
                selection.after(),
                selection.to(),
                limit);
    }

    private static boolean isFulfilled(FailureCondition condition, Row row) throws SQLException {
        var code = row.integerOrNone("error_code");
        var responseStatus = row.integerOrNone("response_status");
        return !row.bool("is_dismissed")
                && row.instant("finished_at").isBefore(condition.endedBefore())
                && (condition.code().isEmpty()
                        || condition.code().map(one -> (int) one.number()).equals(code))
                && (condition.responseStatus().isEmpty()
                        || condition.responseStatus().equals(responseStatus));
    }

    /// Reads a page of all the source's events, because there is no index on succeeded deliveries.
    private static SelectionPage events(Tx tx, ResendSelection selection, int maxEvents) {
        var events =
                tx.query(
                        """
                        select id
                          from event
                         where source_id = ? and id > ? and id <= ?
                         order by id
                         limit ?
                        """,
                        row -> new EventId(row.uuid("id")),
                        selection.source().value(),
                        selection.after(),
                        selection.to(),
                        maxEvents);
        return new SelectionPage(
                new ArrayList<>(events),
                events.size() < maxEvents
                        ? Optional.empty()
                        : Optional.of(DeliveryId.maxIdOf(events.getLast())));
    }

    /// Returns the greatest id that a delivery of the source's newest event can have. Returns empty
    /// if the source has no events.
    public static Optional<UUID> lastId(Tx tx, UUID source) {
        return tx
                .query(
                        "select id from event where source_id = ? order by id desc limit 1",
                        row -> DeliveryId.maxIdOf(new EventId(row.uuid("id"))),
                        source)
                .stream()
                .findFirst();
    }

    public static List<ResendCandidate> candidates(
            Tx tx, ResendSelection selection, List<EventId> events) {
        return candidates(tx, selection, events, Uuid7.MAX_TIME, List.of());
    }

    /// Returns these events, ordered by id, with the state of their deliveries on the selection's
    /// connection.
    ///
    /// @param since the creation time of the job and of the deliveries that it creates
    /// @param otherJobTimes the creation times of the other jobs whose resends this job must not
    ///   repeat
    public static List<ResendCandidate> candidates(
            Tx tx,
            ResendSelection selection,
            List<EventId> events,
            Instant since,
            List<Instant> otherJobTimes) {
        if (events.isEmpty()) {
            return List.of();
        }
        return tx.query(
                """
                select wanted.id, made.*
                  from unnest(?, ?) as wanted (id, last),
                       lateral (select coalesce(bool_or(status = any (?)), false) as is_meant,
                                       coalesce((array_agg(status order by id desc))[1] in (%1$s), false)
                                         as is_dead,
                                       coalesce(bool_or(trigger = %2$d and created_at = ?), false) as is_done,
                                       coalesce(bool_or(trigger = %2$d
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
                """
                        .formatted(
                                DeliveryStatusSql.numbers(DeliveryStatusSql.DEAD_STATUSES),
                                Trigger.RESEND.number()),
                row ->
                        new ResendCandidate(
                                new EventId(row.uuid("id")),
                                row.bool("is_meant"),
                                row.bool("is_dead"),
                                row.bool("is_done"),
                                row.bool("is_resent")),
                events.stream().map(EventId::value).toList(),
                events.stream().map(DeliveryId::maxIdOf).toList(),
                selection.statuses().stream().map(status -> (int) status.number()).toList(),
                since,
                since,
                Stream.concat(Stream.of(since), otherJobTimes.stream())
                        .map(SelectionQueries::micros)
                        .toList(),
                selection.source().value(),
                selection.connection().value(),
                selection.source().value(),
                selection.connection().value());
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }

    /// Returns how many resends are waiting on the selection's connection. Stops counting at
    /// `limit`.
    public static int countWaiting(Tx tx, ResendSelection selection, int limit) {
        return tx.single(
                """
                select count(*) as n
                  from (select 1
                          from delivery_work
                         where source_id = ? and connection_id = ? and trigger = %d
                           and next_at is not null
                         limit ?) as waiting
                """
                        .formatted(Trigger.RESEND.number()),
                row -> row.integer("n"),
                selection.source().value(),
                selection.connection().value(),
                limit);
    }
}
