package dev.sluice.bench.relay;

import dev.sluice.bench.measure.ProcessRole;

import java.util.Map;

/// The relay that a scenario works on.
public interface SystemUnderTest extends AutoCloseable {

    RelayApi api();

    /// The processes whose CPU time belongs to it; empty when that cannot be known.
    Map<ProcessRole, Long> processes();

    @Override
    void close();
}
