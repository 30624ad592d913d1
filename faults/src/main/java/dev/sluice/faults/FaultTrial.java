package dev.sluice.faults;

import dev.sluice.bench.platform.Wait;

import java.time.Duration;
import java.util.Optional;

/// A test of relays under trouble that ends in criteria.
interface FaultTrial {

    String title();

    /// What the trial needs of this machine and does not find; empty when it can run.
    default Optional<String> unmetRequirement() {
        return Optional.empty();
    }

    Criteria run(FaultOptions options);

    /// A fault under load: starts the load, does the harm, and checks what is left afterwards.
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
