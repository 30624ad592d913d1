package dev.sluice.bench.relay;

import dev.sluice.bench.measure.ProcessRole;

import java.util.Map;

/// A relay on this machine that was started, and will be stopped, by somebody else.
public record ExternalRelay(RelayApi api, Map<ProcessRole, Long> processes)
        implements SystemUnderTest {

    public ExternalRelay {
        processes = Map.copyOf(processes);
    }

    @Override
    public void close() {}
}
