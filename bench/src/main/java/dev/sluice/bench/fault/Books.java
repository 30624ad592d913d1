package dev.sluice.bench.fault;

import dev.sluice.bench.ledger.Comparison;
import dev.sluice.bench.ledger.Entry;
import dev.sluice.bench.ledger.Entry.Acked;
import dev.sluice.bench.ledger.Entry.Received;
import dev.sluice.bench.ledger.Entry.Refused;
import dev.sluice.bench.ledger.Entry.Unanswered;
import dev.sluice.bench.ledger.Ledger;
import dev.sluice.bench.measure.Histogram;
import dev.sluice.bench.measure.Latency;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// All ledgers of a stage, as they stand at one moment.
///
/// @param senders all of them in one list
/// @param receivers a list for each sink
record Books(List<Entry> senders, List<List<Entry>> receivers) {

    static Books read(List<Path> sent, List<Path> received) {
        var senders = new ArrayList<Entry>();
        sent.forEach(path -> senders.addAll(Ledger.read(path)));
        return new Books(senders, received.stream().map(Ledger::read).toList());
    }

    /// What must have gone to that sink against what arrived there.
    Comparison compare(int sink) {
        var concerned =
                senders.stream()
                        .filter(entry -> Stage.connections(source(entry.marker())) > sink)
                        .toList();
        return Comparison.of(concerned, receivers.get(sink));
    }

    /// The place of the source that a marker was sent to.
    static int source(String marker) {
        return Integer.parseInt(marker.substring(0, 4));
    }

    List<Acked> acked() {
        return senders.stream().filter(Acked.class::isInstance).map(Acked.class::cast).toList();
    }

    /// Requests that came to another end than a 200.
    long failed() {
        return senders.stream()
                .filter(entry -> entry instanceof Refused || entry instanceof Unanswered)
                .count();
    }

    /// Of one sink, in the order of arrival.
    List<Received> received(int sink) {
        return receivers.get(sink).stream().map(Received.class::cast).toList();
    }

    /// Markers that were taken more than once: at one sink, once by `later` and once before.
    int repeatedSince(Books before) {
        int repeated = 0;
        for (int sink = 0; sink < receivers.size(); sink++) {
            var known = before.taken(sink);
            var all = received(sink);
            int old = before.receivers.get(sink).size();
            for (Received receipt : all.subList(Math.min(old, all.size()), all.size())) {
                repeated += known.contains(receipt.marker()) ? 1 : 0;
            }
        }
        return repeated;
    }

    private Set<String> taken(int sink) {
        var taken = new HashSet<String>();
        for (Received receipt : received(sink)) {
            if (receipt.isTaken()) {
                taken.add(receipt.marker());
            }
        }
        return taken;
    }

    /// From the answer to the first byte at a source's first sink, of what was acknowledged between
    /// two moments by `System.nanoTime`.
    Latency firstAttempts(long from, long to) {
        var arrivals = new HashMap<String, Long>();
        received(0).forEach(one -> arrivals.putIfAbsent(one.marker(), one.nanos()));
        var gaps = new Histogram();
        for (Acked one : acked()) {
            Long arrival = arrivals.get(one.marker());
            if (one.nanos() - from >= 0 && one.nanos() - to < 0 && arrival != null) {
                gaps.record(arrival - one.nanos());
            }
        }
        return gaps.latency();
    }

    /// All attempts of each delivery to one sink, in order, by marker.
    Map<String, List<Received>> attempts(int sink) {
        var attempts = new HashMap<String, List<Received>>();
        for (Received receipt : received(sink)) {
            attempts.computeIfAbsent(receipt.marker(), _ -> new ArrayList<>()).add(receipt);
        }
        return attempts;
    }
}
