package dev.sluice.gateway.source;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.NameSearch;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.json.JsonObject;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/// Stores the trash, in which deleted sources stay until they are restored or purged.
public final class TrashStore {

    /// How long a source stays in the trash before it is purged.
    static final Duration TRASH_RETENTION = Duration.ofDays(7);

    /// A source in the trash, and when it was deleted.
    record TrashedSource(Source source, Instant trashedAt) {

        JsonObject json(String baseUrl) {
            return source.json(baseUrl)
                    .put("trashed_at", trashedAt)
                    .put("purge_at", trashedAt.plus(TRASH_RETENTION));
        }
    }

    private TrashStore() {}

    /// Moves a source to the trash. Returns false if the workspace has no such source, or if the
    /// source is already in the trash.
    static boolean moveToTrash(
            Tx tx, WorkspaceId workspace, SourceId id, Instant now, long version) {
        return tx.update(
                        """
                        update source
                           set trashed_at = ?, version = ?,
                               updated_at = greatest(?, updated_at + interval '1 microsecond')
                         where id = ? and workspace_id = ? and trashed_at is null
                        """,
                        now,
                        version,
                        now,
                        id.value(),
                        workspace.value())
                == 1;
    }

    /// Restores a source. Returns false if the source is not in the trash, or if its seven days in
    /// the trash are over.
    static boolean restore(Tx tx, WorkspaceId workspace, SourceId id, Instant now, long version) {
        return tx.update(
                        """
                        update source
                           set trashed_at = null, version = ?,
                               updated_at = greatest(?, updated_at + interval '1 microsecond')
                         where id = ? and workspace_id = ? and trashed_at > ? and purged_at is null
                        """,
                        version,
                        now,
                        id.value(),
                        workspace.value(),
                        now.minus(TRASH_RETENTION))
                == 1;
    }

    /// Lists the sources in the trash, most recently deleted first. Omits sources whose seven days
    /// in the trash are over, even if they have not been purged yet.
    static List<TrashedSource> list(
            Tx tx,
            SourceStore sources,
            WorkspaceId workspace,
            String q,
            Instant now,
            long offset,
            int limit) {
        return tx.query(
                """
                select *
                  from source
                 where workspace_id = ? and trashed_at > ? and purged_at is null
                """
                        + NameSearch.CONDITION
                        + """
                         order by trashed_at desc, id desc
                        offset ? limit ?
                        """,
                row -> new TrashedSource(sources.source(row), row.instant("trashed_at")),
                workspace.value(),
                now.minus(TRASH_RETENTION),
                q,
                q,
                offset,
                limit);
    }

    static long count(Tx tx, WorkspaceId workspace, String q, Instant now) {
        return tx.single(
                """
                select count(*) as n
                  from source
                 where workspace_id = ? and trashed_at > ? and purged_at is null
                """
                        + NameSearch.CONDITION,
                row -> row.number("n"),
                workspace.value(),
                now.minus(TRASH_RETENTION),
                q,
                q);
    }

    /// Returns up to `limit` sources, from any workspace, that have been in the trash for seven
    /// days and have not been purged yet. The sources are ordered by when they were deleted, oldest
    /// first.
    static List<SourceId> purgeDue(Tx tx, Instant now, int limit) {
        return tx.query(
                """
                select id
                  from source
                 where trashed_at <= ? and purged_at is null
                 order by trashed_at
                 limit ?
                """,
                row -> new SourceId(row.uuid("id")),
                now.minus(TRASH_RETENTION),
                limit);
    }

    /// Purges the sources in `due` that have been in the trash for seven days and have not been
    /// purged yet. The rows stay, but their names, descriptions, verification settings and response
    /// settings are erased. The sources' tokens are retired.
    ///
    /// @return the purged sources
    static List<SourceId> purge(Tx tx, List<SourceId> due, Instant now, long version) {
        var purged =
                tx.query(
                        """
                        update source
                           set purged_at = ?, name = '', description = null, verification = null,
                               response_status = null, response_type = null, response_body = null, updated_at = ?, version = ?
                         where id = any (?) and trashed_at <= ? and purged_at is null
                        returning id
                        """,
                        row -> new SourceId(row.uuid("id")),
                        now,
                        now,
                        version,
                        due.stream().map(SourceId::value).toList(),
                        now.minus(TRASH_RETENTION));
        TokenStore.retireAll(tx, purged);
        return purged;
    }

    /// Purges all sources of a deleted workspace, including those that are not in the trash. The
    /// sources' ingest URLs stop working.
    ///
    /// @return all of the workspace's sources
    public static List<SourceId> purgeAll(Tx tx, WorkspaceId workspace, Instant now, long version) {
        var purged =
                tx.query(
                        """
                        update source
                           set trashed_at = coalesce(trashed_at, ?), purged_at = coalesce(purged_at, ?),
                               name = '', description = null, verification = null,
                               response_status = null, response_type = null, response_body = null,
                               updated_at = ?, version = ?
                         where workspace_id = ?
                        returning id
                        """,
                        row -> new SourceId(row.uuid("id")),
                        now,
                        now,
                        now,
                        version,
                        workspace.value());
        TokenStore.retireAll(tx, purged);
        return purged;
    }

    /// Returns up to `limit` sources that were purged before the time `before`, ordered by id.
    ///
    /// @param after only sources with a higher id than this are returned
    public static List<SourceId> purgedBefore(Tx tx, Instant before, UUID after, int limit) {
        return tx.query(
                """
                select id
                  from source
                 where purged_at is not null and purged_at < ? and id > ?
                 order by id
                 limit ?
                """,
                row -> new SourceId(row.uuid("id")),
                before,
                after,
                limit);
    }

    /// Removes the rows of the given sources, except sources that have not been purged. Returns the
    /// number of rows removed. The caller must already have removed the sources' connections.
    public static int remove(Tx tx, List<SourceId> purged) {
        return tx.update(
                "delete from source where id = any (?) and purged_at is not null",
                purged.stream().map(SourceId::value).toList());
    }
}
