package dev.sluice.bench.fault;

import java.time.Duration;
import java.util.Optional;

/// Something that ends in criteria.
interface Trial {

    String title();

    /// What it needs of this machine and does not find; empty when it can run.
    Optional<String> refusal();

    Criteria run(Dose dose);

    /// A fault under load: the load, the harm under it, and what is left afterwards.
    record UnderLoad(Fault fault) implements Trial {

        @Override
        public String title() {
            return fault.title();
        }

        @Override
        public Optional<String> refusal() {
            return fault.refusal();
        }

        @Override
        public Criteria run(Dose dose) {
            var criteria = new Criteria();
            try (var stage = Stage.open(fault.scene(dose), dose)) {
                fault.prepare(stage);
                stage.begin();
                fault.harm(stage, criteria);
                Stage.pause(Duration.ofSeconds(dose.calm()));
                stage.end();
                var oracle = new Oracle(stage, criteria).settle(fault.leftWaiting());
                criteria.atMost(
                        "taken more than once", fault.mostDuplicates(), oracle.duplicated());
                oracle.demandStoredOnce();
                fault.judge(stage, criteria);
                oracle.lookInside();
            }
            return criteria;
        }
    }
}
