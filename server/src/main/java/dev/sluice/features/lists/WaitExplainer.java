package dev.sluice.features.lists;

import dev.sluice.account.plan.Retention;
import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.InFlightAttempts;
import dev.sluice.engine.Trigger;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.routing.ConfigurationCache;
import dev.sluice.gateway.routing.HoldReason;
import dev.sluice.history.DeliveryInProgress;
import dev.sluice.history.StatusView;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.JsonObject;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/// Explains what an unfinished delivery is waiting for, and when its next attempt is due.
public record WaitExplainer(
        ConfigurationCache configuration,
        InFlightAttempts inFlightAttempts,
        Retention retention,
        Instant now) {

    /// The columns that describe an unfinished delivery, for a `select` that uses [#JOINS_SQL].
    public static final String COLUMNS_SQL =
            """
            work.*, connection.destination_id, destination.name as destination_name,
            destination.retry_intervals, circuit.state as circuit_state,
            circuit.reopen_at, circuit.last_error as circuit_error
            """;

    /// The joins to append after `delivery_work as work`.
    public static final String JOINS_SQL =
            """
             join connection on connection.id = work.connection_id
             join destination on destination.id = connection.destination_id
             left join circuit on circuit.destination_id = destination.id
            """;

    /// The status of an unfinished delivery, and when its next attempt is due.
    ///
    /// @param status `pending` or `delivering`, with the reason
    /// @param nextAttemptAt empty if no time is scheduled
    public record DeliveryWait(StatusView status, Optional<Instant> nextAttemptAt) {}

    /// Tells whether the delivery is `pending` or `delivering`.
    public DeliveryStatus status(DeliveryInProgress delivery) {
        return delivery.status(inFlightAttempts, now);
    }

    /// Returns the status of the unfinished delivery in this row, the reason for the status, and
    /// when the next attempt is due.
    ///
    /// @param row must contain the columns of [#COLUMNS_SQL]
    /// @param lastError the error message of the delivery's last attempt, or empty if there is none
    public DeliveryWait explain(Row row, Optional<String> lastError) throws SQLException {
        var id = new DeliveryId(row.uuid("id"));
        var receivedAt = Uuid7.timeOf(id.value());
        var trigger = Trigger.fromNumber(row.integer("trigger"));
        int attempts = row.integer("attempts");
        boolean isInMemory = !row.isNull("owner");
        Optional<Long> owner = isInMemory ? Optional.of(row.number("owner")) : Optional.empty();
        var createdAt = row.instantOrNone("created_at").orElse(receivedAt);
        var circuit = CircuitHold.read(row);
        var hold =
                configuration
                        .route(new ConnectionId(row.uuid("connection_id")))
                        .flatMap(trigger::holdReason)
                        .or(() -> circuit.map(_ -> HoldReason.CIRCUIT_OPEN));
        var due = row.instantOrNone("next_at");
        Optional<Instant> next =
                hold.equals(Optional.of(HoldReason.CIRCUIT_OPEN))
                        ? circuit.map(open -> open.notBefore(due.orElse(now)))
                        : due;
        var status = status(new DeliveryInProgress(id, owner, createdAt));
        String reason =
                status == DeliveryStatus.DELIVERING
                        ? deliveringReason(attempts)
                        : waitingReason(
                                        hold,
                                        circuit,
                                        isInMemory,
                                        attempts,
                                        row.integers("retry_intervals").size(),
                                        next.orElse(now),
                                        lastError)
                                + expiryNotice(receivedAt, next.orElse(now));
        return new DeliveryWait(
                new StatusView(status, hold.filter(_ -> status == DeliveryStatus.PENDING), reason),
                next);
    }

    /// @param attempts the number of attempts made before the current one
    private static String deliveringReason(int attempts) {
        return attempts == 0
                ? "Being delivered: the first attempt is under way."
                : "Being delivered: retry " + attempts + " is under way.";
    }

    /// Returns a sentence that says when the waiting delivery expires, if that is soon or no later
    /// than its next attempt. Otherwise returns an empty string.
    private String expiryNotice(Instant receivedAt, Instant next) {
        return retention
                .expiresAt(receivedAt)
                .filter(end -> retention.isNearExpiry(receivedAt, now) || !next.isBefore(end))
                .map(end ->
                        " It expires unsent at "
                                + JsonObject.time(end)
                                + ", when the event's retention ends.")
                .orElse("");
    }

    /// Returns a sentence that says why a delivery is waiting.
    ///
    /// @param circuit empty if the circuit is closed
    /// @param isInMemory whether the delivery is due and in a node's memory, but not yet being sent
    /// @param retries the maximum number of retries
    static String waitingReason(
            Optional<HoldReason> hold,
            Optional<CircuitHold> circuit,
            boolean isInMemory,
            int attempts,
            int retries,
            Instant next,
            Optional<String> lastError) {
        if (hold.isPresent()) {
            return switch (hold.get()) {
                case WORKSPACE_SUSPENDED ->
                        "Held: the operator has suspended the workspace. It is sent when the"
                                + " workspace is resumed.";
                case SOURCE_IN_TRASH -> "Held: the source is in the trash.";
                case SOURCE_PAUSED ->
                        "Held: the source is paused. It is sent when the source is active again.";
                case DESTINATION_PAUSED ->
                        "Held: the destination is paused. It is sent when the destination is active"
                                + " again.";
                case CONNECTION_DISABLED ->
                        "Held: the connection is disabled. It is sent when the connection is"
                                + " enabled again.";
                case DESTINATION_UNREADABLE ->
                        "Held: the server cannot read some of the destination's settings (see its"
                                + " unreadable_fields). It is sent when those are saved again.";
                case CONNECTION_UNREADABLE ->
                        "Held: the server cannot read some of the connection's settings (see its"
                                + " unreadable_fields). It is sent when those are saved again.";
                case CIRCUIT_OPEN -> circuit.orElseThrow().reason(next);
            };
        }
        if (attempts == 0) {
            return isInMemory ? "In line for its first attempt." : "Waiting for its first attempt.";
        }
        String why = lastError.map(message -> ": " + message).orElse("");
        // The user may have shortened the retry schedule after these attempts.
        String retry = attempts + " of " + Math.max(attempts, retries);
        return isInMemory
                ? "In line for retry " + retry + why + "."
                : "Retry " + retry + " at " + JsonObject.time(next) + why + ".";
    }
}
