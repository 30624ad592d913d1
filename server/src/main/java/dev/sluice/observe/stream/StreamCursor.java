package dev.sluice.observe.stream;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.platform.db.TxSnapshot;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;

import java.util.Base64;
import java.util.Optional;
import java.util.UUID;

/// Exactly which events a stream has sent.
///
/// A stream advances in rounds. A round sends, by id, the events that became visible between two
/// snapshots of the database. Which those are does not depend on when, and on which node, they are
/// read. Ids alone would not do: an event may be committed after one with a higher id.
///
/// @param database names the database whose snapshots these are
/// @param seen everything that this snapshot sees was sent
/// @param until the end of the round; equal to `seen` between two rounds
/// @param after of what `until` sees, everything up to this id was sent
/// @param batch of this batch, everything up to an id was sent too
record StreamCursor(
        String database,
        TxSnapshot seen,
        TxSnapshot until,
        UUID after,
        Optional<PartOfBatch> batch) {

    /// The events of one transaction, up to an id.
    record PartOfBatch(long xid, UUID upTo) {}

    private static final String VERSION = "1";
    private static final UUID NO_EVENT = new UUID(0, 0);
    private static final int MAX_LENGTH = 16 * 1024;

    /// Returns the cursor between two rounds.
    static StreamCursor at(String database, TxSnapshot seen) {
        return new StreamCursor(database, seen, seen, NO_EVENT, Optional.empty());
    }

    /// Returns the cursor behind an event.
    ///
    /// @param overlap how many transactions back another one may still have run when the event's
    ///   ended. Their events may have been sent or not; the stream sends them
    static StreamCursor after(String database, UUID event, long xid, long overlap) {
        return at(database, TxSnapshot.before(Math.max(1, xid - overlap)))
                .withBatch(new PartOfBatch(xid, event));
    }

    private StreamCursor withBatch(PartOfBatch part) {
        return new StreamCursor(database, seen, until, after, Optional.of(part));
    }

    boolean isBetweenRounds() {
        return after.equals(NO_EVENT);
    }

    /// Returns the cursor at the start of a round that ends at `end`, or this cursor if it is
    /// within a round.
    StreamCursor towards(TxSnapshot end) {
        return isBetweenRounds() ? new StreamCursor(database, seen, end, after, batch) : this;
    }

    /// Returns the cursor behind an event of this round.
    StreamCursor after(UUID event) {
        return new StreamCursor(database, seen, until, event, batch);
    }

    /// Returns the cursor at the end of this round.
    StreamCursor endOfRound() {
        return at(database, until);
    }

    /// Whether an event is still to be sent in this round.
    boolean isMissing(long xid, UUID event) {
        return until.sees(xid)
                && !seen.sees(xid)
                && Uuid7.UNSIGNED_ORDER.compare(event, after) > 0
                && batch.filter(part -> part.xid() == xid)
                        .filter(part -> Uuid7.UNSIGNED_ORDER.compare(event, part.upTo()) <= 0)
                        .isEmpty();
    }

    String text() {
        String plain =
                String.join(
                        ";",
                        VERSION,
                        database,
                        seen.toString(),
                        until.equals(seen) ? "" : until.toString(),
                        isBetweenRounds() ? "" : after.toString(),
                        batch.map(part -> part.xid() + "/" + part.upTo()).orElse(""));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(plain.getBytes(ISO_8859_1));
    }

    /// @throws IllegalArgumentException if the text is no cursor
    static StreamCursor parse(String text) {
        if (text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("is not a cursor.");
        }
        String[] parts = new String(Base64.getUrlDecoder().decode(text), ISO_8859_1).split(";", -1);
        if (parts.length != 6 || !parts[0].equals(VERSION)) {
            throw new IllegalArgumentException("is not a cursor.");
        }
        var seen = TxSnapshot.parse(parts[2]);
        return new StreamCursor(
                parts[1],
                seen,
                parts[3].isEmpty() ? seen : TxSnapshot.parse(parts[3]),
                parts[4].isEmpty() ? NO_EVENT : FieldReader.parseUuid(parts[4]),
                parts[5].isEmpty() ? Optional.empty() : Optional.of(part(parts[5])));
    }

    private static PartOfBatch part(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException("is not a cursor.");
        }
        return new PartOfBatch(
                Long.parseLong(text.substring(0, slash)),
                FieldReader.parseUuid(text.substring(slash + 1)));
    }
}
