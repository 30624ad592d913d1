package dev.sluice.bench.ledger;

/// One line of a ledger. Instants are `System.nanoTime()`, which all processes of a machine share
/// on Linux.
public sealed interface Entry {

    String marker();

    /// About to be sent, with the SHA-256 of its body.
    record Sent(String marker, String hash) implements Entry {}

    /// Answered with 200: from here on it must not get lost.
    record Acked(String marker, String requestId, long nanos) implements Entry {}

    /// Answered with another status.
    record Refused(String marker, int status) implements Entry {}

    /// The connection ended or the time ran out before the answer.
    record Unanswered(String marker) implements Entry {}

    /// Arrived at the sink, its first byte at `nanos`, and about to be answered with `status`; 0
    /// when the connection is to be reset instead.
    record Received(String marker, String eventId, String hash, long nanos, int status)
            implements Entry {

        /// Whether the relay is told that it is done.
        public boolean isTaken() {
            return status / 100 == 2;
        }
    }

    default String line() {
        return switch (this) {
            case Sent(var marker, var hash) -> "sent " + marker + " " + hash;
            case Acked(var marker, var id, var nanos) -> "acked " + marker + " " + id + " " + nanos;
            case Refused(var marker, var status) -> "refused " + marker + " " + status;
            case Unanswered(var marker) -> "unanswered " + marker;
            case Received(var marker, var id, var hash, var nanos, var status) ->
                    "received " + marker + " " + id + " " + hash + " " + nanos + " " + status;
        };
    }

    static Entry parse(String line) {
        String[] part = line.split(" ", -1);
        return switch (part[0]) {
            case "sent" -> new Sent(part[1], part[2]);
            case "acked" -> new Acked(part[1], part[2], Long.parseLong(part[3]));
            case "refused" -> new Refused(part[1], Integer.parseInt(part[2]));
            case "unanswered" -> new Unanswered(part[1]);
            case "received" ->
                    new Received(
                            part[1],
                            part[2],
                            part[3],
                            Long.parseLong(part[4]),
                            Integer.parseInt(part[5]));
            default -> throw new IllegalArgumentException("not a line of a ledger: " + line);
        };
    }
}
