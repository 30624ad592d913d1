package dev.sluice.gateway;

/// Told after a change of the configuration was committed, before its request is answered.
@FunctionalInterface
public interface ConfigurationChange {

    /// Returns when this node works by the new configuration.
    void committed();
}
