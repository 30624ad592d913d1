package dev.sluice.bench.scenario;

import dev.sluice.bench.ledger.Comparison;
import dev.sluice.bench.ledger.Entry;
import dev.sluice.bench.ledger.Entry.Acked;
import dev.sluice.bench.ledger.Entry.Received;
import dev.sluice.bench.ledger.Ledger;
import dev.sluice.bench.load.LoadProcess;
import dev.sluice.bench.load.Pace;
import dev.sluice.bench.load.Plan;
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
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/// The part of `crash` that freezes the relay (SIGSTOP) while it has deliveries in memory: a second
/// relay on the same database must take them over, and the first must send none of them when it
/// wakes.
///
/// The receiver is slow, so that most of what was acknowledged is still in memory then.
final class Freezes {

    private static final int BURST_PER_SECOND = 300;
    private static final Duration BURST = Duration.ofSeconds(2);
    private static final Duration ANSWER_TIME = Duration.ofMillis(250);
    private static final int IN_FLIGHT = 8;

    /// What is on the wire, and as many whose result was not written yet.
    private static final int MOST_DUPLICATES = 2 * IN_FLIGHT;

    /// Lease and heartbeat are 18 s together.
    private static final Duration LATEST_TAKE_OVER = Duration.ofSeconds(20);

    /// What was on its way to the receiver when the relay froze is there by then.
    private static final long UNDER_WAY = Duration.ofMillis(500).toNanos();

    private static final Duration STANDSTILL = Duration.ofSeconds(30);

    private final Duration frozen;
    private final Path mainReceived;
    private final Table table =
            new Table(
                    "Freezes",
                    "freeze",
                    "in memory",
                    "taken over after s",
                    "second accepts",
                    "sent again when awake",
                    "duplicated",
                    "lost");

    private final List<String> failures = new ArrayList<>();

    /// @param mainReceived ledger of what else the relay delivers meanwhile
    Freezes(Duration frozen, Path mainReceived) {
        this.frozen = frozen;
        this.mainReceived = mainReceived;
    }

    /// Freezes it so often.
    void run(Relay relay, int times) {
        if (times == 0) {
            return;
        }
        try (var second = relay.second()) {
            for (int number = 1; number <= times; number++) {
                freeze(relay, second, number);
            }
            check(second.logged("work.leaked") == 0, "the second relay leaked");
            check(second.stop() == 0, "the second relay did not stop well");
        }
    }

    private void freeze(Relay relay, Relay second, int number) {
        Path received = relay.scratch("received-frozen-" + number);
        Path sent = relay.scratch("sent-frozen-" + number);
        try (var sink = SinkProcess.start(new Behaviour.Hang(ANSWER_TIME), Optional.of(received))) {
            var source = relay.api().source("bench freeze " + number);
            relay.api().connect(source, "bench slow sink " + number, sink.url(), IN_FLIGHT);
            var probe = relay.api().source("bench freeze probe " + number);
            Wait.pause(Duration.ofSeconds(1)); // the second learns of them
            burst(source, sent);

            relay.freeze();
            long from = System.nanoTime();
            Wait.pause(frozen.dividedBy(2));
            boolean accepts = second.api().accepts(second.api().here(probe));
            Wait.pause(frozen.minus(frozen.dividedBy(2)));
            long to = System.nanoTime();
            var before = Ledger.read(received);
            var mainBefore = Ledger.read(mainReceived);
            relay.thaw();

            var sender = Ledger.read(sent);
            var found = settled(sender, received);
            int again =
                    repeated(before, Ledger.read(received), to)
                            + repeated(mainBefore, Ledger.read(mainReceived), to);
            var takenOver = takenOver(before, from);
            int inMemory = inMemory(sender, before, from);
            table.row(
                    number,
                    inMemory,
                    takenOver,
                    accepts ? "yes" : "no",
                    again,
                    found.duplicated(),
                    found.lost());
            check(inMemory > 0, "nothing was in memory when it froze");
            check(accepts, "the second relay took no events");
            check(again == 0, again + " were sent again by a relay that had been taken over");
            check(found.isClean(), "lost, altered, unexpected or misnamed: " + found);
            check(
                    found.duplicated() <= MOST_DUPLICATES,
                    found.duplicated() + " duplicates, more than were on the wire or not written");
            if (frozen.compareTo(LATEST_TAKE_OVER) > 0) {
                check(
                        takenOver.orElse(Double.MAX_VALUE) <= LATEST_TAKE_OVER.toSeconds(),
                        "not taken over in time");
            }
        }
    }

    private static void burst(Source source, Path sent) {
        var plan =
                new Plan(
                        source.ingest(),
                        new Pace.PerSecond(BURST_PER_SECOND),
                        16,
                        1024,
                        Duration.ZERO,
                        BURST,
                        Optional.empty(),
                        Optional.of(sent));
        try (var load = LoadProcess.start(plan)) {
            load.awaitMeasuring();
            load.awaitMeasured();
            load.result();
        }
    }

    /// Seconds until the receiver heard of anybody again.
    private static OptionalDouble takenOver(List<Entry> receiver, long from) {
        return receiver.stream()
                .mapToLong(entry -> ((Received) entry).nanos())
                .filter(nanos -> nanos - from > UNDER_WAY)
                .mapToDouble(nanos -> (nanos - from) / 1e9)
                .min();
    }

    private static int inMemory(List<Entry> sender, List<Entry> receiver, long at) {
        var left = new HashSet<String>();
        sender.stream().filter(Acked.class::isInstance).forEach(entry -> left.add(entry.marker()));
        receiver.stream()
                .filter(entry -> ((Received) entry).nanos() - at <= UNDER_WAY)
                .forEach(entry -> left.remove(entry.marker()));
        return left.size();
    }

    /// What arrived after the relay woke although it had arrived before.
    private static int repeated(List<Entry> before, List<Entry> all, long awake) {
        var known = new HashSet<String>();
        before.forEach(entry -> known.add(entry.marker()));
        return (int)
                all.stream()
                        .filter(entry -> ((Received) entry).nanos() - awake > 0)
                        .filter(entry -> known.contains(entry.marker()))
                        .count();
    }

    private static Comparison settled(List<Entry> sender, Path received) {
        return Crash.settled(sender, received, STANDSTILL);
    }

    private void check(boolean good, String failure) {
        if (!good) {
            failures.add(failure);
        }
    }

    void addTo(Report report) {
        report.add(table);
        failures.forEach(failure -> report.failUnless(false, failure));
    }
}
