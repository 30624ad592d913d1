package dev.sluice.faults;

import dev.sluice.bench.ledger.LedgerComparison;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.ReportTable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/// Checks what must hold after every fault: all acknowledged events are stored and have arrived
/// unchanged, none more often than allowed, and neither the relays' logs nor the audit shows any
/// problems.
record OutcomeChecker(FaultTestbed testbed, Criteria criteria) {

    private static final Duration DRAIN_TIMEOUT = Duration.ofMinutes(3);

    /// Waits until none of the load's deliveries is waiting any longer, then compares the ledgers.
    void compareWhenDrained() {
        var queries = testbed.queries();
        long left = testbed.leftWaiting();
        Wait.until(DRAIN_TIMEOUT, () -> queries.waitingDeliveries() <= left);
        criteria.atMost("deliveries that still wait", left, queries.waitingDeliveries());
        var ledgers = testbed.ledgers();
        var comparisons = new ArrayList<LedgerComparison>();
        var table =
                ReportTable.of(
                        "Ledgers, by connection of the source",
                        "connection | sent | acked | received | lost | altered | unexpected |"
                                + " misnamed | duplicated | received, not acked | refused |"
                                + " unanswered");
        for (int sink = 0; sink < FaultTestbed.MAX_CONNECTIONS_PER_SOURCE; sink++) {
            var one = ledgers.compare(sink);
            comparisons.add(one);
            table.row(
                    sink + 1,
                    one.sender().sent(),
                    one.sender().acked(),
                    one.received(),
                    one.lost(),
                    one.altered(),
                    one.unexpected(),
                    one.misnamed(),
                    one.duplicated(),
                    one.unacknowledged(),
                    one.sender().refused(),
                    one.sender().unanswered());
        }
        criteria.table(table)
                .atLeast("acknowledged", 1, ledgers.acked().size())
                .none("lost", sum(comparisons, LedgerComparison::lost))
                .none("altered", sum(comparisons, LedgerComparison::altered))
                .none("unexpected", sum(comparisons, LedgerComparison::unexpected))
                .none("under another id", sum(comparisons, LedgerComparison::misnamed))
                .none("acknowledged, but not stored", queries.notStored(ledgers.acked()))
                .atMost(
                        "taken more than once",
                        testbed.allowedDuplicates(),
                        sum(comparisons, LedgerComparison::duplicated))
                .none("stored twice", queries.storedTwice());
    }

    private static long sum(
            List<LedgerComparison> comparisons, ToIntFunction<LedgerComparison> number) {
        return comparisons.stream().mapToInt(number).sum();
    }

    /// Checks the relays' logs, runs the audit and stops the relays.
    void checkLogsAndAudit() {
        var cluster = testbed.cluster();
        var errors = cluster.relays().stream().flatMap(relay -> relay.errors().stream()).toList();
        errors.forEach(line -> criteria.remark("error in a log: " + line));
        criteria.none("`deliveries.leaked` in the logs", testbed.countLogLines("deliveries.leaked"))
                .none("errors in the logs", errors.size());
        int audit = testbed.node(0).audit(cluster.scratchFile("audit"));
        criteria.holds("`sluice audit` ends with 0", audit == 0, Integer.toString(audit));
        if (audit != 0) {
            criteria.remark("the audit printed: " + cluster.tail("audit"));
        }
        int badStops = 0;
        int outlived = 0;
        for (RelayProcess relay : cluster.relays().reversed()) {
            badStops += relay.stop() == 0 ? 0 : 1;
            outlived += relay.postmaster().isPresent() ? 1 : 0;
        }
        criteria.none("relays that did not stop with 0", badStops)
                .none("PostgreSQLs that outlived their relay", outlived);
    }
}
