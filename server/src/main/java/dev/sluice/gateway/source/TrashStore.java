package dev.sluice.gateway.source;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.json.JsonObject;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// The SQL of the trash, where a source stays after its deletion until it is restored or purged.
public final class TrashStore {

    /// The specification's limit.
    static final Duration STAY = Duration.ofDays(7);

    /// A source in the trash.
    record Trashed(Source source, Instant trashedAt) {

        JsonObject json() {
            return source.json().put("trashed_at", trashedAt).put("purge_at", trashedAt.plus(STAY));
        }
    }

    private TrashStore() {}

    /// False when there is no such source outside the trash.
    static boolean put(Tx tx, WorkspaceId workspace, SourceId id, Instant now, long version) {
        return tx.update(
                        """
                        update source
                           set trashed_at = ?, updated_at = ?, version = ?
                         where id = ? and workspace_id = ? and trashed_at is null
                        """,
                        now,
                        now,
                        version,
                        id.value(),
                        workspace.value())
                == 1;
    }

    /// False when there is no such source in the trash, or its days are over.
    static boolean takeOut(Tx tx, WorkspaceId workspace, SourceId id, Instant now, long version) {
        return tx.update(
                        """
                        update source
                           set trashed_at = null, updated_at = ?, version = ?
                         where id = ? and workspace_id = ? and trashed_at > ? and purged_at is null
                        """,
                        now,
                        version,
                        id.value(),
                        workspace.value(),
                        now.minus(STAY))
                == 1;
    }

    /// The latest deletion first.
    static List<Trashed> list(
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
                   and (? = '' or strpos(lower(name), lower(?)) > 0)
                 order by trashed_at desc, id desc
                offset ? limit ?
                """,
                row -> new Trashed(sources.source(row), row.instant("trashed_at")),
                workspace.value(),
                now.minus(STAY),
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
                   and (? = '' or strpos(lower(name), lower(?)) > 0)
                """,
                row -> row.number("n"),
                workspace.value(),
                now.minus(STAY),
                q,
                q);
    }

    public static boolean isAnyDue(Tx tx, Instant now) {
        return tx.single(
                """
                select exists (select from source where trashed_at <= ? and purged_at is null) as due
                """,
                row -> row.bool("due"),
                now.minus(STAY));
    }

    /// Empties those whose days are over, of every workspace.
    ///
    /// @return which
    public static List<SourceId> purge(Tx tx, Instant now, long version) {
        return tx.query(
                """
                update source
                   set purged_at = ?, name = '', description = null, verification = null,
                       response_status = null, response_type = null, response_body = null, updated_at = ?, version = ?
                 where trashed_at <= ? and purged_at is null
                returning id
                """,
                row -> new SourceId(row.uuid("id")),
                now,
                now,
                version,
                now.minus(STAY));
    }
}
