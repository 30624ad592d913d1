package dev.sluice.bench.scenario;

import static dev.sluice.bench.measure.Role.POSTGRES;
import static dev.sluice.bench.measure.Role.RELAY;

import dev.sluice.bench.bare.BareProcess;
import dev.sluice.bench.measure.Role;
import dev.sluice.bench.relay.Api;
import dev.sluice.bench.relay.Relay;
import dev.sluice.bench.relay.Target;

import java.util.Map;

/// A bare pipeline, with the PostgreSQL that a relay runs. Owns neither.
record BareTarget(Relay relay, BareProcess process) implements Target {

    @Override
    public Api api() {
        return relay.api();
    }

    @Override
    public Map<Role, Long> processes() {
        return Map.of(RELAY, process.pid(), POSTGRES, relay.processes().getOrDefault(POSTGRES, 0L));
    }

    @Override
    public void close() {}
}
