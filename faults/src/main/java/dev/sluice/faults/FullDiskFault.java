package dev.sluice.faults;

import dev.sluice.bench.load.LoadResult;
import dev.sluice.bench.platform.Wait;
import dev.sluice.faults.cluster.RelayCluster.ClusterRequirements;
import dev.sluice.faults.cluster.StandalonePostgres;
import dev.sluice.faults.cluster.TmpfsVolume;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// Faults 12 and 13: for a while, the disk that contains PostgreSQL's tables (12) or its WAL (13)
/// is full.
final class FullDiskFault implements Fault {

    private static final int TABLE_VOLUME_MIB = 1500;
    private static final int WAL_VOLUME_MIB = 400;
    private static final Duration RECOVERY_TIMEOUT = Duration.ofSeconds(90);

    private final boolean isWal;
    private final TmpfsVolume volume;

    FullDiskFault(boolean isWal) {
        this.isWal = isWal;
        this.volume =
                isWal
                        ? new TmpfsVolume("pg_wal", WAL_VOLUME_MIB)
                        : new TmpfsVolume("base", TABLE_VOLUME_MIB);
    }

    @Override
    public Optional<String> unmetRequirement() {
        return TmpfsVolume.unmetRequirement();
    }

    @Override
    public TestbedSpec testbedSpec() {
        return TestbedSpec.standard()
                .requiring(
                        ClusterRequirements.ofVolume(
                                volume,
                                isWal
                                        ? Map.of("max_wal_size", "128MB", "min_wal_size", "48MB")
                                        : Map.of()));
    }

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        var postgres = testbed.postgres();
        volume.fill();
        if (isWal) {
            exhaustWalFiles(testbed.queries());
        }
        long end = System.nanoTime() + testbed.options().seconds(30).toNanos();
        while (System.nanoTime() - end < 0) {
            restartIfDown(postgres);
            Wait.pause(Duration.ofSeconds(1));
        }
        volume.free();
        double seconds =
                Wait.secondsUntil(
                        RECOVERY_TIMEOUT,
                        () -> {
                            restartIfDown(postgres);
                            return testbed.cluster().relays().stream().allMatch(testbed::accepts);
                        });
        criteria.inTime(
                "seconds until all relays accept again after there is room",
                RECOVERY_TIMEOUT.toSeconds() - 1.0,
                seconds);
        if (isWal) {
            criteria.atLeast("panics of PostgreSQL", 1, postgres.countLogLines("PANIC"));
        }
    }

    /// Uses up the WAL files that PostgreSQL keeps in reserve. While any of these are left,
    /// PostgreSQL can still write when the disk is full.
    private static void exhaustWalFiles(TestbedQueries queries) {
        for (int file = 0; file < WAL_VOLUME_MIB / 16; file++) {
            try {
                queries.execute("select pg_logical_emit_message(false, 'bench', 'fill')");
                queries.execute("select pg_switch_wal()");
            } catch (IllegalStateException down) {
                return;
            }
        }
    }

    /// Restarts PostgreSQL if it is down, as an init system would.
    private static void restartIfDown(StandalonePostgres postgres) {
        if (!postgres.isAlive()) {
            postgres.tryStart(Duration.ofSeconds(2));
            Wait.pause(Duration.ofMillis(500));
        }
    }

    @Override
    public void verify(FaultTestbed testbed, Criteria criteria) {
        long refused =
                testbed.results().stream()
                        .map(LoadResult::statuses)
                        .mapToLong(statuses -> statuses.getOrDefault("500", 0L))
                        .sum();
        criteria.atLeast("requests answered with 500 while the disk was full", 1, refused);
        testbed.remarkFailures(criteria);
    }
}
