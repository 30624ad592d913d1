package dev.sluice.engine.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.engine.node.LongTransactionQueries.LongTransaction;
import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

class LongTransactionMonitorTest {

    private static final LongTransaction DUMP_TRANSACTION =
            new LongTransaction("process 7 pg_dump", Instant.EPOCH, 61);
    private static final LongTransaction REPORT_TRANSACTION =
            new LongTransaction("process 8 report", Instant.EPOCH, 75);

    private final Database database = TestPostgres.newDatabase();

    @AutoClose private final Db db = TestPostgres.open(database);
    @AutoClose private final Db other = TestPostgres.open(database);

    private final LongTransactionMonitor monitor = new LongTransactionMonitor(db);

    private List<LongTransaction> older(long pid, Duration age) {
        return db.call(tx -> LongTransactionQueries.olderThan(tx, age)).stream()
                .filter(transaction -> transaction.session().startsWith("process " + pid + " "))
                .toList();
    }

    @Test
    void a_transaction_that_stays_open_is_found_while_it_does() {
        long pid =
                other.snapshot(tx -> {
                    long here =
                            tx.single("select pg_backend_pid() as pid", row -> row.number("pid"));

                    assertThat(older(here, Duration.ZERO))
                            .singleElement()
                            .satisfies(transaction ->
                                    assertThat(transaction.since()).isBefore(Instant.now()));
                    assertThat(older(here, Duration.ofMinutes(1))).as("it is young").isEmpty();
                    return here;
                });

        assertThat(older(pid, Duration.ZERO)).isEmpty();
    }

    @Test
    void each_is_told_of_once_while_it_lasts() {
        assertThat(monitor.newlySeen(List.of(DUMP_TRANSACTION))).containsExactly(DUMP_TRANSACTION);
        assertThat(monitor.newlySeen(List.of(DUMP_TRANSACTION, REPORT_TRANSACTION)))
                .containsExactly(REPORT_TRANSACTION);
        assertThat(monitor.newlySeen(List.of(REPORT_TRANSACTION))).isEmpty();
        assertThat(monitor.newlySeen(List.of(DUMP_TRANSACTION, REPORT_TRANSACTION)))
                .as("again")
                .containsExactly(DUMP_TRANSACTION);
    }

    @Test
    void a_round_with_nobody_in_the_way_says_nothing() {
        assertThat(monitor.run()).isFalse();
    }
}
