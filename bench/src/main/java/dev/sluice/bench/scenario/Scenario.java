package dev.sluice.bench.scenario;

import dev.sluice.bench.report.BenchReport;

/// A measurement or test of a relay. Its duration is limited, and all its processes have ended when
/// it returns.
public interface Scenario {

    BenchReport run();
}
