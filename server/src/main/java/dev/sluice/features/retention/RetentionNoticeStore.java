package dev.sluice.features.retention;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.engine.DeletedWorkspace;
import dev.sluice.platform.db.Tx;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Stores how far each workspace's expiring deliveries have been announced.
public final class RetentionNoticeStore {

    /// How far a workspace's expiring deliveries have been announced.
    ///
    /// @param days the workspace's retention in days at the time when the watermark was saved
    /// @param eventsBefore the deliveries of all events that arrived before this time have been
    ///   announced
    /// @param resendsBefore the resends of these events have been announced if they were created
    ///   before this time
    record NoticeWatermark(int days, Instant eventsBefore, Instant resendsBefore) {}

    private RetentionNoticeStore() {}

    static Map<WorkspaceId, NoticeWatermark> noticeWatermarks(Tx tx) {
        var notices = new HashMap<WorkspaceId, NoticeWatermark>();
        tx.query(
                        "select workspace_id, days, told_to, looked_at from retention_notice",
                        row ->
                                Map.entry(
                                        new WorkspaceId(row.uuid("workspace_id")),
                                        new NoticeWatermark(
                                                row.integer("days"),
                                                row.instant("told_to"),
                                                row.instant("looked_at"))))
                .forEach(entry -> notices.put(entry.getKey(), entry.getValue()));
        return notices;
    }

    static void saveNoticeWatermark(
            Tx tx, Collection<WorkspaceId> workspaces, NoticeWatermark notice) {
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
                                        notice.eventsBefore(),
                                        notice.resendsBefore()))
                        .toList());
    }

    /// Deletes a deleted workspace's watermark. Returns the number of deleted rows.
    public static int deleteOf(Tx tx, DeletedWorkspace workspace) {
        return tx.update(
                "delete from retention_notice where workspace_id = ?", workspace.id().value());
    }
}
