package dev.sluice.testkit;

import static org.awaitility.Awaitility.await;

import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;

import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/// Makes a change that commits after a request has checked its caller, and before the request makes
/// its own change.
public final class Overtaking {

    private Overtaking() {}

    /// Locks rows, sends the request, waits until it waits for one of the rows, makes the change,
    /// and releases the rows. Returns the request's result. No other transaction may wait for a
    /// lock in this database.
    public static <T> T overtake(
            Db db, Callable<T> request, Consumer<Tx> lockRows, Consumer<Tx> change)
            throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answer =
                    db.call(tx -> {
                        lockRows.accept(tx);
                        var sent = threads.submit(request);
                        await().until(() -> threads.submit(() -> isSomebodyWaiting(db)).get());
                        change.accept(tx);
                        return sent;
                    });
            return answer.get();
        }
    }

    private static boolean isSomebodyWaiting(Db db) {
        return db.call(tx ->
                tx.findOne(
                                """
                                select pid
                                  from pg_stat_activity
                                 where datname = current_database()
                                   and wait_event_type = 'Lock'
                                 limit 1
                                """,
                                row -> row.number("pid"))
                        .isPresent());
    }
}
