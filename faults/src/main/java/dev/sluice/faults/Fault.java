package dev.sluice.faults;

import java.util.Optional;

/// A fault in the relays, PostgreSQL, the destinations, the network, the disk or the clock, and the
/// criteria that must hold despite it.
interface Fault {

    /// Returns one of the fault's requirements that this machine does not meet, or empty if the
    /// fault can run.
    default Optional<String> unmetRequirement() {
        return Optional.empty();
    }

    /// Returns the relays and sinks that the fault needs.
    default TestbedSpec testbedSpec() {
        return TestbedSpec.standard();
    }

    /// Runs before the load begins.
    default void prepare(FaultTestbed testbed) {}

    /// Causes the fault under load, then repairs the damage.
    void inject(FaultTestbed testbed, Criteria criteria);

    /// Checks the criteria that can be evaluated only after the load has ended and everything has
    /// been delivered.
    default void verify(FaultTestbed testbed, Criteria criteria) {}
}
