package dev.sluice.gateway;

import dev.sluice.account.workspace.WorkspaceStore;
import dev.sluice.platform.db.Db;
import dev.sluice.platform.db.Tx;

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
    private final ConfigurationListener listener;

    public ConfigurationWriter(Db db, ConfigurationListener listener) {
        this.db = db;
        this.listener = listener;
    }

    /// Runs and commits the change, or rolls it back if it throws an exception.
    ///
    /// @return the result of the change; returned after [ConfigurationListener#onCommit], so that
    ///   this node already uses the new configuration
    public <T> T write(ConfigurationChange<T> change) {
        T result = db.call(tx -> change.apply(tx, WorkspaceStore.nextConfigVersion(tx)));
        listener.onCommit();
        return result;
    }
}
