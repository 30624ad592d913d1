package dev.sluice.bench.ledger;

/// One line in a ledger. Times (`nanos`) are values of `System.nanoTime()`, which all processes on
/// a Linux machine read from the same clock.
public sealed interface MessageEntry {

    String marker();

    /// The message is about to be sent. `hash` is the SHA-256 hash of its body, in hex.
    record SentEntry(String marker, String hash) implements MessageEntry {}

    /// The message was answered with 200. From then on, the relay must not lose it.
    record AckedEntry(String marker, String requestId, long nanos) implements MessageEntry {}

    /// The message was answered with a status other than 200.
    record RefusedEntry(String marker, int status) implements MessageEntry {}

    /// The message got no response because the connection ended or the request timed out.
    record UnansweredEntry(String marker) implements MessageEntry {}

    /// The message arrived at the sink, which is about to answer it with `status`. A `status` of 0
    /// means that the sink will reset the connection instead. The message's first byte arrived at
    /// `nanos`.
    record ReceivedEntry(String marker, String eventId, String hash, long nanos, int status)
            implements MessageEntry {

        /// Whether the sink's response tells the relay that the delivery succeeded.
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
