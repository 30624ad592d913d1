package dev.sluice.faults;

import dev.sluice.bench.platform.Wait;

import java.time.Duration;
import java.util.Optional;

/// A test that injects faults into relays, or into what they depend on, and checks whether the
/// results meet the trial's criteria.
interface FaultTrial {

    String title();

    /// Returns one of the trial's requirements that this machine does not meet, or empty if the
    /// trial can run.
    default Optional<String> unmetRequirement() {
        return Optional.empty();
    }

    Criteria run(FaultOptions options);

    /// Runs a fault under load: starts the load, causes the fault, and checks the result
    /// afterwards.
    record UnderLoadTrial(String title, Fault fault) implements FaultTrial {

        @Override
        public Optional<String> unmetRequirement() {
            return fault.unmetRequirement();
        }

        @Override
        public Criteria run(FaultOptions options) {
            var criteria = new Criteria();
            try (var testbed = FaultTestbed.open(fault.testbedSpec(), options)) {
                fault.prepare(testbed);
                testbed.startLoad();
                fault.inject(testbed, criteria);
                Wait.pause(Duration.ofSeconds(options.calmSeconds()));
                testbed.endLoad();
                var checker = new OutcomeChecker(testbed, criteria);
                checker.compareWhenDrained();
                fault.verify(testbed, criteria);
                checker.checkLogsAndAudit();
            }
            return criteria;
        }
    }
}
