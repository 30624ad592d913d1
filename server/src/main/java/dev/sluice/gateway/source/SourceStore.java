package dev.sluice.gateway.source;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.secret.Sealer;

import org.jspecify.annotations.Nullable;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Writes sources; seals what is secret in them. Every change takes the configuration's next
/// version, and takes it before anything else in its transaction: so all changes come one after the
/// other and none waits for two things.
public final class SourceStore {

    /// A source as nodes keep it in memory, trashed ones included.
    public record Version(Source source, boolean isTrashed) {}

    private final Sealer sealer;

    public SourceStore(Sealer sealer) {
        this.sealer = sealer;
    }

    void insert(Tx tx, Source source, long version) {
        tx.update(
                """
                insert into source (id, workspace_id, name, description, color, token, status,
                                    verification, response_status, response_type, response_body,
                                    created_at, updated_at, version)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                source.id().value(),
                source.workspace().value(),
                source.name(),
                source.description().orElse(null),
                source.color(),
                source.token(),
                source.status().text(),
                sealed(source),
                source.response().map(ResponseConfig::status).orElse(null),
                source.response().map(response -> response.type().text()).orElse(null),
                source.response().map(ResponseConfig::body).orElse(null),
                source.createdAt(),
                source.updatedAt(),
                version);
    }

    /// A verification that cannot be read stays as it is.
    void update(Tx tx, Source source, long version) {
        tx.update(
                """
                update source
                   set name = ?, description = ?, color = ?, status = ?,
                       verification = case when ? then verification else ? end,
                       response_status = ?, response_type = ?, response_body = ?,
                       updated_at = ?, version = ?
                 where id = ?
                """,
                source.name(),
                source.description().orElse(null),
                source.color(),
                source.status().text(),
                source.verification() instanceof VerificationConfig.Unreadable,
                sealed(source),
                source.response().map(ResponseConfig::status).orElse(null),
                source.response().map(response -> response.type().text()).orElse(null),
                source.response().map(ResponseConfig::body).orElse(null),
                source.updatedAt(),
                version,
                source.id().value());
    }

    public static boolean exists(Tx tx, WorkspaceId workspace, SourceId id) {
        return tx.one(
                        """
                        select id
                          from source
                         where id = ? and workspace_id = ? and trashed_at is null
                        """,
                        row -> row.uuid("id"),
                        id.value(),
                        workspace.value())
                .isPresent();
    }

    Optional<Source> find(Tx tx, WorkspaceId workspace, SourceId id) {
        return tx.one(
                """
                select *
                  from source
                 where id = ? and workspace_id = ? and trashed_at is null
                """,
                this::source,
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

    List<Source> list(Tx tx, WorkspaceId workspace, String q, long offset, int limit) {
        return tx.query(
                """
                select *
                  from source
                 where workspace_id = ? and trashed_at is null
                   and (? = '' or strpos(lower(name), lower(?)) > 0)
                 order by created_at desc, id desc
                offset ? limit ?
                """,
                this::source,
                workspace.value(),
                q,
                q,
                offset,
                limit);
    }

    /// How many events each of the sources ever accepted, those that failed verification (2) not
    /// among them; sources without events are left out.
    static Map<SourceId, Long> eventCounts(Tx tx, List<SourceId> sources) {
        var counts = new HashMap<SourceId, Long>();
        tx.query(
                        """
                        select key, sum(n) as n
                          from (select key, n
                                  from total
                                 where kind = 1 and dim <> 2 and key = any (?)
                                union all
                                select entry.key, entry.n
                                  from ledger,
                                       unnest(kinds, keys, dims, counts) as entry (kind, key, dim, n)
                                 where entry.kind = 1 and entry.dim <> 2 and entry.key = any (?)) as both_parts
                         group by key
                        """,
                        row -> Map.entry(new SourceId(row.uuid("key")), row.number("n")),
                        sources.stream().map(SourceId::value).toList(),
                        sources.stream().map(SourceId::value).toList())
                .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
        return counts;
    }

    /// Those changed after `version`, trashed ones included.
    public List<Version> changedAfter(Tx tx, long version) {
        return tx.query(
                "select * from source where version > ?",
                row -> new Version(source(row), !row.isNull("trashed_at")),
                version);
    }

    Source source(Row row) throws SQLException {
        var id = new SourceId(row.uuid("id"));
        return new Source(
                id,
                new WorkspaceId(row.uuid("workspace_id")),
                row.text("name"),
                row.textOrNone("description"),
                row.text("color"),
                row.text("token"),
                Source.Status.valueOf(row.text("status").toUpperCase(Locale.ROOT)),
                verification(row, id),
                response(row),
                row.instant("created_at"),
                row.instant("updated_at"));
    }

    private VerificationConfig verification(Row row, SourceId id) throws SQLException {
        if (row.isNull("verification")) {
            return new VerificationConfig.None();
        }
        try {
            return VerificationJson.opened(sealer.open(row.bytes("verification"), place(id)));
        } catch (Sealer.WrongKey e) {
            return new VerificationConfig.Unreadable();
        }
    }

    private byte @Nullable [] sealed(Source source) {
        return source.verification() instanceof VerificationConfig.None
                ? null
                : sealer.seal(VerificationJson.revealed(source.verification()), place(source.id()));
    }

    private static String place(SourceId id) {
        return "source:verification:" + id;
    }

    private static Optional<ResponseConfig> response(Row row) throws SQLException {
        if (row.isNull("response_status")) {
            return Optional.empty();
        }
        return Optional.of(
                new ResponseConfig(
                        row.integer("response_status"),
                        ResponseConfig.ContentType.valueOf(
                                row.text("response_type").toUpperCase(Locale.ROOT)),
                        row.text("response_body")));
    }
}
