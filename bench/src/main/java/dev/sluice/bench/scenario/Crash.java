package dev.sluice.bench.scenario;

import dev.sluice.bench.ledger.Comparison;
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

/// Scenario `crash`: under an even load, the relay and its database are killed again and again; in
/// the end everything acknowledged must have arrived as it was sent.
public final class Crash implements Scenario {

    /// What the generator lasts at most, should nobody end it.
    private static final Duration LONGEST = Duration.ofHours(1);

    private static final Duration RECOVERY = Duration.ofMinutes(1);
    private static final Duration STANDSTILL = Duration.ofSeconds(30);

    private final Setup setup;
    private final int rate;
    private final int size;
    private final Duration between;
    private final List<Victim> victims;

    enum Victim {
        RELAY,
        POSTGRES,
        BOTH
    }

    private Crash(Setup setup, int rate, int size, Duration between, List<Victim> victims) {
        this.setup = setup;
        this.rate = rate;
        this.size = size;
        this.between = between;
        this.victims = List.copyOf(victims);
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
                        options.number("relay", 3),
                        options.number("postgres", 3),
                        options.number("both", 2)));
    }

    @Override
    public Report run() {
        try (var relay = Relay.start(setup.launcher(), setup.keep());
                var sink =
                        SinkProcess.start(
                                new Behaviour.Fast(), Optional.of(relay.scratch("received")))) {
            var source = relay.api().source("bench crash");
            relay.api().connect(source, "bench crash sink", sink.url(), 64);
            var probe = relay.api().source("bench probe");

            var table = new Table("Kills", "killed", "accepts again after s", "relay ended itself");
            Path sent = relay.scratch("sent");
            var result = loadWhileKilling(relay, source, probe, sent, table);
            var comparison = settled(sent, relay.scratch("received"));
            return report(relay, table, result, comparison);
        }
    }

    private Result loadWhileKilling(
            Relay relay, Source source, Source probe, Path sent, Table table) {
        var plan =
                new Plan(
                        source.ingest(),
                        new Pace.PerSecond(rate),
                        32,
                        size,
                        Duration.ZERO,
                        LONGEST,
                        Optional.of(sent));
        try (var load = LoadProcess.start(plan)) {
            load.awaitMeasuring();
            for (Victim victim : victims) {
                Wait.pause(between);
                kill(victim, relay, probe, table);
            }
            Wait.pause(between);
            load.finish();
            load.awaitMeasured();
            return load.result();
        }
    }

    private static void kill(Victim victim, Relay relay, Source probe, Table table) {
        long start = System.nanoTime();
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
        boolean ended = recover(relay, probe);
        double seconds = (System.nanoTime() - start) / 1e9;
        table.row(victim.name(), seconds, ended ? "yes" : "no");
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
    private static Comparison settled(Path sent, Path received) {
        var sender = Ledger.read(sent);
        var comparison = Comparison.of(sender, Ledger.read(received));
        long lastMove = System.nanoTime();
        while (comparison.lost() > 0 && System.nanoTime() - lastMove < STANDSTILL.toNanos()) {
            Wait.pause(Duration.ofSeconds(1));
            var next = Comparison.of(sender, Ledger.read(received));
            if (next.received() != comparison.received()) {
                lastMove = System.nanoTime();
            }
            comparison = next;
        }
        return comparison;
    }

    private Report report(Relay relay, Table kills, Result result, Comparison found) {
        var report = new Report("crash").add(kills);
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
        Setup.stop(relay, report);
        return report.failUnless(found.acked() > 0, "nothing was acknowledged")
                .failUnless(found.lost() == 0, found.lost() + " acknowledged events are lost")
                .failUnless(found.altered() == 0, found.altered() + " bodies were altered")
                .failUnless(found.unexpected() == 0, found.unexpected() + " were never sent")
                .failUnless(found.misnamed() == 0, found.misnamed() + " came under another id")
                .failUnless(relay.postmaster().isEmpty(), "PostgreSQL outlived the relay");
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
