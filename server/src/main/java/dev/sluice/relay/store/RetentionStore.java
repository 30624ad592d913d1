package dev.sluice.relay.store;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.gateway.source.SourceId;
import dev.sluice.platform.db.Tx;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// Whose events are kept how long, which process sees to it, and of what was told.
public final class RetentionStore {

    /// A source, trashed or purged ones too.
    ///
    /// @param plan its workspace's
    /// @param changedAt when its workspace was last changed, which may have been its plan
    public record Kept(
            SourceId source,
            WorkspaceId workspace,
            String plan,
            Instant changedAt,
            boolean isTrashed) {}

    /// Up to where a workspace was told of what will end unsent.
    ///
    /// @param days of the retention that it was told for
    /// @param toldTo all events that came in earlier
    /// @param lookedAt all resends made earlier
    public record Notice(int days, Instant toldTo, Instant lookedAt) {}

    private RetentionStore() {}

    /// Takes or renews the lease, which is told by the database's clock. False while another
    /// process holds it.
    public static boolean hold(Tx tx, UUID holder, Duration lease) {
        return tx.update(
                        """
                        update retention
                           set holder = ?, lease_until = now() + make_interval(secs => ?)
                         where holder = ? or lease_until is null or lease_until < now()
                        """,
                        holder,
                        lease.toSeconds(),
                        holder)
                == 1;
    }

    public static void leave(Tx tx, UUID holder) {
        tx.update(
                "update retention set holder = null, lease_until = null where holder = ?", holder);
    }

    /// By the database's clock.
    public static Instant now(Tx tx) {
        return tx.single("select now() as now", row -> row.instant("now"));
    }

    public static List<Kept> sources(Tx tx) {
        return tx.query(
                """
                select source.id, workspace_id, plan, workspace.updated_at, trashed_at is not null as is_trashed
                  from source
                  join workspace on workspace.id = workspace_id
                """,
                row ->
                        new Kept(
                                new SourceId(row.uuid("id")),
                                new WorkspaceId(row.uuid("workspace_id")),
                                row.text("plan"),
                                row.instant("updated_at"),
                                row.bool("is_trashed")));
    }

    public static Map<WorkspaceId, Notice> notices(Tx tx) {
        var notices = new HashMap<WorkspaceId, Notice>();
        tx.query(
                        "select workspace_id, days, told_to, looked_at from retention_notice",
                        row ->
                                Map.entry(
                                        new WorkspaceId(row.uuid("workspace_id")),
                                        new Notice(
                                                row.integer("days"),
                                                row.instant("told_to"),
                                                row.instant("looked_at"))))
                .forEach(entry -> notices.put(entry.getKey(), entry.getValue()));
        return notices;
    }

    public static void told(Tx tx, Collection<WorkspaceId> workspaces, Notice notice) {
        tx.updateEach(
                """
                insert into retention_notice (workspace_id, days, told_to, looked_at)
                values (?, ?, ?, ?)
                on conflict (workspace_id)
                   do update set days = excluded.days, told_to = excluded.told_to,
                                 looked_at = excluded.looked_at
                """,
                workspaces.stream()
                        .map(workspace ->
                                List.of(
                                        workspace.value(),
                                        notice.days(),
                                        notice.toldTo(),
                                        notice.lookedAt()))
                        .toList());
    }

    /// Removes sums of hours before `before`, at most `limit`; those of days and totals stay. How
    /// many were removed.
    public static int forgetHours(Tx tx, Instant before, int limit) {
        return tx.update(
                """
                delete from rollup_hour
                 where ctid = any (array(select ctid from rollup_hour where hour < ? limit ?))
                """,
                (int) (before.getEpochSecond() / Duration.ofHours(1).toSeconds()),
                limit);
    }
}
