package dev.sluice.faults;

import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.report.ReportTable;

/// Fault 4: PostgreSQL's main process is killed again and again, and restarted immediately each
/// time. Senders must notice nothing but a delay.
final class PostgresKillFault implements Fault {

    /// The maximum duration of an outage. An outage within this limit must not cause any request to
    /// fail.
    private static final double MAX_OUTAGE_SECONDS = 8;

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        var postgres = testbed.postgres();
        var table = ReportTable.of("PostgreSQL killed", "round | away for s | failed requests");
        double longest = 0;
        long failed = 0;
        for (int round = 1; round <= testbed.options().rounds(10); round++) {
            long before = testbed.ledgers().failedRequests();
            long from = System.nanoTime();
            postgres.kill();
            postgres.start();
            double away = (System.nanoTime() - from) / 1e9;
            Wait.pause(testbed.options().seconds(30));
            long told = testbed.ledgers().failedRequests() - before;
            longest = Math.max(longest, away);
            failed += away <= MAX_OUTAGE_SECONDS ? told : 0;
            table.row(round, away, told);
        }
        criteria.table(table)
                .inTime("seconds of PostgreSQL's longest outage", MAX_OUTAGE_SECONDS, longest)
                .none("requests that failed around outages of at most 8 s", failed);
    }
}
