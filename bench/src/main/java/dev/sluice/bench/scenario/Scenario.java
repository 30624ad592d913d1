package dev.sluice.bench.scenario;

import dev.sluice.bench.report.BenchReport;

/// A measurement or test of a relay. A scenario takes a limited time, and every process that it
/// started has ended by the time [#run] returns.
public interface Scenario {

    BenchReport run();
}
