package dev.sluice.engine.compression;

import dev.sluice.engine.DeletedWorkspace;
import dev.sluice.engine.UnreadablePayloadException;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// Stores the sources' dictionaries. A dictionary never changes, and it is kept as long as any
/// event may refer to it.
///
/// A source has at most one current dictionary. A dictionary is retired when another one replaces
/// it, or when it is too old. One day later, no node still compresses with it, so its source's
/// newest event is recorded as the last event that may refer to it. After the partition for that
/// event's day has been dropped, the dictionary is removed as well.
public final class DictionaryStore {

    private DictionaryStore() {}

    /// Returns the current dictionaries of these sources. A source without one has no entry in the
    /// map.
    static Map<SourceId, Dictionary> current(Tx tx, Collection<SourceId> sources) {
        return tx
                .query(
                        """
                        select source_id, number, created_at
                          from payload_dictionary
                         where source_id = any (?) and replaced_at is null
                        """,
                        row ->
                                Map.entry(
                                        new SourceId(row.uuid("source_id")),
                                        new Dictionary(
                                                row.integer("number"), row.instant("created_at"))),
                        sources.stream().map(SourceId::value).toList())
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /// Returns the bytes of a dictionary.
    ///
    /// @throws UnreadablePayloadException if there is no such dictionary, or if it is damaged
    static byte[] bytes(Tx tx, int number) {
        return tx.findOne(
                        "select bytes, checksum from payload_dictionary where number = ?",
                        row -> verified(number, row.bytes("bytes"), row.bytes("checksum")),
                        number)
                .orElseThrow(() ->
                        new UnreadablePayloadException(
                                "The payload dictionary " + number + " is missing."));
    }

    private static byte[] verified(int number, byte[] bytes, byte[] checksum) {
        if (!MessageDigest.isEqual(sha256(bytes), checksum)) {
            throw new UnreadablePayloadException(
                    "The payload dictionary " + number + " is damaged.");
        }
        return bytes;
    }

    /// Stores `bytes` as the current dictionary of the source and returns the dictionary's number.
    /// Returns empty if the source has been purged, or if its current dictionary is not the one
    /// that the caller expects.
    ///
    /// The commit is flushed to disk, whatever the database's settings are. Otherwise, a crash
    /// could lose a dictionary to which stored events refer.
    ///
    /// @param replaced the dictionary that the caller expects to be current; empty if it expects
    ///   none
    static Optional<Integer> add(
            Tx tx, SourceId source, byte[] bytes, Optional<Dictionary> replaced) {
        tx.update("set local synchronous_commit = on");
        boolean isReplaced =
                replaced.isEmpty()
                        || tx.update(
                                        """
                                        update payload_dictionary
                                           set replaced_at = now()
                                         where number = ? and replaced_at is null
                                        """,
                                        replaced.get().number())
                                == 1;
        return isReplaced
                ? tx.findOne(
                        """
                        insert into payload_dictionary (source_id, checksum, bytes)
                        select id, ?, ?
                          from source
                         where id = ? and purged_at is null
                           for share
                        on conflict (source_id) where replaced_at is null do nothing
                        returning number
                        """,
                        row -> row.integer("number"),
                        sha256(bytes),
                        bytes,
                        source.value())
                : Optional.empty();
    }

    /// Retires the current dictionaries that were created before `before`. Dictionaries contain
    /// pieces of events, so they must not be kept much longer than the events themselves.
    public static int retireBefore(Tx tx, Instant before, Instant now) {
        return tx.update(
                """
                update payload_dictionary
                   set replaced_at = ?
                 where created_at < ? and replaced_at is null
                """,
                now,
                before);
    }

    /// For each dictionary that was retired before `before`, records its source's newest event as
    /// the last event that may refer to it.
    ///
    /// @param before a time so long ago that no node still compresses with dictionaries retired
    ///   before it, and that all events compressed with them have been stored
    public static int recordLastEvents(Tx tx, Instant before) {
        return tx.update(
                """
                update payload_dictionary
                   set last_event = coalesce(
                         (select id from event
                           where event.source_id = payload_dictionary.source_id
                           order by id desc
                           limit 1),
                         '00000000-0000-0000-0000-000000000000')
                 where replaced_at < ? and last_event is null
                """,
                before);
    }

    /// Removes the dictionaries that only events received before `day` can refer to.
    ///
    /// @param day a time; all events received before it must already have been removed
    public static int removeBefore(Tx tx, Instant day) {
        return tx.update("delete from payload_dictionary where last_event < ?", Uuid7.floor(day));
    }

    /// Removes all dictionaries of these sources. The sources must already have been purged and
    /// must have no events left.
    public static int removeOf(Tx tx, List<SourceId> sources) {
        return tx.update(
                "delete from payload_dictionary where source_id = any (?)",
                sources.stream().map(SourceId::value).toList());
    }

    /// Removes all dictionaries of a deleted workspace. The workspace must have no events left.
    public static int deleteOf(Tx tx, DeletedWorkspace workspace) {
        return removeOf(tx, workspace.sources());
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
