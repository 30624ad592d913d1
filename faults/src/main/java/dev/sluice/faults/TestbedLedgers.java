package dev.sluice.faults;

import dev.sluice.bench.ledger.LedgerComparison;
import dev.sluice.bench.ledger.LedgerComparison.SenderCounts;
import dev.sluice.bench.ledger.MessageEntry;
import dev.sluice.bench.ledger.MessageEntry.AckedEntry;
import dev.sluice.bench.ledger.MessageEntry.ReceivedEntry;
import dev.sluice.bench.ledger.MessageLedger;
import dev.sluice.bench.measure.Histogram;
import dev.sluice.bench.measure.LatencySummary;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The contents of all of a testbed's ledgers at one moment.
///
/// @param senders the entries from all senders, in one list
/// @param receivers a list of entries for each sink
record TestbedLedgers(List<MessageEntry> senders, List<List<MessageEntry>> receivers) {

    static TestbedLedgers read(List<Path> sent, List<Path> received) {
        var senders = new ArrayList<MessageEntry>();
        sent.forEach(path -> senders.addAll(MessageLedger.read(path)));
        return new TestbedLedgers(senders, received.stream().map(MessageLedger::read).toList());
    }

    /// Compares the messages that should have arrived at this sink with those that did.
    LedgerComparison compare(int sink) {
        var concerned =
                senders.stream()
                        .filter(entry ->
                                FaultTestbed.connectionCount(sourceIndex(entry.marker())) > sink)
                        .toList();
        return LedgerComparison.of(concerned, receivers.get(sink));
    }

    /// Returns the position of the source that the message with this marker was sent to.
    static int sourceIndex(String marker) {
        return Integer.parseInt(marker.substring(0, 4));
    }

    List<AckedEntry> acked() {
        return senders.stream()
                .filter(AckedEntry.class::isInstance)
                .map(AckedEntry.class::cast)
                .toList();
    }

    SenderCounts senderCounts() {
        return SenderCounts.of(senders);
    }

    /// Returns the number of requests that did not get a 200 response.
    long failedRequests() {
        var counts = senderCounts();
        return (long) counts.refused() + counts.unanswered();
    }

    /// Returns the messages that one sink received, in order of arrival.
    List<ReceivedEntry> received(int sink) {
        return receivers.get(sink).stream().map(ReceivedEntry.class::cast).toList();
    }

    /// Counts the requests that sinks received after `before` was read, for messages that,
    /// according to `before`, they had already answered with a 2xx.
    int countRepeatedSince(TestbedLedgers before) {
        int repeated = 0;
        for (int sink = 0; sink < receivers.size(); sink++) {
            var known = before.deliveredMarkers(sink);
            var all = received(sink);
            int old = before.receivers.get(sink).size();
            for (ReceivedEntry receipt : all.subList(Math.min(old, all.size()), all.size())) {
                repeated += known.contains(receipt.marker()) ? 1 : 0;
            }
        }
        return repeated;
    }

    private Set<String> deliveredMarkers(int sink) {
        var taken = new HashSet<String>();
        for (ReceivedEntry receipt : received(sink)) {
            if (receipt.isDelivered()) {
                taken.add(receipt.marker());
            }
        }
        return taken;
    }

    /// Returns the latency of first attempts: the time from a message's acknowledgement until its
    /// first byte arrives at sink 0, which receives the deliveries made on each source's first
    /// connection. Only messages acknowledged between `from` and `to`, which are values of
    /// `System.nanoTime`, are considered.
    LatencySummary firstAttemptLatency(long from, long to) {
        var arrivals = new HashMap<String, Long>();
        received(0).forEach(one -> arrivals.putIfAbsent(one.marker(), one.nanos()));
        var gaps = new Histogram();
        for (AckedEntry one : acked()) {
            Long arrival = arrivals.get(one.marker());
            if (one.nanos() - from >= 0 && one.nanos() - to < 0 && arrival != null) {
                gaps.record(arrival - one.nanos());
            }
        }
        return gaps.summary();
    }

    /// Returns all attempts that reached one sink, grouped by the message's marker and in order of
    /// arrival.
    Map<String, List<ReceivedEntry>> attemptsByMarker(int sink) {
        var attempts = new HashMap<String, List<ReceivedEntry>>();
        for (ReceivedEntry receipt : received(sink)) {
            attempts.computeIfAbsent(receipt.marker(), _ -> new ArrayList<>()).add(receipt);
        }
        return attempts;
    }
}
