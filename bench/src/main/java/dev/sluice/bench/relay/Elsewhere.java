package dev.sluice.bench.relay;

import dev.sluice.bench.measure.Role;

import java.util.Map;

/// A relay on this machine that somebody else started and will stop.
public record Elsewhere(Api api, Map<Role, Long> processes) implements Target {

    public Elsewhere {
        processes = Map.copyOf(processes);
    }

    @Override
    public void close() {}
}
