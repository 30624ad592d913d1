package dev.sluice.engine.node;

import dev.sluice.engine.node.LongTransactionQueries.LongTransaction;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.loop.Loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/// Warns once about each long transaction that holds back vacuum.
///
/// An open transaction can hold a snapshot. PostgreSQL then keeps every row that was deleted since
/// the snapshot was taken, so a table from which many rows are deleted keeps growing.
///
/// The monitor sees other users' sessions only if its own user is a member of `pg_read_all_stats`
/// (PostgreSQL manual, section `pg_stat_activity`).
public final class LongTransactionMonitor implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(LongTransactionMonitor.class);
    private static final Duration MIN_REPORTED_AGE = Duration.ofSeconds(60);

    private final Db db;

    /// The transactions found in the last round. Used only by the thread that runs the rounds.
    private Set<String> alreadyReported = Set.of();

    public LongTransactionMonitor(Db db) {
        this.db = db;
    }

    @Override
    public boolean run() {
        var holders = db.call(tx -> LongTransactionQueries.olderThan(tx, MIN_REPORTED_AGE));
        for (var transaction : newlySeen(holders)) {
            log.atWarn()
                    .addKeyValue("session", transaction.session())
                    .addKeyValue("since", transaction.since())
                    .addKeyValue("seconds", transaction.seconds())
                    .log("long_transaction.detected");
        }
        return false;
    }

    /// Returns the transactions that were not reported in the last round.
    List<LongTransaction> newlySeen(List<LongTransaction> holders) {
        var before = alreadyReported;
        alreadyReported =
                Set.copyOf(holders.stream().map(LongTransactionMonitor::name).distinct().toList());
        return holders.stream().filter(transaction -> !before.contains(name(transaction))).toList();
    }

    private static String name(LongTransaction transaction) {
        return transaction.session() + " " + transaction.since();
    }
}
