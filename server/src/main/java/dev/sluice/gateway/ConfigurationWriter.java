package dev.sluice.gateway;

import dev.sluice.account.plan.ConfigurationUse;
import dev.sluice.account.plan.PlanCaps;
import dev.sluice.account.workspace.WorkspaceId;
import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;
import dev.sluice.platform.http.ApiException;

/// Runs configuration changes, each in its own transaction and one after another.
///
/// Every change begins by incrementing the configuration version. The lock on the version's row
/// makes all other changes wait, on all nodes, until the transaction ends. Changes therefore commit
/// in the order of their versions, and a waiting change holds no other lock. Thread-safe.
public final class ConfigurationWriter {

    /// A change to the configuration that runs inside a transaction.
    @FunctionalInterface
    public interface ConfigurationChange<T> {

        /// @param version the configuration version of this change
        T apply(Tx tx, long version);
    }

    private final Db db;
    private final PlanCaps caps;
    private final ChangeRate rate;
    private final HistoryTrimmer history;
    private final ConfigurationListener listener;

    public ConfigurationWriter(
            Db db,
            PlanCaps caps,
            ChangeRate rate,
            HistoryTrimmer history,
            ConfigurationListener listener) {
        this.db = db;
        this.history = history;
        this.rate = rate;
        this.caps = caps;
        this.listener = listener;
    }

    /// Runs and commits a change that a workspace makes to its configuration, or rolls it back if
    /// it throws an exception or the workspace's plan does not allow the result. Deletes the oldest
    /// replaced settings if the change leaves too many.
    ///
    /// @throws ApiException 402 if the configuration becomes larger than the plan allows; 429 if
    ///   the workspace changes its configuration too fast
    /// @return see [#write(ConfigurationChange)]
    public <T> T write(WorkspaceId workspace, ConfigurationChange<T> change) {
        rate.begin(workspace);
        return write((tx, version) -> {
            var before = ConfigurationUse.of(tx, workspace);
            T result = change.apply(tx, version);
            var after = caps.requireRoomForBytes(tx, workspace, before);
            rate.wrote(workspace, after.writtenBytes() - before.writtenBytes());
            history.trim(tx, workspace, after);
            return result;
        });
    }

    /// Runs and commits a change that a workspace can make whatever its plan allows, because the
    /// change ends a token or brings something back.
    ///
    /// @throws ApiException 429 if the workspace changes its configuration too fast
    /// @return see [#write(ConfigurationChange)]
    public <T> T writeUncapped(WorkspaceId workspace, ConfigurationChange<T> change) {
        rate.begin(workspace);
        return write(change);
    }

    /// Runs and commits a change that is neither limited nor counted, such as a deletion, or rolls
    /// it back if it throws an exception.
    ///
    /// @return the result of the change; returned after [ConfigurationListener#onCommit], so that
    ///   this node already uses the new configuration
    public <T> T write(ConfigurationChange<T> change) {
        T result = db.call(tx -> change.apply(tx, WorkspaceStore.nextConfigVersion(tx)));
        listener.onCommit();
        return result;
    }
}
