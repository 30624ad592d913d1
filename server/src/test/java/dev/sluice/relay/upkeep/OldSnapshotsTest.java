package dev.sluice.relay.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.platform.db.Database;
import dev.sluice.platform.db.Db;
import dev.sluice.relay.upkeep.OldSnapshots.Holder;
import dev.sluice.testkit.TestCluster;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

class OldSnapshotsTest {

    private static final Holder DUMP = new Holder("process 7 pg_dump", Instant.EPOCH, 61);
    private static final Holder REPORT = new Holder("process 8 report", Instant.EPOCH, 75);

    private final Database database = TestCluster.newDatabase();

    @AutoClose private final Db db = TestCluster.open(database);
    @AutoClose private final Db other = TestCluster.open(database);

    private final OldSnapshots snapshots = new OldSnapshots(db);

    private List<Holder> older(long pid, Duration age) {
        return db.call(tx -> OldSnapshots.older(tx, age)).stream()
                .filter(holder -> holder.who().startsWith("process " + pid + " "))
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
                            .satisfies(
                                    holder -> assertThat(holder.since()).isBefore(Instant.now()));
                    assertThat(older(here, Duration.ofMinutes(1))).as("it is young").isEmpty();
                    return here;
                });

        assertThat(older(pid, Duration.ZERO)).isEmpty();
    }

    @Test
    void each_is_told_of_once_while_it_lasts() {
        assertThat(snapshots.news(List.of(DUMP))).containsExactly(DUMP);
        assertThat(snapshots.news(List.of(DUMP, REPORT))).containsExactly(REPORT);
        assertThat(snapshots.news(List.of(REPORT))).isEmpty();
        assertThat(snapshots.news(List.of(DUMP, REPORT))).as("again").containsExactly(DUMP);
    }

    @Test
    void a_round_with_nobody_in_the_way_says_nothing() {
        assertThat(snapshots.run()).isFalse();
    }
}
