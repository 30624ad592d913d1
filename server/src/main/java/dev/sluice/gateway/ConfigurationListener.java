package dev.sluice.gateway;

/// A callback that runs after this node commits a configuration change. The response to an API
/// request that makes a change is sent only after the callback has returned.
@FunctionalInterface
public interface ConfigurationListener {

    /// Applies the committed change to this node and returns once the change is in effect.
    void onCommit();
}
