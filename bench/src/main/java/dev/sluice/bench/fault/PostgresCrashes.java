package dev.sluice.bench.fault;

import dev.sluice.bench.platform.Tool;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.report.Table;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// 5: a session of PostgreSQL is ended by SIGSEGV in its work, and a flush of the WAL fails with
/// EIO: all its sessions end, and it recovers.
final class PostgresCrashes implements Fault {

    private static final double SHORT = 8;
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private double longest;

    @Override
    public String title() {
        return "5 crash of a PostgreSQL session, EIO on a WAL flush";
    }

    @Override
    public Optional<String> refusal() {
        return Tool.isRoot()
                ? Optional.empty()
                : Optional.of("needs root, to signal PostgreSQL's processes");
    }

    @Override
    public void harm(Stage stage, Criteria criteria) {
        var table = new Table("Crashes", "cause", "all sessions ended", "away for s");
        for (int round = 1; round <= stage.dose().rounds(5); round++) {
            away(stage, table, "SIGSEGV", () -> segfault(stage));
            Stage.pause(stage.dose().seconds(15));
        }
        if (Tool.has("strace")) {
            int panics = 0;
            for (int round = 1; round <= stage.dose().rounds(5); round++) {
                long before = stage.postgres().logged("PANIC");
                away(stage, table, "EIO", () -> failFlush(stage, before));
                panics += stage.postgres().logged("PANIC") > before ? 1 : 0;
                Stage.pause(stage.dose().seconds(15));
            }
            criteria.atLeast("rounds in which EIO made PostgreSQL panic", 1, panics);
        } else {
            criteria.remark("strace is not here: no EIO was injected");
        }
        criteria.table(table);
    }

    private void away(Stage stage, Table table, String cause, Runnable harm) {
        long crashes = crashes(stage);
        harm.run();
        long from = System.nanoTime();
        boolean crashed = Wait.until(LONGEST, () -> crashes(stage) > crashes);
        if (!stage.postgres().isAlive()) {
            stage.postgres().start();
        }
        Wait.until(LONGEST, stage.postgres()::isUp);
        double seconds = (System.nanoTime() - from) / 1e9;
        longest = Math.max(longest, seconds);
        table.row(cause, crashed ? "yes" : "no", seconds);
    }

    private static long crashes(Stage stage) {
        return stage.postgres().logged("terminating any other active server processes");
    }

    private static void segfault(Stage stage) {
        Tool.signal("SEGV", stage.postgres().sessions().getFirst());
    }

    /// Every session's next flush fails, until one was made.
    private static void failFlush(Stage stage, long panicsBefore) {
        var command = new ArrayList<String>(List.of("strace", "-f", "-q", "-o", "/dev/null"));
        command.addAll(List.of("-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO"));
        var processes = new ArrayList<>(stage.postgres().sessions());
        stage.postgres().background("walwriter").ifPresent(processes::add);
        processes.forEach(pid -> command.addAll(List.of("-p", Long.toString(pid))));
        var strace =
                Tool.launch(
                        command,
                        stage.nodes().scratch("strace.log"),
                        stage.nodes().scratch("."),
                        Map.of());
        Wait.until(
                Duration.ofSeconds(20),
                () -> stage.postgres().logged("PANIC") > panicsBefore || !strace.isAlive());
        strace.destroy();
        Tool.awaitEnd(strace, LONGEST);
    }

    @Override
    public void judge(Stage stage, Criteria criteria) {
        criteria.inTime("seconds of PostgreSQL's longest outage", SHORT, longest)
                .none("requests that failed around PostgreSQL's outages", stage.books().failed());
    }
}
