package dev.sluice.bench.ledger;

import dev.sluice.bench.ledger.MessageEntry.AckedEntry;
import dev.sluice.bench.ledger.MessageEntry.ReceivedEntry;
import dev.sluice.bench.ledger.MessageEntry.RefusedEntry;
import dev.sluice.bench.ledger.MessageEntry.SentEntry;
import dev.sluice.bench.ledger.MessageEntry.UnansweredEntry;
import dev.sluice.bench.measure.Histogram;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;

/// The differences between the messages that were sent and those that were received. The first four
/// counts must be 0.
///
/// @param lost messages that were acknowledged but that the receiver never answered with a 2xx
/// @param altered arrivals whose body differs from the one that was sent
/// @param unexpected arrivals of messages that were never sent
/// @param misnamed arrivals whose id differs from the one in the message's acknowledgement
/// @param received messages that the receiver answered with a 2xx, each counted once
/// @param duplicated arrivals that the receiver answered with a 2xx although it had already done so
///   for the same message. They are allowed because the relay promises only at-least-once delivery
/// @param unacknowledged messages that the receiver answered with a 2xx although the sender got no
///   acknowledgement. They are allowed because the acknowledgement may have been lost
public record LedgerComparison(
        int lost,
        int altered,
        int unexpected,
        int misnamed,
        int received,
        int duplicated,
        int unacknowledged,
        SenderCounts sender) {

    /// Counts of the messages in the sender's ledger.
    ///
    /// @param refused messages that the relay answered with a status other than 200
    public record SenderCounts(int sent, int acked, int refused, int unanswered) {

        public static SenderCounts of(List<MessageEntry> ledger) {
            return new SenderCounts(
                    count(ledger, SentEntry.class),
                    count(ledger, AckedEntry.class),
                    count(ledger, RefusedEntry.class),
                    count(ledger, UnansweredEntry.class));
        }

        private static int count(List<MessageEntry> ledger, Class<? extends MessageEntry> kind) {
            return (int) ledger.stream().filter(kind::isInstance).count();
        }

        public SenderCounts since(SenderCounts earlier) {
            return new SenderCounts(
                    sent - earlier.sent,
                    acked - earlier.acked,
                    refused - earlier.refused,
                    unanswered - earlier.unanswered);
        }
    }

    public boolean isClean() {
        return lost == 0 && altered == 0 && unexpected == 0 && misnamed == 0;
    }

    public static LedgerComparison of(List<MessageEntry> sender, List<MessageEntry> receiver) {
        var hashes = new HashMap<String, String>();
        var ids = new HashMap<String, String>();
        for (MessageEntry entry : sender) {
            switch (entry) {
                case SentEntry(var marker, var hash) -> hashes.put(marker, hash);
                case AckedEntry(var marker, var id, _) -> ids.put(marker, id);
                case RefusedEntry _, UnansweredEntry _ -> {}
                case ReceivedEntry _ -> throw new IllegalArgumentException("not a sender's ledger");
            }
        }
        var arrived = new HashSet<String>();
        int altered = 0;
        int unexpected = 0;
        int misnamed = 0;
        int duplicated = 0;
        int unacknowledged = 0;
        for (MessageEntry entry : receiver) {
            if (!(entry instanceof ReceivedEntry receipt)) {
                throw new IllegalArgumentException("not a receiver's ledger");
            }
            String marker = receipt.marker();
            String id = receipt.eventId();
            String hash = receipt.hash();
            boolean first = receipt.isDelivered() && arrived.add(marker);
            duplicated += receipt.isDelivered() && !first ? 1 : 0;
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
        return new LedgerComparison(
                lost,
                altered,
                unexpected,
                misnamed,
                arrived.size(),
                duplicated,
                unacknowledged,
                SenderCounts.of(sender));
    }

    /// Returns a histogram of the times from a message's acknowledgement to the arrival of its
    /// first byte at the receiver. Leaves out the first `skipped` acknowledged messages, and any
    /// messages that never arrived.
    public static Histogram firstByteLatencies(
            List<MessageEntry> sender, List<MessageEntry> receiver, int skipped) {
        var arrivals = new HashMap<String, Long>();
        for (MessageEntry entry : receiver) {
            if (entry instanceof ReceivedEntry(var marker, _, _, var nanos, _)) {
                arrivals.putIfAbsent(marker, nanos);
            }
        }
        var gaps = new Histogram();
        int left = skipped;
        for (MessageEntry entry : sender) {
            if (entry instanceof AckedEntry(var marker, _, var nanos) && left-- <= 0) {
                Long arrival = arrivals.get(marker);
                if (arrival != null) {
                    gaps.record(arrival - nanos);
                }
            }
        }
        return gaps;
    }
}
