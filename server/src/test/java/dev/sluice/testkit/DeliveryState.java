package dev.sluice.testkit;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.DeliveryStatus;
import dev.sluice.engine.ErrorCode;
import dev.sluice.platform.db.Db;

import java.util.List;
import java.util.Optional;

/// The state of one delivery as its row shows it, in unfinished work or in history.
///
/// @param status `PENDING` while the delivery waits, `DELIVERING` while a node owns it
/// @param error of a finished delivery only
public record DeliveryState(DeliveryStatus status, int attempts, Optional<ErrorCode> error) {

    public static DeliveryState waiting(int attempts) {
        return new DeliveryState(DeliveryStatus.PENDING, attempts, Optional.empty());
    }

    public static DeliveryState owned(int attempts) {
        return new DeliveryState(DeliveryStatus.DELIVERING, attempts, Optional.empty());
    }

    public static DeliveryState succeeded(int attempts) {
        return new DeliveryState(DeliveryStatus.SUCCEEDED, attempts, Optional.empty());
    }

    public static DeliveryState failed(int attempts, ErrorCode error) {
        return new DeliveryState(DeliveryStatus.FAILED, attempts, Optional.of(error));
    }

    public static DeliveryState exhausted(int attempts, ErrorCode error) {
        return new DeliveryState(DeliveryStatus.EXHAUSTED, attempts, Optional.of(error));
    }

    /// A state for each row of the delivery: none once retention deletes it, and never two.
    public static List<DeliveryState> read(Db db, DeliveryId delivery) {
        return db.call(tx ->
                tx.query(
                        """
                        select status, attempts, error_code
                          from delivery
                         where id = ?
                        union all
                        select case when owner is null then ? else ? end, attempts, null
                          from delivery_work
                         where id = ?
                        """,
                        row ->
                                new DeliveryState(
                                        DeliveryStatus.fromNumber(row.integer("status")),
                                        row.integer("attempts"),
                                        row.integerOrNone("error_code").map(ErrorCode::fromNumber)),
                        delivery.value(),
                        DeliveryStatus.PENDING.number(),
                        DeliveryStatus.DELIVERING.number(),
                        delivery.value()));
    }
}
