package dev.sluice.faults;

import java.util.List;

/// Several faults that run one after another, all on the testbed that the first one needs.
record FaultSequence(List<Fault> faults) implements Fault {

    /// Returns the faults that CI has time for: the only relay is killed, then its PostgreSQL.
    static FaultSequence shortRun() {
        return new FaultSequence(List.of(new SingleRelayKillFault(), new PostgresKillFault()));
    }

    FaultSequence {
        faults = List.copyOf(faults);
    }

    @Override
    public TestbedSpec testbedSpec() {
        return faults.getFirst().testbedSpec();
    }

    @Override
    public void inject(FaultTestbed testbed, Criteria criteria) {
        faults.forEach(fault -> fault.inject(testbed, criteria));
    }

    @Override
    public void verify(FaultTestbed testbed, Criteria criteria) {
        faults.forEach(fault -> fault.verify(testbed, criteria));
    }
}
