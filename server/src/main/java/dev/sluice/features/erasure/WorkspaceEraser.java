package dev.sluice.features.erasure;

import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.engine.DeletedWorkspace;
import dev.sluice.gateway.deletion.WorkspaceDeletion;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.DbException;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.loop.Loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Erases the data of deleted workspaces, one chunk per round.
///
/// Erasure begins fifteen minutes after a workspace is deleted. No attempt takes longer than five
/// minutes, so no attempt for the workspace is in flight by then. A node locks the workspace while
/// it erases a chunk; other nodes skip a locked workspace. After a crash, the next round continues
/// with the next chunk. A workspace that cannot be erased is skipped until all others have been
/// erased.
public final class WorkspaceEraser implements Loop.Step {

    private static final Logger log = LoggerFactory.getLogger(WorkspaceEraser.class);

    static final Duration GRACE_PERIOD = Duration.ofMinutes(15);

    /// The maximum number of rows that one chunk erases from a table. An event, together with its
    /// deliveries and attempts, counts as one row.
    private static final int CHUNK_SIZE = 500;

    /// Erases one kind of data.
    @FunctionalInterface
    public interface ErasureStep {

        /// Erases a chunk of at most about `limit` rows. A step for data with few rows can ignore
        /// the limit. Returns how many rows it erased, or 0 if nothing was left to erase.
        int erase(Tx tx, DeletedWorkspace workspace, int limit);
    }

    private final Db db;
    private final WorkspaceDeletion deletion;
    private final List<ErasureStep> steps;
    private final InstantSource settledClock;

    /// The workspaces that could not be erased. They are skipped until a round finds no other
    /// workspace to erase, and are then tried again.
    private final Set<WorkspaceId> failed = new HashSet<>();

    /// @param steps the steps in the order in which they run; each step is repeated until it has
    ///   nothing left to erase
    /// @param settledClock the clock for decisions that cannot be undone
    public WorkspaceEraser(
            Db db,
            WorkspaceDeletion deletion,
            List<ErasureStep> steps,
            InstantSource settledClock) {
        this.db = db;
        this.deletion = deletion;
        this.steps = List.copyOf(steps);
        this.settledClock = settledClock;
    }

    /// Erases one chunk. Returns whether there may be more to erase.
    @Override
    public boolean run() {
        var now = settledClock.instant();
        var deleted =
                db.call(tx -> WorkspaceStore.deletedBefore(tx, now.minus(GRACE_PERIOD), failed));
        if (deleted.isEmpty()) {
            failed.clear();
            return false;
        }
        return deleted.stream().anyMatch(workspace -> tryErase(workspace, now));
    }

    /// Erases one chunk of a workspace. Returns false if the erasure fails, or if another node is
    /// erasing the workspace. Throws an exception if the failure is only temporary, such as a lost
    /// connection.
    private boolean tryErase(WorkspaceId workspace, Instant now) {
        try {
            return db.call(
                    tx -> WorkspaceStore.lockDeleted(tx, workspace) && erase(tx, workspace, now));
        } catch (DbException e) {
            if (e.isConnectionLost() || e.failure().isPassing()) {
                throw e;
            }
            failed.add(workspace);
            log.atWarn()
                    .addKeyValue("workspace_id", workspace)
                    .setCause(e)
                    .log("workspace.erasure_failed");
            return false;
        }
    }

    private boolean erase(Tx tx, WorkspaceId id, Instant now) {
        var workspace = DeletedWorkspaceQueries.find(tx, id);
        for (var step : steps) {
            if (step.erase(tx, workspace, CHUNK_SIZE) > 0) {
                return true;
            }
        }
        deletion.eraseConfiguration(tx, id, now, WorkspaceStore.nextConfigVersion(tx));
        WorkspaceStore.markErased(tx, id, now);
        log.atInfo().addKeyValue("workspace_id", id).log("workspace.erased");
        return true;
    }
}
