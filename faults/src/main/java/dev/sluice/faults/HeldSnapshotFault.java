package dev.sluice.faults;

import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.sink.SinkBehaviour;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/// Fault 19: a transaction holds a snapshot, as a backup does, so rows that die afterwards cannot
/// be vacuumed. Meanwhile, one attempt in twenty fails.
final class HeldSnapshotFault implements Fault {

    /// The time within which a relay must warn about the open transaction. The warning is due after
    /// a minute and may be up to ten seconds late.
    private static final Duration WARNING_TIMEOUT = Duration.ofSeconds(75);

    private static final Duration SAMPLE_TIME = Duration.ofSeconds(60);
    private static final double MIN_RATE_RATIO = 0.9;

    /// The maximum CPU time per event while the snapshot is held, as a multiple of the CPU time per
    /// event before the snapshot was taken. It is the inverse of [#MIN_RATE_RATIO].
    private static final double MAX_CPU_RATIO = 1 / MIN_RATE_RATIO;

    @Override
    public TestbedSpec testbedSpec() {
        return TestbedSpec.standard().with(new SinkBehaviour.FlakyAnswers(50, Duration.ZERO));
    }

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        var held = testbed.options().seconds(600);
        var window =
                held.compareTo(SAMPLE_TIME.multipliedBy(2)) < 0 ? held.dividedBy(2) : SAMPLE_TIME;
        Wait.pause(window); // the JIT compiler is still at work
        var free = ThroughputSample.of(testbed, window);
        ThroughputSample pinned;
        try (var snapshot =
                testbed.queries()
                        .holdTransaction(Connection.TRANSACTION_REPEATABLE_READ, "delivery_work")) {
            Wait.pause(held.minus(window));
            pinned = ThroughputSample.of(testbed, window);
            snapshot.rollback();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        long dead =
                testbed.queries()
                        .number(
                                "select n_dead_tup from pg_stat_user_tables where relname ="
                                        + " 'delivery_work'");
        Wait.pause(window);
        var after = ThroughputSample.of(testbed, window);
        if (held.minus(window).compareTo(WARNING_TIMEOUT) > 0) {
            criteria.atLeast(
                    "warnings of it in the relays' logs",
                    1,
                    testbed.countLogLines("long_transaction.detected"));
        }
        var table =
                ReportTable.of(
                        "Per second and event",
                        "horizon | delivered/s | relays µs | PostgreSQL µs");
        addRow(table, "free", free);
        addRow(table, "pinned, at the end", pinned);
        addRow(table, "free again", after);
        criteria.table(table)
                .remark("%d dead rows in delivery_work at the end".formatted(dead))
                .atLeast(
                        "delivered a second while pinned, against before",
                        MIN_RATE_RATIO,
                        pinned.deliveredPerSecond() / free.deliveredPerSecond())
                .atMost(
                        "CPU of relays and PostgreSQL an event while pinned, against before",
                        MAX_CPU_RATIO,
                        pinned.totalMicros() / free.totalMicros());
    }

    private static void addRow(ReportTable table, String horizon, ThroughputSample sample) {
        table.row(
                horizon,
                sample.deliveredPerSecond(),
                sample.relayMicros(),
                sample.postgresMicros());
    }
}
