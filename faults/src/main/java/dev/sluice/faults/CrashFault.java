package dev.sluice.faults;

import dev.sluice.bench.ledger.LedgerComparison.SenderCounts;
import dev.sluice.bench.load.LoadPlan.BodySizes;
import dev.sluice.bench.platform.CommandLineOptions;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.RelayProcess;
import dev.sluice.bench.report.BenchReport;
import dev.sluice.bench.report.ReportTable;
import dev.sluice.bench.scenario.Scenario;
import dev.sluice.faults.cluster.RelayCluster.ClusterRequirements;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The `crash` scenario, which repeatedly kills a relay, the PostgreSQL server that this relay
/// runs, or both. It then adds a second relay and freezes the first, as in fault 7.
///
/// @param size the size of each event's body in bytes
/// @param freezes how many times the first relay is frozen; if 0, no second relay is added
record CrashFault(List<CrashVictim> victims, int size, int freezes) implements Fault {

    private static final Duration RECOVERY_TIMEOUT = Duration.ofMinutes(1);

    /// The maximum percentage of requests that may be refused around the times when only PostgreSQL
    /// is killed. Restarting PostgreSQL should cause delays, not errors.
    private static final double MAX_REFUSED_PERCENT = 1;

    enum CrashVictim {
        RELAY,
        POSTGRES,
        BOTH
    }

    static Scenario from(CommandLineOptions options) {
        int freezes = options.number("frozen", 3);
        var victims =
                alternate(
                        options.number("relay", 10),
                        options.number("postgres", 10),
                        options.number("both", 5));
        var fault = new CrashFault(victims, options.number("size", 1024), freezes);
        var amounts =
                new FaultOptions(
                        options.path("sluice").orElse(Path.of("bin", "sluice")),
                        options.flag("keep"),
                        options.number("rate", 500),
                        40,
                        options.number("between", 5),
                        Map.of("rounds", freezes, "seconds", options.number("frozen-seconds", 60)));
        return () -> {
            var report = new BenchReport("crash");
            new FaultTrial.UnderLoadTrial("crash", fault).run(amounts).addTo(report, "crash");
            return report;
        };
    }

    /// Returns the victims in the order in which to kill them. The kinds of victim take turns; a
    /// kind drops out once it has been chosen as often as requested.
    private static List<CrashVictim> alternate(int relay, int postgres, int both) {
        var victims = new ArrayList<CrashVictim>();
        var left =
                Map.of(
                        CrashVictim.RELAY, relay,
                        CrashVictim.POSTGRES, postgres,
                        CrashVictim.BOTH, both);
        for (int turn = 0; victims.size() < relay + postgres + both; turn++) {
            for (var victim : CrashVictim.values()) {
                if (turn < left.getOrDefault(victim, 0)) {
                    victims.add(victim);
                }
            }
        }
        return victims;
    }

    @Override
    public TestbedSpec testbedSpec() {
        return TestbedSpec.slow()
                .with(1)
                .with(new BodySizes(size, size))
                .requiring(ClusterRequirements.OWN_POSTGRES);
    }

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        var table =
                ReportTable.of(
                        "Kills",
                        "killed | accepts again after s | relay ended itself | sent | refused |"
                                + " unanswered");
        var pause = Duration.ofSeconds(testbed.options().calmSeconds());
        long sent = 0;
        long refused = 0;
        for (CrashVictim victim : victims) {
            var before = testbed.ledgers().senderCounts();
            long from = System.nanoTime();
            boolean endedItself = kill(victim, testbed);
            double seconds = (System.nanoTime() - from) / 1e9;
            Wait.pause(pause);
            SenderCounts counts = testbed.ledgers().senderCounts().since(before);
            if (victim == CrashVictim.POSTGRES) {
                sent += counts.sent();
                refused += counts.refused();
            }
            table.row(
                    victim.name(),
                    seconds,
                    endedItself ? "yes" : "no",
                    counts.sent(),
                    counts.refused(),
                    counts.unanswered());
        }
        criteria.table(table)
                .atMost(
                        "% of requests refused around restarts of PostgreSQL alone",
                        MAX_REFUSED_PERCENT, sent == 0 ? 0 : 100.0 * refused / sent);
        if (freezes > 0) {
            testbed.addRelay();
            new FrozenRelayFault().inject(testbed, criteria);
        }
    }

    /// Kills the victim. If that includes the relay, freezes the relay before counting its
    /// deliveries, so that the count is still exact when the relay dies. Returns whether the relay
    /// had to be restarted afterwards because it exited on its own or did not recover.
    private static boolean kill(CrashVictim victim, FaultTestbed testbed) {
        var relay = testbed.node(0);
        if (victim != CrashVictim.POSTGRES) {
            relay.freeze();
            testbed.allowDuplicates(testbed.ownedWork(relay).deliveries());
        }
        if (victim != CrashVictim.RELAY) {
            relay.postmaster().orElseThrow().destroyForcibly();
        }
        if (victim != CrashVictim.POSTGRES) {
            relay.kill();
            relay.restart();
        }
        return recover(relay, testbed);
    }

    /// Waits until the relay stores events again. Restarts it if it has exited on its own or has
    /// not recovered within a minute, and returns whether that was needed.
    private static boolean recover(RelayProcess relay, FaultTestbed testbed) {
        boolean isDecided =
                Wait.until(RECOVERY_TIMEOUT, () -> !relay.isAlive() || testbed.accepts(relay));
        if (isDecided && relay.isAlive()) {
            return false;
        }
        relay.kill();
        relay.restart();
        if (!Wait.until(RECOVERY_TIMEOUT, () -> testbed.accepts(relay))) {
            throw new IllegalStateException("it does not recover:\n" + relay.logTail());
        }
        return true;
    }

    @Override
    public void verify(FaultTestbed testbed, Criteria criteria) {
        criteria.none("`results.lost` in the logs", testbed.countLogLines("results.lost"))
                .remark("epoch.orphaned in the logs: " + testbed.countLogLines("epoch.orphaned"));
        testbed.remarkFailures(criteria);
    }
}
