package dev.sluice.bench.fault;

import dev.sluice.bench.load.Result;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.Nodes.Needs;
import dev.sluice.bench.relay.OwnPostgres;
import dev.sluice.bench.relay.Volume;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/// 12 and 13: the disk that has PostgreSQL's tables is full for a while, or the one that has its
/// WAL.
final class FullDisk implements Fault {

    private static final int TABLES_MIB = 1500;
    private static final int WAL_MIB = 400;
    private static final Duration BACK = Duration.ofSeconds(90);

    private final String title;
    private final boolean isWal;
    private final Volume volume;

    private FullDisk(String title, boolean isWal, Volume volume) {
        this.title = title;
        this.isWal = isWal;
        this.volume = volume;
    }

    static FullDisk ofTables() {
        return new FullDisk("12 disk full on data", false, new Volume("base", TABLES_MIB));
    }

    static FullDisk ofWal() {
        return new FullDisk("13 disk full on WAL", true, new Volume("pg_wal", WAL_MIB));
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public Optional<String> refusal() {
        return Volume.refusal();
    }

    @Override
    public Scene scene(Dose dose) {
        return Scene.standard()
                .needing(
                        Needs.on(
                                volume,
                                isWal
                                        ? Map.of("max_wal_size", "128MB", "min_wal_size", "48MB")
                                        : Map.of()));
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        var postgres = stage.postgres();
        volume.fill();
        if (isWal) {
            useUp(postgres);
        }
        long end = System.nanoTime() + stage.dose().seconds(30).toNanos();
        while (System.nanoTime() - end < 0) {
            supervise(postgres);
            Stage.pause(Duration.ofSeconds(1));
        }
        volume.free();
        double seconds =
                Stage.secondsUntil(
                        BACK,
                        () -> {
                            supervise(postgres);
                            return stage.nodes().all().stream().allMatch(stage::accepts);
                        });
        criteria.inTime(
                "seconds until all relays accept again after there is room",
                BACK.toSeconds() - 1.0,
                seconds);
        if (isWal) {
            criteria.atLeast("panics of PostgreSQL", 1, postgres.logged("PANIC"));
        }
    }

    /// PostgreSQL has WAL files in stock, which must be used up before it needs room.
    private static void useUp(OwnPostgres postgres) {
        for (int file = 0; file < WAL_MIB / 16; file++) {
            try {
                postgres.run("select pg_logical_emit_message(false, 'bench', 'fill')");
                postgres.run("select pg_switch_wal()");
            } catch (IllegalStateException down) {
                return;
            }
        }
    }

    /// What an init system would do.
    private static void supervise(OwnPostgres postgres) {
        if (!postgres.isAlive()) {
            postgres.tryStart(Duration.ofSeconds(2));
            Wait.pause(Duration.ofMillis(500));
        }
    }

    @Override
    public void judge(Stage stage, Criteria criteria) {
        long refused =
                stage.results().stream()
                        .map(Result::statuses)
                        .mapToLong(statuses -> statuses.getOrDefault("500", 0L))
                        .sum();
        criteria.atLeast("requests answered with 500 while the disk was full", 1, refused);
        stage.results().forEach(result -> criteria.remark(result.failuresInWords()));
    }
}
