package dev.sluice.faults;

import java.util.Optional;

/// A harm to relays, PostgreSQL, network, disk or clock, and what must hold in spite of it.
interface Fault {

    /// What the fault needs of this machine and does not find; empty when it can run.
    default Optional<String> unmetRequirement() {
        return Optional.empty();
    }

    /// The relays and sinks that the fault is done to.
    default TestbedSpec testbedSpec() {
        return TestbedSpec.standard();
    }

    /// Runs before the load begins.
    default void prepare(FaultTestbed testbed) {}

    /// Does the harm under load, and repairs it.
    void inject(FaultTestbed testbed, Criteria criteria);

    /// Judges what shows only when the load has ended and everything is delivered.
    default void verify(FaultTestbed testbed, Criteria criteria) {}
}
