package dev.sluice.gateway.source;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Writes sources. Every change takes the configuration's next version, and takes it before
/// anything else in its transaction: so all changes come one after the other and none waits for two
/// things.
public final class SourceStore {

    /// A source as nodes keep it in memory, trashed and purged ones included.
    public record Version(Source source, boolean isTrashed, boolean isPurged) {}

    private SourceStore() {}

    static void insert(Tx tx, Source source, long version) {
        tx.update(
                """
                insert into source (id, workspace_id, name, description, color, token, status,
                                    created_at, updated_at, version)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                source.id().value(),
                source.workspace().value(),
                source.name(),
                source.description().orElse(null),
                source.color(),
                source.token(),
                source.status().text(),
                source.createdAt(),
                source.updatedAt(),
                version);
    }

    static void update(Tx tx, Source source, long version) {
        tx.update(
                """
                update source
                   set name = ?, description = ?, color = ?, status = ?, updated_at = ?, version = ?
                 where id = ?
                """,
                source.name(),
                source.description().orElse(null),
                source.color(),
                source.status().text(),
                source.updatedAt(),
                version,
                source.id().value());
    }

    public static Optional<Source> find(Tx tx, WorkspaceId workspace, SourceId id) {
        return tx.one(
                """
                select *
                  from source
                 where id = ? and workspace_id = ? and trashed_at is null
                """,
                SourceStore::source,
                id.value(),
                workspace.value());
    }

    static long count(Tx tx, WorkspaceId workspace) {
        return count(tx, workspace, "");
    }

    /// How many sources have `q` in their name, whatever the case.
    static long count(Tx tx, WorkspaceId workspace, String q) {
        return tx.single(
                """
                select count(*) as n
                  from source
                 where workspace_id = ? and trashed_at is null
                   and (? = '' or strpos(lower(name), lower(?)) > 0)
                """,
                row -> row.number("n"),
                workspace.value(),
                q,
                q);
    }

    static List<Source> list(Tx tx, WorkspaceId workspace, String q, long offset, int limit) {
        return tx.query(
                """
                select *
                  from source
                 where workspace_id = ? and trashed_at is null
                   and (? = '' or strpos(lower(name), lower(?)) > 0)
                 order by created_at desc, id desc
                offset ? limit ?
                """,
                SourceStore::source,
                workspace.value(),
                q,
                q,
                offset,
                limit);
    }

    /// How many events each of the sources ever accepted; sources without events are left out.
    static Map<SourceId, Long> eventCounts(Tx tx, List<SourceId> sources) {
        var counts = new HashMap<SourceId, Long>();
        tx.query(
                        """
                        select key, sum(n) as n
                          from (select key, n
                                  from total
                                 where kind = 1 and key = any (?)
                                union all
                                select entry.key, entry.n
                                  from ledger,
                                       unnest(kinds, keys, counts) as entry (kind, key, n)
                                 where entry.kind = 1 and entry.key = any (?)) as both_parts
                         group by key
                        """,
                        row -> Map.entry(new SourceId(row.uuid("key")), row.number("n")),
                        sources.stream().map(SourceId::value).toList(),
                        sources.stream().map(SourceId::value).toList())
                .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
        return counts;
    }

    /// Those changed after `version`, trashed ones included.
    public static List<Version> changedAfter(Tx tx, long version) {
        return tx.query(
                "select * from source where version > ?",
                row ->
                        new Version(
                                source(row), !row.isNull("trashed_at"), !row.isNull("purged_at")),
                version);
    }

    static Source source(Row row) throws SQLException {
        return new Source(
                new SourceId(row.uuid("id")),
                new WorkspaceId(row.uuid("workspace_id")),
                row.text("name"),
                row.textOrNone("description"),
                row.text("color"),
                row.text("token"),
                Source.Status.valueOf(row.text("status").toUpperCase(Locale.ROOT)),
                row.instant("created_at"),
                row.instant("updated_at"));
    }
}
