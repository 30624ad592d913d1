package dev.sluice.faults;

import dev.sluice.bench.platform.SystemCommands;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.report.ReportTable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Fault 5: a PostgreSQL session is killed with SIGSEGV while it is working. Later, a WAL flush
/// fails with EIO, if `strace` is installed. Each time, PostgreSQL ends all sessions and recovers.
final class PostgresCrashFault implements Fault {

    private static final double MAX_OUTAGE_SECONDS = 8;
    private static final Duration RECOVERY_TIMEOUT = Duration.ofSeconds(60);

    private double longestOutage;

    @Override
    public Optional<String> unmetRequirement() {
        return SystemCommands.isRoot()
                ? Optional.empty()
                : Optional.of("needs root, to signal PostgreSQL's processes");
    }

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        var table = ReportTable.of("Crashes", "cause | all sessions ended | away for s");
        for (int round = 1; round <= testbed.options().rounds(5); round++) {
            causeOutage(testbed, table, "SIGSEGV", () -> segfault(testbed));
            Wait.pause(testbed.options().seconds(15));
        }
        if (SystemCommands.isInstalled("strace")) {
            int panics = 0;
            for (int round = 1; round <= testbed.options().rounds(5); round++) {
                long before = testbed.postgres().countLogLines("PANIC");
                causeOutage(testbed, table, "EIO", () -> failFlush(testbed, before));
                panics += testbed.postgres().countLogLines("PANIC") > before ? 1 : 0;
                Wait.pause(testbed.options().seconds(15));
            }
            criteria.atLeast("rounds in which EIO made PostgreSQL panic", 1, panics);
        } else {
            criteria.remark("strace is not here: no EIO was injected");
        }
        criteria.table(table);
    }

    private void causeOutage(FaultTestbed testbed, ReportTable table, String cause, Runnable harm) {
        long crashes = crashes(testbed);
        harm.run();
        long from = System.nanoTime();
        boolean crashed = Wait.until(RECOVERY_TIMEOUT, () -> crashes(testbed) > crashes);
        if (!testbed.postgres().isAlive()) {
            testbed.postgres().start();
        }
        Wait.until(RECOVERY_TIMEOUT, testbed.postgres()::isUp);
        double seconds = (System.nanoTime() - from) / 1e9;
        longestOutage = Math.max(longestOutage, seconds);
        table.row(cause, crashed ? "yes" : "no", seconds);
    }

    private static long crashes(FaultTestbed testbed) {
        return testbed.postgres().countLogLines("terminating any other active server processes");
    }

    private static void segfault(FaultTestbed testbed) {
        SystemCommands.signal("SEGV", testbed.queries().sessionPids().getFirst());
    }

    /// Makes WAL flushes by all sessions and by the WAL writer fail with EIO until PostgreSQL
    /// panics or 20 s have passed.
    private static void failFlush(FaultTestbed testbed, long panicsBefore) {
        var command = new ArrayList<String>(List.of("strace", "-f", "-q", "-o", "/dev/null"));
        command.addAll(List.of("-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO"));
        var processes = new ArrayList<>(testbed.queries().sessionPids());
        testbed.queries().backgroundPid("walwriter").ifPresent(processes::add);
        processes.forEach(pid -> command.addAll(List.of("-p", Long.toString(pid))));
        var strace =
                SystemCommands.launch(
                        command,
                        testbed.cluster().scratchFile("strace.log"),
                        testbed.cluster().scratchFile("."),
                        Map.of());
        Wait.until(
                Duration.ofSeconds(20),
                () ->
                        testbed.postgres().countLogLines("PANIC") > panicsBefore
                                || !strace.isAlive());
        strace.destroy();
        SystemCommands.awaitEnd(strace, RECOVERY_TIMEOUT);
    }

    @Override
    public void verify(FaultTestbed testbed, Criteria criteria) {
        criteria.inTime("seconds of PostgreSQL's longest outage", MAX_OUTAGE_SECONDS, longestOutage)
                .none(
                        "requests that failed around PostgreSQL's outages",
                        testbed.ledgers().failedRequests());
    }
}
