package dev.sluice.engine.lanes;

import dev.sluice.engine.DeliveryId;
import dev.sluice.engine.Trigger;
import dev.sluice.engine.UnfinishedDelivery;
import dev.sluice.gateway.connection.ConnectionId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Row;

import java.sql.SQLException;

/// Maps rows of `delivery_work` and `lane` to records.
public final class WorkRowReader {

    private WorkRowReader() {}

    /// Returns the delivery in a row, assuming that its filter decision has been made. Requires the
    /// columns `id`, `source_id`, `connection_id`, `trigger`, `attempts` and `created_at`.
    static UnfinishedDelivery delivery(Row row) throws SQLException {
        return new UnfinishedDelivery(
                new DeliveryId(row.uuid("id")),
                new SourceId(row.uuid("source_id")),
                new ConnectionId(row.uuid("connection_id")),
                Trigger.fromNumber(row.integer("trigger")),
                row.integer("attempts"),
                row.instantOrNone("created_at"));
    }

    /// Returns the lane in a row. Requires the columns `connection_id`, `trigger` and `source_id`.
    public static Lane lane(Row row) throws SQLException {
        return new Lane(
                new ConnectionId(row.uuid("connection_id")),
                Trigger.fromNumber(row.integer("trigger")),
                new SourceId(row.uuid("source_id")));
    }
}
