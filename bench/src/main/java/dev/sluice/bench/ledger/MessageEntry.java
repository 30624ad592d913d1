package dev.sluice.bench.ledger;

/// One line of a ledger. Instants are `System.nanoTime()`, which all processes of a machine share
/// on Linux.
public sealed interface MessageEntry {

    String marker();

    /// About to be sent, with the SHA-256 of its body.
    record SentEntry(String marker, String hash) implements MessageEntry {}

    /// Answered with 200: from here on it must not get lost.
    record AckedEntry(String marker, String requestId, long nanos) implements MessageEntry {}

    /// Answered with another status.
    record RefusedEntry(String marker, int status) implements MessageEntry {}

    /// The connection ended or the time ran out before the answer.
    record UnansweredEntry(String marker) implements MessageEntry {}

    /// Arrived at the sink, its first byte at `nanos`, and about to be answered with `status`; 0
    /// when the connection is to be reset instead.
    record ReceivedEntry(String marker, String eventId, String hash, long nanos, int status)
            implements MessageEntry {

        /// Whether the answer tells the relay that the delivery is done.
        public boolean isDelivered() {
            return status / 100 == 2;
        }
    }

    default String toLine() {
        return switch (this) {
            case SentEntry(var marker, var hash) -> "sent " + marker + " " + hash;
            case AckedEntry(var marker, var id, var nanos) ->
                    "acked " + marker + " " + id + " " + nanos;
            case RefusedEntry(var marker, var status) -> "refused " + marker + " " + status;
            case UnansweredEntry(var marker) -> "unanswered " + marker;
            case ReceivedEntry(var marker, var id, var hash, var nanos, var status) ->
                    "received " + marker + " " + id + " " + hash + " " + nanos + " " + status;
        };
    }

    static MessageEntry parse(String line) {
        String[] part = line.split(" ", -1);
        return switch (part[0]) {
            case "sent" -> new SentEntry(part[1], part[2]);
            case "acked" -> new AckedEntry(part[1], part[2], Long.parseLong(part[3]));
            case "refused" -> new RefusedEntry(part[1], Integer.parseInt(part[2]));
            case "unanswered" -> new UnansweredEntry(part[1]);
            case "received" ->
                    new ReceivedEntry(
                            part[1],
                            part[2],
                            part[3],
                            Long.parseLong(part[4]),
                            Integer.parseInt(part[5]));
            default -> throw new IllegalArgumentException("not a line of a ledger: " + line);
        };
    }
}
