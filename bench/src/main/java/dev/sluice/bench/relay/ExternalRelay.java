package dev.sluice.bench.relay;

import dev.sluice.bench.measure.ProcessRole;

import java.util.Map;

/// A relay on this machine that this object neither starts nor stops.
public record ExternalRelay(RelayApi api, Map<ProcessRole, Long> processes)
        implements SystemUnderTest {

    public ExternalRelay {
        processes = Map.copyOf(processes);
    }

    @Override
    public void close() {}
}
