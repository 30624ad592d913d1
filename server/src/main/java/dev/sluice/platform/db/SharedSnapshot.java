package dev.sluice.platform.db;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/// Runs several reads concurrently, each in its own read-only transaction. All of them see the same
/// snapshot of the database, as if one transaction had run them one after the other.
///
/// The first transaction exports its snapshot, and the others import it (PostgreSQL manual,
/// "Snapshot Synchronization Functions").
public final class SharedSnapshot {

    private final Db db;
    private final ExecutorService threads;

    private SharedSnapshot(Db db, ExecutorService threads) {
        this.db = db;
        this.threads = threads;
    }

    /// Runs the reads and waits for all of them. Uses one connection from the pool for each read.
    ///
    /// @param reads at least one
    /// @throws DbException if a read fails
    public static void read(Db db, List<Consumer<Tx>> reads) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            new SharedSnapshot(db, threads).run(reads.getFirst(), reads.subList(1, reads.size()));
        }
    }

    private void run(Consumer<Tx> first, List<Consumer<Tx>> others) {
        var running =
                db.snapshot(tx -> {
                    String id = tx.single("select pg_export_snapshot() as id", r -> r.text("id"));
                    var started = others.stream().map(read -> start(read, id)).toList();
                    first.accept(tx);
                    // The snapshot can be imported only while this transaction is open.
                    started.forEach(read -> read.imported().join());
                    return started;
                });
        running.forEach(read -> join(read.ended()));
    }

    /// A read that runs in a transaction other than the first.
    ///
    /// @param imported completed once the transaction has imported the snapshot, or has failed
    /// @param ended completed when the read ends, with the read's exception if it failed
    private record RunningRead(
            CompletableFuture<Boolean> imported, CompletableFuture<Void> ended) {}

    private RunningRead start(Consumer<Tx> read, String snapshotId) {
        var imported = new CompletableFuture<Boolean>();
        var ended =
                CompletableFuture.runAsync(
                        () -> {
                            try {
                                db.snapshot(tx -> {
                                    tx.update("set transaction snapshot '" + snapshotId + "'");
                                    imported.complete(true);
                                    read.accept(tx);
                                    return true;
                                });
                            } finally {
                                imported.complete(false);
                            }
                        },
                        threads);
        return new RunningRead(imported, ended);
    }

    private static void join(CompletableFuture<Void> read) {
        try {
            read.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }
}
