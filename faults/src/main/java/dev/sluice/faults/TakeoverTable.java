package dev.sluice.faults;

import dev.sluice.bench.report.ReportTable;

/// A table of takeovers, with one row for each round of a fault in which other relays take over one
/// relay's work.
final class TakeoverTable {

    private final FaultTestbed testbed;
    private final ReportTable table;
    private double slowest;

    /// @param label the title of the first column
    /// @param last the title of the last column
    TakeoverTable(FaultTestbed testbed, String title, String label, String last) {
        this.testbed = testbed;
        this.table = new ReportTable(title, label, "in its memory", "taken over after s", last);
    }

    /// @param deliveries the number of deliveries that were in the relay's memory; each may arrive
    ///   twice
    void row(Object label, long deliveries, double seconds, Object last) {
        table.row(label, deliveries, seconds, last);
        testbed.allowDuplicates(deliveries);
        slowest = Math.max(slowest, seconds);
    }

    void addTo(Criteria criteria) {
        criteria.table(table)
                .inTime(
                        "seconds until its work was taken over",
                        OwnedWorkQueries.TAKEOVER_TIMEOUT_SECONDS,
                        slowest);
    }
}
