package dev.sluice.bench.ledger;

import dev.sluice.bench.ledger.Entry.Acked;
import dev.sluice.bench.ledger.Entry.Received;
import dev.sluice.bench.ledger.Entry.Refused;
import dev.sluice.bench.ledger.Entry.Sent;
import dev.sluice.bench.ledger.Entry.Unanswered;
import dev.sluice.bench.measure.Histogram;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;

/// What the two ends of the relay say about each other. The first four must be 0.
///
/// @param lost acknowledged, and never taken by the receiver with a 2xx
/// @param altered received with another body than was sent
/// @param unexpected received, but never sent
/// @param misnamed received under another id than it was acknowledged with
/// @param received taken with a 2xx, each once
/// @param duplicated taken beyond the first of each: allowed, the relay promises at least once
/// @param unacknowledged taken without having been acknowledged: allowed, the answer was cut off
/// @param refused answered with another status than 200
public record Comparison(
        int lost,
        int altered,
        int unexpected,
        int misnamed,
        int sent,
        int acked,
        int received,
        int duplicated,
        int unacknowledged,
        int refused,
        int unanswered) {

    public boolean isClean() {
        return lost == 0 && altered == 0 && unexpected == 0 && misnamed == 0;
    }

    public static Comparison of(List<Entry> sender, List<Entry> receiver) {
        var hashes = new HashMap<String, String>();
        var ids = new HashMap<String, String>();
        int refused = 0;
        int unanswered = 0;
        for (Entry entry : sender) {
            switch (entry) {
                case Sent(var marker, var hash) -> hashes.put(marker, hash);
                case Acked(var marker, var id, _) -> ids.put(marker, id);
                case Refused _ -> refused++;
                case Unanswered _ -> unanswered++;
                case Received _ -> throw new IllegalArgumentException("a sender's ledger, please");
            }
        }
        var arrived = new HashSet<String>();
        int altered = 0;
        int unexpected = 0;
        int misnamed = 0;
        int duplicated = 0;
        int unacknowledged = 0;
        for (Entry entry : receiver) {
            if (!(entry instanceof Received receipt)) {
                throw new IllegalArgumentException("a receiver's ledger, please");
            }
            String marker = receipt.marker();
            String id = receipt.eventId();
            String hash = receipt.hash();
            boolean first = receipt.isTaken() && arrived.add(marker);
            duplicated += receipt.isTaken() && !first ? 1 : 0;
            altered += hash.equals(hashes.getOrDefault(marker, hash)) ? 0 : 1;
            misnamed += id.equals(ids.getOrDefault(marker, id)) ? 0 : 1;
            unexpected += hashes.containsKey(marker) ? 0 : 1;
            unacknowledged +=
                    first && hashes.containsKey(marker) && !ids.containsKey(marker) ? 1 : 0;
        }
        int lost = 0;
        for (String marker : ids.keySet()) {
            lost += arrived.contains(marker) ? 0 : 1;
        }
        return new Comparison(
                lost,
                altered,
                unexpected,
                misnamed,
                hashes.size(),
                ids.size(),
                arrived.size(),
                duplicated,
                unacknowledged,
                refused,
                unanswered);
    }

    /// From the answer at the sender to the first byte at the receiver, leaving out the first
    /// `skipped` acknowledged.
    public static Histogram answerToFirstByte(
            List<Entry> sender, List<Entry> receiver, int skipped) {
        var arrivals = new HashMap<String, Long>();
        for (Entry entry : receiver) {
            if (entry instanceof Received(var marker, _, _, var nanos, _)) {
                arrivals.putIfAbsent(marker, nanos);
            }
        }
        var gaps = new Histogram();
        int left = skipped;
        for (Entry entry : sender) {
            if (entry instanceof Acked(var marker, _, var nanos) && left-- <= 0) {
                Long arrival = arrivals.get(marker);
                if (arrival != null) {
                    gaps.record(arrival - nanos);
                }
            }
        }
        return gaps;
    }
}
