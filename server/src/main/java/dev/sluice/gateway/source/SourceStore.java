package dev.sluice.gateway.source;

import dev.sluice.account.plan.UsageKind;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.NameSearch;
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
import java.util.UUID;

/// Stores sources, with their verification secrets encrypted.
public final class SourceStore {

    /// A source as it is loaded into a node's memory.
    ///
    /// @param isTrashed whether the source is in the trash, or was purged from it
    /// @param isPurged whether the source was purged; nodes then remove it from memory
    public record SourceVersion(Source source, boolean isTrashed, boolean isPurged) {}

    private final Sealer sealer;

    public SourceStore(Sealer sealer) {
        this.sealer = sealer;
    }

    void insert(Tx tx, Source source, long version) {
        var spec = source.spec();
        tx.update(
                """
                insert into source (id, workspace_id, name, description, color, token, status,
                                    verification, response_status, response_type, response_body,
                                    created_at, updated_at, version)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                source.id().value(),
                source.workspace().value(),
                spec.name(),
                spec.description().orElse(null),
                spec.color(),
                source.token(),
                spec.status().text(),
                sealed(source),
                spec.response().map(ResponseConfig::status).orElse(null),
                spec.response().map(response -> response.type().text()).orElse(null),
                spec.response().map(ResponseConfig::body).orElse(null),
                source.createdAt(),
                source.updatedAt(),
                version);
    }

    /// Overwrites a source. If this node cannot read its verification config, the stored config
    /// stays as it is.
    ///
    /// @param before the source as it is stored now
    void update(Tx tx, Source before, Source source, long version) {
        ReplacedSourceStore.keep(tx, before, source, version);
        var spec = source.spec();
        tx.update(
                """
                update source
                   set name = ?, description = ?, color = ?, status = ?,
                       verification = case when ? then verification else ? end,
                       response_status = ?, response_type = ?, response_body = ?,
                       updated_at = ?, version = ?
                 where id = ?
                """,
                spec.name(),
                spec.description().orElse(null),
                spec.color(),
                spec.status().text(),
                spec.verification() instanceof VerificationConfig.UnreadableVerification,
                sealed(source),
                spec.response().map(ResponseConfig::status).orElse(null),
                spec.response().map(response -> response.type().text()).orElse(null),
                spec.response().map(ResponseConfig::body).orElse(null),
                source.updatedAt(),
                version,
                source.id().value());
    }

    public static boolean exists(Tx tx, WorkspaceId workspace, SourceId id) {
        return tx.findOne(
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
        return tx.findOne(
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

    /// Returns the number of the workspace's sources whose name contains `q`, ignoring case. Does
    /// not count sources in the trash.
    static long count(Tx tx, WorkspaceId workspace, String q) {
        return tx.single(
                """
                select count(*) as n
                  from source
                 where workspace_id = ? and trashed_at is null
                """
                        + NameSearch.CONDITION,
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
                """
                        + NameSearch.CONDITION
                        + """
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

    /// Returns the total number of events that each source has accepted. Events that failed
    /// verification are not counted. Sources without counted events are omitted.
    static Map<SourceId, Long> eventCounts(Tx tx, List<SourceId> sources) {
        var counts = new HashMap<SourceId, Long>();
        tx.query(
                        """
                        select key, sum(n) as n
                          from (select key, n
                                  from total
                                 where kind = %1$d and dim <> %2$d and key = any (?)
                                union all
                                select entry.key, entry.n
                                  from ledger,
                                       unnest(kinds, keys, dims, counts) as entry (kind, key, dim, n)
                                 where entry.kind = %1$d and entry.dim <> %2$d and entry.key = any (?)) as both_parts
                         group by key
                        """
                                .formatted(
                                        UsageKind.EVENTS.number(),
                                        VerificationStatus.FAILED.number()),
                        row -> Map.entry(new SourceId(row.uuid("key")), row.number("n")),
                        sources.stream().map(SourceId::value).toList(),
                        sources.stream().map(SourceId::value).toList())
                .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
        return counts;
    }

    /// Returns up to `limit` sources that are not purged, including sources in the trash, ordered
    /// by id.
    ///
    /// @param after only sources with a higher id than this are returned
    public List<SourceVersion> live(Tx tx, UUID after, int limit) {
        return tx.query(
                """
                select *
                  from source
                 where purged_at is null and id > ?
                 order by id
                 limit ?
                """,
                this::version,
                after,
                limit);
    }

    /// Returns the sources that changed after the configuration version `version`, including purged
    /// sources.
    public List<SourceVersion> changedAfter(Tx tx, long version) {
        return tx.query("select * from source where version > ?", this::version, version);
    }

    private SourceVersion version(Row row) throws SQLException {
        return new SourceVersion(source(row), !row.isNull("trashed_at"), !row.isNull("purged_at"));
    }

    Source source(Row row) throws SQLException {
        var id = new SourceId(row.uuid("id"));
        var spec =
                new Source.SourceSpec(
                        row.text("name"),
                        row.textOrNone("description"),
                        row.text("color"),
                        Source.SourceStatus.valueOf(row.text("status").toUpperCase(Locale.ROOT)),
                        verification(row, id),
                        response(row));
        return new Source(
                id,
                new WorkspaceId(row.uuid("workspace_id")),
                row.text("token"),
                previousToken(row),
                spec,
                row.instant("created_at"),
                row.instant("updated_at"));
    }

    private static Optional<PreviousToken> previousToken(Row row) throws SQLException {
        return row.isNull("previous_token")
                ? Optional.empty()
                : Optional.of(
                        new PreviousToken(
                                row.text("previous_token"), row.instant("previous_token_until")));
    }

    private VerificationConfig verification(Row row, SourceId id) throws SQLException {
        if (row.isNull("verification")) {
            return new VerificationConfig.NoVerification();
        }
        try {
            return VerificationJson.parseUnsealed(
                    sealer.open(row.bytes("verification"), sealingContext(id)));
        } catch (Sealer.WrongKeyException e) {
            return new VerificationConfig.UnreadableVerification();
        }
    }

    private byte @Nullable [] sealed(Source source) {
        return source.verification() instanceof VerificationConfig.NoVerification
                ? null
                : sealer.seal(
                        VerificationJson.revealed(source.verification()),
                        sealingContext(source.id()));
    }

    private static String sealingContext(SourceId id) {
        return "source:verification:" + id;
    }

    private static Optional<ResponseConfig> response(Row row) throws SQLException {
        if (row.isNull("response_status")) {
            return Optional.empty();
        }
        return Optional.of(
                new ResponseConfig(
                        row.integer("response_status"),
                        ResponseConfig.ResponseContentType.valueOf(
                                row.text("response_type").toUpperCase(Locale.ROOT)),
                        row.text("response_body")));
    }
}
