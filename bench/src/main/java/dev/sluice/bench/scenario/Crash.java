package dev.sluice.bench.scenario;

import dev.sluice.bench.ledger.Comparison;
import dev.sluice.bench.ledger.Entry;
import dev.sluice.bench.ledger.Ledger;
import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.load.Pace;
import dev.sluice.bench.load.Plan;
import dev.sluice.bench.load.Result;
import dev.sluice.bench.platform.Options;
import dev.sluice.bench.platform.UsageException;
import dev.sluice.bench.platform.Wait;
import dev.sluice.bench.relay.Api.Source;
import dev.sluice.bench.relay.Relay;
import dev.sluice.bench.report.Report;
import dev.sluice.bench.report.Table;
import dev.sluice.bench.sink.Behaviour;
import dev.sluice.bench.sink.SinkProcess;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Scenario `crash`: under an even load, the relay and its database are killed again and again, and
/// then the relay is frozen beside a second one; in the end everything acknowledged must have
/// arrived as it was sent.
public final class Crash implements Scenario {

    /// What the generator lasts at most, should nobody end it.
    private static final Duration LONGEST = Duration.ofHours(1);

    private static final int IN_FLIGHT = 64;
    private static final Duration RECOVERY = Duration.ofMinutes(1);
    private static final Duration STANDSTILL = Duration.ofSeconds(30);

    private final Setup setup;
    private final int rate;
    private final int size;
    private final Duration between;
    private final List<Victim> victims;
    private final int freezes;
    private final Duration frozen;

    enum Victim {
        RELAY,
        POSTGRES,
        BOTH
    }

    private Crash(
            Setup setup,
            int rate,
            int size,
            Duration between,
            List<Victim> victims,
            int freezes,
            Duration frozen) {
        this.setup = setup;
        this.rate = rate;
        this.size = size;
        this.between = between;
        this.victims = List.copyOf(victims);
        this.freezes = freezes;
        this.frozen = frozen;
    }

    public static Crash from(Options options) {
        var setup = Setup.from(options);
        if (setup.running().isPresent()) {
            throw new UsageException("crash kills only a relay of its own, so not with --url");
        }
        return new Crash(
                setup,
                options.number("rate", 500),
                options.number("size", 1024),
                options.seconds("between", 5),
                inTurn(
                        options.number("relay", 10),
                        options.number("postgres", 10),
                        options.number("both", 5)),
                options.number("frozen", 3),
                options.seconds("frozen-seconds", 60));
    }

    @Override
    public Report run() {
        try (var relay = Relay.start(setup.launcher(), setup.keep());
                var sink =
                        SinkProcess.start(
                                new Behaviour.Fast(), Optional.of(relay.scratch("received")))) {
            var source = relay.api().source("bench crash");
            relay.api().connect(source, "bench crash sink", sink.url(), IN_FLIGHT);
            var probe = relay.api().source("bench probe");

            Path sent = relay.scratch("sent");
            Path received = relay.scratch("received");
            var kills = new Kills(sent);
            var frost = new Freezes(frozen, received);
            var result = loadWhileKilling(relay, source, probe, sent, kills, frost);
            var comparison = settled(Ledger.read(sent), received, STANDSTILL);
            return report(relay, kills, frost, result, comparison);
        }
    }

    private Result loadWhileKilling(
            Relay relay, Source source, Source probe, Path sent, Kills kills, Freezes frost) {
        var plan =
                new Plan(
                        source.ingest(),
                        new Pace.PerSecond(rate),
                        32,
                        size,
                        Duration.ZERO,
                        LONGEST,
                        Optional.empty(),
                        Optional.of(sent));
        try (var load = LoadProcess.start(plan)) {
            load.awaitMeasuring();
            Wait.pause(between);
            for (Victim victim : victims) {
                kills.begin(victim);
                boolean endedItself = kill(victim, relay, probe);
                kills.recovered(endedItself);
                Wait.pause(between);
                kills.end();
            }
            frost.run(relay, freezes);
            Wait.pause(between);
            load.finish();
            load.awaitMeasured();
            return load.result();
        }
    }

    /// Whether the relay ended itself.
    private static boolean kill(Victim victim, Relay relay, Source probe) {
        if (victim != Victim.RELAY) {
            var postmaster =
                    relay.postmaster()
                            .orElseThrow(() -> new IllegalStateException("no PostgreSQL found"));
            postmaster.destroyForcibly();
        }
        if (victim != Victim.POSTGRES) {
            relay.kill();
            relay.restart();
        }
        return recover(relay, probe);
    }

    /// Waits until events are stored again, starting the relay where it ended itself; true when
    /// that was needed.
    private static boolean recover(Relay relay, Source probe) {
        boolean accepts =
                Wait.until(RECOVERY, () -> !relay.isAlive() || relay.api().accepts(probe));
        if (accepts && relay.isAlive()) {
            return false;
        }
        relay.kill();
        relay.restart();
        if (!Wait.until(RECOVERY, () -> relay.api().accepts(probe))) {
            throw new IllegalStateException("it does not recover:\n" + relay.lastWords());
        }
        return true;
    }

    /// Compares until nothing acknowledged is missing, or nothing has moved for a while.
    static Comparison settled(List<Entry> sender, Path received, Duration standstill) {
        var comparison = Comparison.of(sender, Ledger.read(received));
        long lastMove = System.nanoTime();
        while (comparison.lost() > 0 && System.nanoTime() - lastMove < standstill.toNanos()) {
            Wait.pause(Duration.ofSeconds(1));
            var next = Comparison.of(sender, Ledger.read(received));
            if (next.received() != comparison.received()) {
                lastMove = System.nanoTime();
            }
            comparison = next;
        }
        return comparison;
    }

    private Report report(
            Relay relay, Kills kills, Freezes frost, Result result, Comparison found) {
        var report = new Report("crash");
        kills.addTo(report);
        frost.addTo(report);
        report.add(
                new Table(
                                "Compared, at %d/s".formatted(rate),
                                "sent",
                                "acked",
                                "received",
                                "lost",
                                "altered",
                                "unexpected",
                                "misnamed",
                                "duplicated",
                                "received, not acked",
                                "refused",
                                "unanswered",
                                "not sent, relay down")
                        .row(
                                found.sent(),
                                found.acked(),
                                found.received(),
                                found.lost(),
                                found.altered(),
                                found.unexpected(),
                                found.misnamed(),
                                found.duplicated(),
                                found.unacknowledged(),
                                found.refused(),
                                found.unanswered(),
                                result.unreachable()));
        lookInside(relay, report);
        Setup.stop(relay, report);
        return report.failUnless(found.acked() > 0, "nothing was acknowledged")
                .failUnless(found.lost() == 0, found.lost() + " acknowledged events are lost")
                .failUnless(found.altered() == 0, found.altered() + " bodies were altered")
                .failUnless(found.unexpected() == 0, found.unexpected() + " were never sent")
                .failUnless(found.misnamed() == 0, found.misnamed() + " came under another id")
                .failUnless(
                        found.duplicated() <= mostDuplicates(),
                        "%d duplicates; what was on the wire and in the batches being written explains %d"
                                .formatted(found.duplicated(), mostDuplicates()))
                .failUnless(relay.postmaster().isEmpty(), "PostgreSQL outlived the relay");
    }

    /// Each time the relay loses its memory: what is on the wire, and the results of two batches.
    private int mostDuplicates() {
        int losses = freezes;
        for (Victim victim : victims) {
            losses += victim == Victim.POSTGRES ? 0 : 1;
        }
        return losses * (IN_FLIGHT + 2 * 64);
    }

    private static void lookInside(Relay relay, Report report) {
        long leaked = relay.logged("work.leaked");
        long given = relay.logged("results.lost");
        report.add(
                new Table("In the relay's log", "line", "times")
                        .row("work.leaked", leaked)
                        .row("results.lost", given)
                        .row("work.orphaned", relay.logged("work.orphaned")));
        report.failUnless(leaked == 0, "the leak detector found something")
                .failUnless(given == 0, "results were given up");
        int audit = relay.audit(relay.scratch("audit"));
        String said = relay.said("audit");
        if (audit == 2 && said.contains("Unmatched argument")) {
            report.remark("This relay has no command `audit`.");
            return;
        }
        report.remark("`sluice audit` ended with %d.".formatted(audit))
                .failUnless(audit == 0, "the audit ended with %d: %s".formatted(audit, said));
    }

    /// One of each in turn, until none is left.
    private static List<Victim> inTurn(int relay, int postgres, int both) {
        var victims = new ArrayList<Victim>();
        for (int turn = 0; turn < Math.max(relay, Math.max(postgres, both)); turn++) {
            if (turn < relay) {
                victims.add(Victim.RELAY);
            }
            if (turn < postgres) {
                victims.add(Victim.POSTGRES);
            }
            if (turn < both) {
                victims.add(Victim.BOTH);
            }
        }
        return victims;
    }
}
