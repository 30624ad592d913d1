package dev.sluice.account.changes;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.platform.db.Row;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.id.Uuid7;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Reads a workspace's audit log.
public final class AuditLogQueries {

    private static final String MATCHING =
            """
             where audit_log.workspace_id = ? and audit_log.id >= ? and audit_log.id < ?
               and (?::uuid is null or actor_id = ?)
               and (?::text is null or action = ?)
               and (? = '' or strpos(lower(coalesce(target.name, target_name)), lower(?)) > 0)
            """;

    /// Who made a change, and from where.
    ///
    /// @param name empty for the operator, and for a person whose account was deleted
    /// @param address the client's address; empty for a command
    public record EntryActor(String kind, Optional<UUID> id, String name, String address) {}

    /// An entry in the log.
    ///
    /// @param targetName empty if the changed object has no name, or is a person whose account was
    ///   deleted
    /// @param fields the names of the fields that the request set
    public record AuditEntry(
            UUID id,
            String action,
            EntryActor actor,
            UUID targetId,
            String targetName,
            List<String> fields) {

        public Instant createdAt() {
            return Uuid7.timeOf(id);
        }
    }

    /// A filter that selects log entries. An empty field does not restrict the selection.
    ///
    /// @param after selects entries made at or after this time
    /// @param before selects entries made before this time
    /// @param q text that the target's name must contain, ignoring case; empty for all
    public record AuditFilter(
            Optional<UUID> actor,
            Optional<String> action,
            Optional<Instant> after,
            Optional<Instant> before,
            String q) {}

    private AuditLogQueries() {}

    /// Returns up to `limit` of a workspace's entries that match the filter, newest first. The
    /// first `offset` matching entries are skipped.
    public static List<AuditEntry> list(
            Tx tx, WorkspaceId workspace, AuditFilter filter, long offset, int limit) {
        return tx.query(
                """
                select audit_log.id, action, actor_kind, actor_id, address, target_id, fields,
                       coalesce(actor.name, actor_name) as actor_name,
                       coalesce(target.name, target_name) as target_name
                  from audit_log
                  left join account as actor on actor.id = actor_id
                  left join account as target on target.id = target_id
                """
                        + MATCHING
                        + " order by audit_log.id desc offset ? limit ?",
                AuditLogQueries::entry,
                workspace.value(),
                lowest(filter),
                highest(filter),
                filter.actor().orElse(null),
                filter.actor().orElse(null),
                filter.action().orElse(null),
                filter.action().orElse(null),
                filter.q(),
                filter.q(),
                offset,
                limit);
    }

    private static UUID lowest(AuditFilter filter) {
        return Uuid7.floor(filter.after().orElse(Instant.EPOCH));
    }

    private static UUID highest(AuditFilter filter) {
        return Uuid7.floor(filter.before().orElse(Uuid7.MAX_TIME));
    }

    public static long count(Tx tx, WorkspaceId workspace, AuditFilter filter) {
        return tx.single(
                "select count(*) as n from audit_log left join account as target on target.id ="
                        + " target_id"
                        + MATCHING,
                row -> row.number("n"),
                workspace.value(),
                lowest(filter),
                highest(filter),
                filter.actor().orElse(null),
                filter.actor().orElse(null),
                filter.action().orElse(null),
                filter.action().orElse(null),
                filter.q(),
                filter.q());
    }

    private static AuditEntry entry(Row row) throws SQLException {
        String fields = row.text("fields");
        return new AuditEntry(
                row.uuid("id"),
                row.text("action"),
                new EntryActor(
                        row.text("actor_kind"),
                        row.isNull("actor_id")
                                ? Optional.empty()
                                : Optional.of(row.uuid("actor_id")),
                        row.text("actor_name"),
                        row.text("address")),
                row.uuid("target_id"),
                row.text("target_name"),
                fields.isEmpty() ? List.of() : List.of(fields.split(",", -1)));
    }

    /// Returns the workspaces that a person is a member of.
    static List<WorkspaceId> workspacesOf(Tx tx, UUID account) {
        return tx.query(
                "select workspace_id from member where account_id = ? order by workspace_id",
                row -> new WorkspaceId(row.uuid("workspace_id")),
                account);
    }
}
