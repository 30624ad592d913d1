package dev.sluice.features.transfer;

import dev.sluice.platform.db.Db;

/// Finds payloads that earlier versions have compressed. This version has no code to read them.
public final class FormerPayloads {

    /// What to do with a database, or a file, that has such payloads.
    public static final String ADVICE =
            "run the version that has compressed them with SLUICE_PAYLOAD_COMPRESSION=off until"
                    + " they have expired, or begin with a new database or data directory";

    private FormerPayloads() {}

    /// Whether a database has such payloads. Always false for a database that this version's
    /// migrations have brought up to date. Reads the days in transactions of their own, because one
    /// transaction cannot lock the partitions of years.
    public static boolean areCompressed(Db db) {
        return db
                .call(tx ->
                        tx.query(
                                """
                                select inhrelid::regclass::text as name
                                  from pg_inherits
                                  join pg_attribute on attrelid = inhrelid
                                 where inhparent = to_regclass('event') and attname = 'encoding'
                                   and not attisdropped
                                """,
                                row -> row.text("name")))
                .stream()
                .anyMatch(day ->
                        db.call(tx ->
                                tx.single(
                                        "select exists (select from "
                                                + day
                                                + " where encoding is not null) as is_compressed",
                                        row -> row.bool("is_compressed"))));
    }
}
