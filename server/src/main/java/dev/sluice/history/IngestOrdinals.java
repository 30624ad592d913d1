package dev.sluice.history;

/// The ordinals of the deliveries that ingest creates for one event. An ordinal is a delivery's
/// number within its event.
///
/// Deliveries that have a row are numbered first, starting at 1. These include deliveries whose
/// connection's filter was evaluated only after ingest. Deliveries that ingest itself filtered have
/// no row. They get the last ordinals, in the order of the event's `filtered` column.
///
/// @param fanout the number of connections for which a delivery of the event was planned, including
///   those whose filter did not match
/// @param filtered the number of connections whose filter did not match at ingest
public record IngestOrdinals(int fanout, int filtered) {

    /// The SQL expression for [#rowCount], evaluated on a row of `event`.
    public static final String ROW_COUNT_SQL =
            "(event.fanout - coalesce(cardinality(event.filtered), 0))";

    /// Returns the number of deliveries that have a row, which is also the last ordinal among them.
    public int rowCount() {
        return fanout - filtered;
    }
}
