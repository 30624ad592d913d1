package dev.sluice.features.streams;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.sluice.platform.db.TxSnapshot;
import dev.sluice.platform.id.Uuid7;
import dev.sluice.platform.json.FieldReader;

import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;

/// A position in a live stream. It identifies exactly which events and delivery outcomes the stream
/// has sent.
///
/// A stream advances in rounds. A round sends the events that became visible between two database
/// snapshots, in the order of their ids. Then it sends the outcomes of the deliveries that ended
/// between these snapshots. The same two snapshots yield the same events at any time and on any
/// node. An id alone would not be enough, because an event may be committed after an event with a
/// higher id.
///
/// @param database the name of the database that the snapshots belong to
/// @param seen the snapshot at the start of the round; all events visible in it have been sent
/// @param until the snapshot at the end of the round; equal to `seen` between two rounds
/// @param after the last id that was sent in this round, or [#NO_DELIVERY] once all of its events
///   have been sent; all zeros before the first event and between two rounds
/// @param batch if present, identifies the events from one transaction that were already sent
///   before this round
public record StreamCursor(
        String database,
        TxSnapshot seen,
        TxSnapshot until,
        UUID after,
        Optional<PartOfBatch> batch) {

    /// The events from one transaction, up to and including the one with the id `upTo`.
    record PartOfBatch(long xid, UUID upTo) {}

    private static final String VERSION = "1";
    private static final UUID NO_EVENT = new UUID(0, 0);

    /// The value of `after` when all events of a round have been sent, but no delivery outcome yet.
    /// It is lower than the id of any delivery. Like a delivery's id, and unlike an event's id, it
    /// contains an ordinal.
    private static final UUID NO_DELIVERY = new UUID(0, 1);

    private static final int MAX_LENGTH = 16 * 1024;

    /// The bits of an id that contain a delivery's ordinal; zero in an event's id.
    private static final long ORDINAL_MASK = 0xfff;

    /// Returns a cursor between two rounds, for a stream that has sent everything visible in
    /// `seen`.
    public static StreamCursor at(String database, TxSnapshot seen) {
        return new StreamCursor(database, seen, seen, NO_EVENT, Optional.empty());
    }

    /// Returns a cursor after an event, for a client that knows only the event's id.
    ///
    /// @param xid the id of the transaction that stored the event
    /// @param overlap the maximum difference between `xid` and the id of an older transaction that
    ///   was still running when `xid` committed. The stream sends all events from older
    ///   transactions whose ids are at most this much lower than `xid`, even if the client already
    ///   has those events
    public static StreamCursor after(String database, UUID event, long xid, long overlap) {
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
    public StreamCursor towards(TxSnapshot end) {
        return isBetweenRounds() ? new StreamCursor(database, seen, end, after, batch) : this;
    }

    /// Returns the cursor after an event or a delivery of this round.
    public StreamCursor after(UUID event) {
        return new StreamCursor(database, seen, until, event, batch);
    }

    /// Returns the cursor after all of this round's events and before its outcomes (the deliveries
    /// that ended).
    public StreamCursor endOfEvents() {
        return after(NO_DELIVERY);
    }

    /// Returns whether all events of this round have been sent.
    public boolean isBehindEvents() {
        return (after.getLeastSignificantBits() & ORDINAL_MASK) != 0;
    }

    /// Returns whether this round may still have events to send that arrived at this time or
    /// earlier.
    boolean hasEventsBefore(Instant time) {
        return !isBehindEvents() && !Uuid7.timeOf(after).isAfter(time);
    }

    /// Returns whether both cursors are within the same round.
    public boolean isInSameRound(StreamCursor other) {
        return seen.equals(other.seen) && until.equals(other.until);
    }

    /// Returns the cursor at the end of this round.
    public StreamCursor endOfRound() {
        return at(database, until);
    }

    /// Returns whether an event or an outcome belongs to this round and was not sent before the
    /// round. Ignores the position within the round: the caller must also check that the id is
    /// greater than [#after()].
    ///
    /// @param xid the id of the transaction that stored the event or the outcome
    /// @param event the id of the event, or of the outcome's delivery
    boolean isMissing(long xid, UUID event) {
        return until.sees(xid)
                && !seen.sees(xid)
                && batch.filter(part -> part.xid() == xid)
                        .filter(part -> Uuid7.UNSIGNED_ORDER.compare(event, part.upTo()) <= 0)
                        .isEmpty();
    }

    public String text() {
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

    /// @throws IllegalArgumentException if the text is not a cursor
    public static StreamCursor parse(String text) {
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
