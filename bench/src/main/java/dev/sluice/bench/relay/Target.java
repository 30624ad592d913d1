package dev.sluice.bench.relay;

import dev.sluice.bench.measure.Role;

import java.util.Map;

/// The relay that a scenario works on.
public interface Target extends AutoCloseable {

    Api api();

    /// The processes whose CPU time belongs to it; empty when that cannot be known.
    Map<Role, Long> processes();

    @Override
    void close();
}
