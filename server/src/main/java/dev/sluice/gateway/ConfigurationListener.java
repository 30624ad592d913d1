package dev.sluice.gateway;

/// Runs after a configuration change is committed and before the API request for it is answered.
@FunctionalInterface
public interface ConfigurationListener {

    /// Applies the committed change to this node and returns once the change is in effect.
    void onCommit();
}
