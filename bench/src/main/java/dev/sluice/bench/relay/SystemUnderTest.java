package dev.sluice.bench.relay;

import dev.sluice.bench.measure.ProcessRole;

import java.util.Map;

/// The relay that a scenario measures.
public interface SystemUnderTest extends AutoCloseable {

    RelayApi api();

    /// Returns the processes whose CPU time belongs to the relay, or an empty map if they are
    /// unknown.
    Map<ProcessRole, Long> processes();

    @Override
    void close();
}
