package dev.sluice.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.engine.EventId;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.lanes.Lane;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.destination.DestinationId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.gateway.source.VerificationStatus;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Puts single rows into the relay's tables, with one statement for each table.
///
/// A test may put in rows that the relay would never write together, so nothing here keeps the
/// tables consistent. [FinishedEvents] and [FinishedDeliveries] do.
public final class GivenRows {

    /// A row of `event`.
    public record EventRow(
            EventId id,
            SourceId source,
            VerificationStatus verification,
            int fanout,
            List<UUID> filtered,
            String body) {

        /// An unverified event whose body is `{}`.
        public EventRow(EventId id, SourceId source, int fanout) {
            this(id, source, VerificationStatus.SKIPPED, fanout, List.of(), "{}");
        }

        public EventRow withVerification(VerificationStatus other) {
            return new EventRow(id, source, other, fanout, filtered, body);
        }

        /// @param connections that filtered the event
        public EventRow withFiltered(List<UUID> connections) {
            return new EventRow(id, source, verification, fanout, connections, body);
        }
    }

    /// A row of `delivery_work`.
    public record WorkRow(
            DeliveryId id,
            SourceId source,
            ConnectionId connection,
            Trigger trigger,
            Optional<Long> owner,
            Optional<Instant> nextAt,
            Optional<Instant> createdAt) {

        public static WorkRow waiting(
                DeliveryId id, SourceId source, ConnectionId connection, Instant nextAt) {
            return new WorkRow(
                    id,
                    source,
                    connection,
                    triggerOf(id),
                    Optional.empty(),
                    Optional.of(nextAt),
                    Optional.empty());
        }

        public static WorkRow owned(
                DeliveryId id, SourceId source, ConnectionId connection, long owner) {
            return new WorkRow(
                    id,
                    source,
                    connection,
                    triggerOf(id),
                    Optional.of(owner),
                    Optional.empty(),
                    Optional.empty());
        }

        public WorkRow withTrigger(Trigger other) {
            return new WorkRow(id, source, connection, other, owner, nextAt, createdAt);
        }

        public WorkRow withCreatedAt(Instant at) {
            return new WorkRow(id, source, connection, trigger, owner, nextAt, Optional.of(at));
        }
    }

    /// A row of `delivery`.
    ///
    /// @param lastAttempt empty when the delivery ended without one
    public record DeliveryRow(
            DeliveryId id,
            SourceId source,
            ConnectionId connection,
            DeliveryStatus status,
            Instant finishedAt,
            Optional<Instant> createdAt,
            Optional<LastAttempt> lastAttempt,
            Optional<ErrorCode> error) {

        /// What the row says of the last attempt.
        public record LastAttempt(
                int number, Optional<Integer> responseStatus, Optional<String> message) {

            private static LastAttempt ofOnly(DeliveryStatus status) {
                return status == DeliveryStatus.SUCCEEDED
                        ? new LastAttempt(1, Optional.of(200), Optional.empty())
                        : new LastAttempt(
                                1, Optional.of(410), Optional.of("Destination answered 410"));
            }
        }

        /// A delivery that ended after one attempt, with a 200 or a 410, under no revision of its
        /// destination: the API cannot show that attempt.
        public DeliveryRow(
                DeliveryId id,
                SourceId source,
                ConnectionId connection,
                DeliveryStatus status,
                Instant finishedAt) {
            this(
                    id,
                    source,
                    connection,
                    status,
                    finishedAt,
                    Optional.empty(),
                    Optional.of(LastAttempt.ofOnly(status)),
                    status == DeliveryStatus.SUCCEEDED
                            ? Optional.empty()
                            : Optional.of(ErrorCode.HTTP_STATUS));
        }

        /// The same delivery as one that ended before anything was sent.
        public DeliveryRow withoutAttempt(ErrorCode reason) {
            return new DeliveryRow(
                    id,
                    source,
                    connection,
                    status,
                    finishedAt,
                    createdAt,
                    Optional.empty(),
                    Optional.of(reason));
        }

        public DeliveryRow withCreatedAt(Instant at) {
            return new DeliveryRow(
                    id,
                    source,
                    connection,
                    status,
                    finishedAt,
                    Optional.of(at),
                    lastAttempt,
                    error);
        }
    }

    /// What the ledger and the sums count.
    ///
    /// @param kind the number of a [UsageKind]
    /// @param key a source or a connection
    /// @param minute of the hour since 1970 at which the event was received, 0 in the sums
    /// @param dim the number of a verification, a status or a trigger
    /// @param size in bytes
    public record UsageRow(int kind, UUID key, int hour, int minute, int dim, int n, long size) {

        public static UsageRow event(
                SourceId source, Instant receivedAt, VerificationStatus verification, long size) {
            int minute = (int) (minutes(receivedAt) % 60);
            return new UsageRow(
                    UsageKind.EVENTS.number(),
                    source.value(),
                    hour(receivedAt),
                    minute,
                    verification.number(),
                    1,
                    size);
        }

        public static UsageRow outcome(
                DeliveryId id, ConnectionId connection, DeliveryStatus status) {
            return new UsageRow(
                    UsageKind.OUTCOMES.number(),
                    connection.value(),
                    hour(id.event()),
                    0,
                    status.number(),
                    1,
                    0);
        }

        public static UsageRow delivery(DeliveryId id, ConnectionId connection) {
            int trigger = triggerOf(id).number();
            return new UsageRow(
                    UsageKind.DELIVERIES.number(),
                    connection.value(),
                    hour(id.event()),
                    0,
                    trigger,
                    1,
                    0);
        }

        public UsageRow times(int count) {
            return new UsageRow(kind, key, hour, minute, dim, n * count, size * count);
        }

        private static int hour(EventId event) {
            return hour(Uuid7.timeOf(event.value()));
        }

        private static int hour(Instant at) {
            return (int) (minutes(at) / 60);
        }

        private static long minutes(Instant at) {
            return at.getEpochSecond() / 60;
        }
    }

    private GivenRows() {}

    /// As the ordinal says: low ones are from ingest.
    private static Trigger triggerOf(DeliveryId id) {
        return id.ordinal() >= DeliveryId.MIN_RESEND_ORDINAL ? Trigger.RESEND : Trigger.INGEST;
    }

    public static void insertEvents(Tx tx, List<EventRow> rows) {
        tx.updateEach(
                """
                insert into event (id, source_id, method, verification, fanout, body_size, filtered, headers, body)
                values (?, ?, 'POST', ?, ?, ?, ?, ''::bytea, ?)
                """,
                rows.stream()
                        .map(row ->
                                Arrays.asList(
                                        row.id().value(),
                                        row.source().value(),
                                        row.verification().number(),
                                        row.fanout(),
                                        row.body().getBytes(UTF_8).length,
                                        row.filtered().isEmpty() ? null : row.filtered(),
                                        row.body().getBytes(UTF_8)))
                        .toList());
    }

    public static void insertWork(Tx tx, List<WorkRow> rows) {
        tx.updateEach(
                """
                insert into delivery_work (id, source_id, connection_id, trigger, owner, next_at, created_at)
                values (?, ?, ?, ?, ?, ?, ?)
                """,
                rows.stream()
                        .map(row ->
                                Arrays.asList(
                                        row.id().value(),
                                        row.source().value(),
                                        row.connection().value(),
                                        row.trigger().number(),
                                        row.owner().orElse(null),
                                        row.nextAt().orElse(null),
                                        row.createdAt().orElse(null)))
                        .toList());
    }

    public static void insertDeliveries(Tx tx, List<DeliveryRow> rows) {
        tx.updateEach(
                """
                insert into delivery (id, source_id, connection_id, status, trigger, finished_at, created_at,
                                      attempted_at, latency_ms, attempts, response_status, error_code,
                                      error_message, configuration)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
                """,
                rows.stream().map(GivenRows::columns).toList());
    }

    private static List<?> columns(DeliveryRow row) {
        var lastAttempt = row.lastAttempt();
        return Arrays.asList(
                row.id().value(),
                row.source().value(),
                row.connection().value(),
                row.status().number(),
                triggerOf(row.id()).number(),
                row.finishedAt(),
                row.createdAt().orElse(null),
                lastAttempt.map(_ -> row.finishedAt()).orElse(null),
                lastAttempt.map(_ -> 7).orElse(null),
                lastAttempt.map(DeliveryRow.LastAttempt::number).orElse(0),
                lastAttempt.flatMap(DeliveryRow.LastAttempt::responseStatus).orElse(null),
                row.error().map(ErrorCode::number).orElse(null),
                lastAttempt.flatMap(DeliveryRow.LastAttempt::message).orElse(null));
    }

    /// @param wakeAt empty: never
    public static void insertLane(
            Tx tx, Lane lane, Optional<Instant> wakeAt, Optional<Long> owner) {
        tx.update(
                """
                insert into lane (connection_id, trigger, source_id, wake_at, owner)
                values (?, ?, ?, coalesce(?::timestamptz, 'infinity'), ?)
                """,
                lane.connection().value(),
                lane.trigger().number(),
                lane.source().value(),
                wakeAt.orElse(null),
                owner.orElse(null));
    }

    public static void insertOpenCircuit(Tx tx, DestinationId destination, Instant reopenAt) {
        tx.update(
                """
                insert into circuit (destination_id, state, failures, cooldown_ms, generation, reopen_at,
                                     version, changed)
                values (?, 'open', 5, 60000, 1, ?, 1, pg_current_xact_id()::text::bigint)
                """,
                destination.value(),
                reopenAt);
    }

    public static void insertDismissal(Tx tx, SourceId source, UUID delivery, Instant at) {
        tx.update(
                "insert into dismissal (source_id, delivery_id, dismissed_at) values (?, ?, ?)",
                source.value(),
                delivery,
                at);
    }

    /// One row of the ledger that holds all of `rows`.
    public static void insertLedger(Tx tx, UUID source, List<UsageRow> rows) {
        tx.update(
                """
                insert into ledger (batch, source_id, kinds, keys, hours, minutes, dims, counts, sizes)
                values (?, ?, ?, ?, ?, ?::smallint[], ?, ?, ?)
                """,
                Some.id(),
                source,
                rows.stream().map(UsageRow::kind).toList(),
                rows.stream().map(UsageRow::key).toList(),
                rows.stream().map(UsageRow::hour).toList(),
                rows.stream().map(UsageRow::minute).toList(),
                rows.stream().map(UsageRow::dim).toList(),
                rows.stream().map(UsageRow::n).toList(),
                rows.stream().map(UsageRow::size).toList());
    }

    public static void addToHour(Tx tx, UsageRow usage) {
        tx.update(
                """
                insert into rollup_hour (kind, key, hour, dim, n, size) values (?, ?, ?, ?, ?, ?)
                on conflict (kind, key, hour, dim)
                   do update set n = rollup_hour.n + excluded.n, size = rollup_hour.size + excluded.size
                """,
                usage.kind(),
                usage.key(),
                usage.hour(),
                usage.dim(),
                usage.n(),
                usage.size());
    }

    public static void addToDay(Tx tx, UsageRow usage) {
        tx.update(
                """
                insert into rollup_day (kind, key, day, dim, n, size) values (?, ?, ?, ?, ?, ?)
                on conflict (kind, key, day, dim)
                   do update set n = rollup_day.n + excluded.n, size = rollup_day.size + excluded.size
                """,
                usage.kind(),
                usage.key(),
                usage.hour() / 24,
                usage.dim(),
                usage.n(),
                usage.size());
    }

    public static void addToTotal(Tx tx, UsageRow usage) {
        tx.update(
                """
                insert into total (kind, key, dim, n, size) values (?, ?, ?, ?, ?)
                on conflict (kind, key, dim)
                   do update set n = total.n + excluded.n, size = total.size + excluded.size
                """,
                usage.kind(),
                usage.key(),
                usage.dim(),
                usage.n(),
                usage.size());
    }
}
