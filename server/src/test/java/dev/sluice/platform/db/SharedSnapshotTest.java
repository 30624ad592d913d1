package dev.sluice.platform.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.sluice.testkit.TestPostgres;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

class SharedSnapshotTest {

    private static final Database DATABASE = TestPostgres.newDatabase();

    @AutoClose private final Db db = TestPostgres.open(DATABASE);

    @BeforeEach
    void makeTable() {
        db.run(tx -> {
            tx.update("drop table if exists number");
            tx.update("create table number (n integer)");
            tx.update("insert into number values (1)");
        });
    }

    private static long count(Tx tx) {
        return tx.single("select count(*) as n from number", row -> row.number("n"));
    }

    @Test
    void all_reads_run_at_the_same_time_and_see_the_same_rows() {
        var counts = new ConcurrentLinkedQueue<Long>();
        var changed = new CountDownLatch(1);
        var others = new CountDownLatch(2);
        Consumer<Tx> other =
                tx -> {
                    others.countDown();
                    await(changed);
                    counts.add(count(tx));
                };

        SharedSnapshot.read(
                db,
                List.of(
                        tx -> {
                            await(others);
                            db.run(writer -> writer.update("insert into number values (2)"));
                            changed.countDown();
                            counts.add(count(tx));
                        },
                        other,
                        other));

        assertThat(counts).containsExactly(1L, 1L, 1L);
        assertThat(db.<Long>call(SharedSnapshotTest::count)).isEqualTo(2);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_single_read_needs_no_other() {
        var counts = new ConcurrentLinkedQueue<Long>();

        SharedSnapshot.read(db, List.of(tx -> counts.add(count(tx))));

        assertThat(counts).containsExactly(1L);
    }

    @Test
    void a_read_that_fails_fails_them_all_with_its_own_exception() {
        assertThatExceptionOfType(DbException.class)
                .isThrownBy(() ->
                        SharedSnapshot.read(
                                db,
                                List.of(
                                        SharedSnapshotTest::count,
                                        tx -> tx.update("select * from nowhere"))))
                .withMessageContaining("nowhere");
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        SharedSnapshot.read(
                                db,
                                List.of(
                                        _ -> {
                                            throw new IllegalStateException();
                                        },
                                        SharedSnapshotTest::count)));
    }
}
